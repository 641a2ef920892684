/** The whole product: a word in the chat, a link, a page that comes back to it, and a server whose tools are there. */
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Product } from "../help/product.ts";
import { mcpHttp } from "../rigs/mcp-http.ts";
import { signInRig } from "../rigs/sign-in.ts";

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(ending.splice(0).map((end) => end()));
});

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

test("`/tools connect` in the console gives a link for who asked, and the page it ends on connects the server, over a restart too", async () => {
  const rig = await mcpHttp({ token: "nobody has it" });
  const people = await signInRig(() => rig.url);
  rig.ways.metadata = people.metadata;
  people.ways.onToken = () => (rig.ways.token = people.token());
  const port = await freePort();
  const at = `http://127.0.0.1:${port}`;
  const product = new Product({ CONSOLE_PORT: String(port), PUBLIC_URL: at, ENCRYPTION_KEY: randomBytes(32).toString("base64") });
  ending.push(rig.stop, people.stop, () => product.end());
  product.write("console/tools.json", JSON.stringify({ mcpServers: { far: { url: rig.url, oauth: { issuer: people.origin } } } }));
  product.write("console/policy.json", "{}");
  await product.start();
  const said = async (text: string): Promise<string> => {
    const answer = await fetch(`${at}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-console": "1", origin: at },
      body: JSON.stringify({ as: "ann", thread: "", id: `m${randomBytes(8).toString("hex")}`, text }),
    });
    return answer.text();
  };
  expect(await said("/tools")).toContain("/tools connect far");
  const [, link = ""] = /\]\((\S+\/authorize\?[^)]+)\)/.exec(await said("/tools connect far")) ?? [];
  const page = await fetch(link);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("far is connected for the home console")]);
  expect(await said("/tools")).toContain("far/deploy");
  await product.restart();
  expect(await said("/tools")).toContain("far/deploy");
  const folder = join(product.root, "data", "mcp");
  expect(readdirSync(folder).map((file) => statSync(join(folder, file)).mode & 0o777)).toEqual([0o600]);
  expect(product.log.map((fact) => JSON.stringify(fact)).join()).not.toContain(people.token());
  expect(await said("/tools disconnect far")).toContain("is disconnected");
  expect(product.troubles).toEqual([]);
});
