/** The product with the offline model and real tool servers: one that asks people back, and as many tools as are told by name only. */
import { afterEach, expect, test } from "vitest";
import { Product } from "../help/product.ts";
import { until } from "../help/until.ts";
import { asking, toolsJson } from "../rigs/mcp.ts";

let product: Product;
afterEach(() => product.end());

test("a server's question is a card and a form in the console, and its answer goes on in the thread", { timeout: 90_000 }, async () => {
  product = new Product();
  product.write("console/AGENTS.md", "You are Denizen.\n");
  product.write("console/policy.json", JSON.stringify({ interruptOn: { "shop/*": false } }));
  const others = Object.fromEntries(["one", "two", "three", "four", "five"].map((name) => [name, asking()]));
  product.write("console/tools.json", toolsJson({ shop: asking(), ...others }));
  const { console: url } = (await product.start()) as unknown as { console: string };
  const send = async (path: string, body: object) => {
    const answer = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-console": "1", origin: url },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { thread?: string; form?: string; error?: string };
  };
  const { thread = "" } = await send("/messages", { as: "ann", thread: "", id: "m12345678", text: "call shop/order" });
  const html = async () => (await fetch(`${url}/threads/${thread}`)).text();
  const page = async (wanted: RegExp) => {
    let last = "";
    const look = async () => {
      last = await html();
      return wanted.exec(last) ?? undefined;
    };
    const shown = () =>
      last
        .replace(/<[^>]+>/g, " ")
        .replace(/\s+/g, " ")
        .slice(-1500);
    return until(look, () => `${wanted} in ${shown()}\n${product.tail()}`, 30_000);
  };
  const [, code = ""] = (await page(/data-act="answer" data-code="([\w.-]+\.0)"/)) ?? [];
  const press = (values?: object) => send("/clicks", { as: "ann", thread, act: "answer", code, ...(values ? { values } : {}) });
  expect(JSON.stringify(await press())).toMatch(/<select[\s\S]*red[\s\S]*blue/);
  await press({ f0: "blue", f1: "2" });
  await page(/find_tools[\s\S]*Called shop\/order[\s\S]*ordered:[\s\S]*blue/);
  expect(product.troubles).toEqual([]);
});
