/** One line of what the doctor found: how a thing is, and where it is wrong what mends it. */
export interface Finding {
  about: string;
  /** `wrong` makes the doctor end with 1; `note` is for knowing. */
  how: "well" | "note" | "wrong";
  text: string;
}
export const well = (about: string, text: string): Finding => ({ about, how: "well", text });
export const note = (about: string, text: string): Finding => ({ about, how: "note", text });
export const wrong = (about: string, text: string): Finding => ({ about, how: "wrong", text });

const MARKS = { well: "✓", note: "·", wrong: "✗" } as const;
export const lineOf = ({ about, how, text }: Finding): string => `${MARKS[how]} ${about}: ${text}`;
