/** The one tool that both loops run, and the words their model says. What it gives back tells the model how many calls are left. */

export const TOOL = {
  name: "lookup",
  description: "Looks something up in the team's notes.",
  input_schema: {
    type: "object" as const,
    properties: { topic: { type: "string" }, left: { type: "integer" } },
    required: ["topic", "left"],
  },
};
export const WORDS =
  "I look at the release notes of last week and at what changed since, then I compare both with the plan. Two points are still open: the import of old accounts, and the new page for invoices.";

const FOUND = "The release of last week went out on Tuesday. Open: the import of old accounts waits for a decision about time zones; ";

export function lookup(input: unknown): string {
  const left = typeof input === "object" && input !== null && "left" in input ? Number(input.left) : 0;
  return `${FOUND}the page for invoices is being tested. left: ${left}`;
}
/** What a person asks; the model will make so many calls. */
export const asks = (calls: number): string => `Where do we stand with the release, and what is still open? left: ${calls}`;
