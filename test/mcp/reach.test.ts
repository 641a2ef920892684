/** Which addresses are asked, and how much of an answer is taken. */
import type { LookupAddress } from "node:dns";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isPublic } from "../../src/mcp/address.ts";
import { openReach } from "../../src/mcp/reach.ts";
import { oneRefresh } from "../../src/mcp/refresh.ts";
import { eraseSignIns, openVault } from "../../src/mcp/vault.ts";
import { mcpHome } from "../rigs/mcp.ts";

describe("addresses", () => {
  it.each(["1.1.1.1", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])(
    "%s is public",
    (address) => expect(isPublic(address)).toBe(true),
  );
  it.each([
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "[::1]",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::ffff:0:1",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "2002:7f00:1::",
    "2001:0:1::",
    "2001:db8::1",
    "localhost",
    "",
  ])("%s is not", (address) => expect(isPublic(address)).toBe(false));

  it("an IPv4 address is judged alike however it is carried", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPublic(`::ffff:${address}`)).toBe(isPublic(address));
        expect(isPublic(new URL(`http://[64:ff9b::${address}]/`).hostname)).toBe(isPublic(address));
      }),
    );
  });
});

describe("a request", () => {
  const server = createServer((request, response) => {
    if (request.url === "/away") return void response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ host: request.headers.host }));
  });
  let port = 0;
  beforeEach(async () => {
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  /** Names lead where they are said to lead; the second time elsewhere. */
  const names = (...turns: string[][]) => {
    let turn = 0;
    const lookup = (_host: string, _options: unknown, done: (error: null, found: LookupAddress[]) => void) => {
      const found = turns[Math.min(turn++, turns.length - 1)] ?? [];
      done(
        null,
        found.map((address) => ({ address, family: 4 })),
      );
    };
    return lookup as unknown as NonNullable<Parameters<typeof openReach>[0]["lookup"]>;
  };
  const reach = (written: string[], lookup?: ReturnType<typeof names>) =>
    openReach({ written, patience: 5000, ...(lookup ? { lookup } : {}) });

  it("to a host that a person wrote is sent wherever that is", async () => {
    const { fetch, close } = reach([`http://tools.internal:${port}/mcp`], names(["127.0.0.1"]));
    expect((await fetch(`http://tools.internal:${port}/`)).status).toBe(200);
    await close();
  });

  it.each([[["127.0.0.1"]], [["1.1.1.1", "10.0.0.1"]]])("P7: to another name that leads to %j is not sent", async (found) => {
    const { fetch, close } = reach(["https://mcp.example/"], names(found));
    await expect(fetch(`http://evil.example:${port}/`)).rejects.toThrow(/nobody wrote into tools\.json/);
    await close();
  });

  it("P7: what was judged is what is connected to: a name that changes its mind gains nothing", async () => {
    const { fetch, close } = reach(["https://mcp.example/"], names(["192.0.2.1"], ["127.0.0.1"]));
    await expect(fetch(`http://evil.example:${port}/`)).rejects.toThrow(/192\.0\.2\.1/);
    await expect(fetch(`http://evil.example:${port}/`)).rejects.toThrow(/127\.0\.0\.1/);
    await close();
  });

  it.each(["http://127.0.0.1", "http://2130706433", "http://0x7f.1", "http://[::ffff:127.0.0.1]"])(
    "P7: to the address %s is not sent",
    async (to) => {
      const { fetch, close } = reach(["https://mcp.example/"]);
      await expect(fetch(`${to}:${port}/`)).rejects.toThrow(/nobody wrote into tools\.json/);
      await expect(fetch("file:///etc/passwd")).rejects.toThrow(/no address that can be asked/);
      await close();
    },
  );

  it("P7: a redirect is an answer, not a way", async () => {
    const { fetch, close } = reach([`http://127.0.0.1:${port}/`]);
    const answer = await fetch(`http://127.0.0.1:${port}/away`);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "http://169.254.169.254/"]);
    await close();
  });
});

it("a refresh that several ask for is one, a failed one may be tried again, and other requests are their own", async () => {
  let asked = 0;
  let status = 500;
  const fetch = oneRefresh()(async () => {
    asked++;
    return new Response(`{"n":${asked}}`, { status, headers: { "content-type": "application/json" } });
  });
  const refresh = async (token: string) => {
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: token });
    return (await fetch("http://x", { method: "POST", body })).text();
  };
  expect(await Promise.all([refresh("a"), refresh("a")])).toEqual(['{"n":1}', '{"n":1}']);
  status = 200;
  expect(await Promise.all([refresh("a"), refresh("a"), refresh("b")])).toEqual(['{"n":2}', '{"n":2}', '{"n":3}']);
  expect(await refresh("a")).toBe('{"n":2}');
  await fetch("http://x");
  expect(asked).toBe(4);
});

describe("what is sealed", () => {
  const key = Buffer.alloc(32, 1);
  it("is forgotten of one person alone, and it is said where the key is missing", async () => {
    const { directory, remove } = mcpHome();
    const vault = openVault(directory, key, () => undefined);
    for (const name of ["far", "far slack:U1", "near slack:U1", "far slack:U11"]) await vault.write("h", name, { url: "http://x" });
    expect((await eraseSignIns(directory, undefined, "h", "slack:U1"))[0]).toMatch(/without ENCRYPTION_KEY/);
    expect((await eraseSignIns(directory, key, "h", "slack:U1"))[0]).toMatch(/: 2 sign-ins/);
    expect(await eraseSignIns(directory, key, "h", "slack:U1")).toEqual([]);
    const pending = { state: "s", verifier: "v", link: "http://x", at: 1, name: "Ann" };
    await openVault(directory, key, () => undefined).write("h", "far", { url: "http://x", pending });
    await eraseSignIns(directory, key, "h", "slack:U1");
    expect(await openVault(directory, key, () => undefined).read("h", "far")).toEqual({ url: "http://x" });
    expect(await eraseSignIns(directory, key, "other", "slack:U1")).toEqual([]);
    const again = openVault(directory, key, () => undefined);
    const left = await Promise.all(["far", "far slack:U1", "near slack:U1", "far slack:U11"].map((name) => again.read("h", name)));
    expect(left.map((kept) => kept !== undefined)).toEqual([true, false, false, true]);
    remove();
  });

  it("keeps everything that was written side by side", async () => {
    const { directory, remove } = mcpHome();
    const vault = openVault(directory, key, () => undefined);
    await Promise.all(Array.from({ length: 20 }, (_, n) => vault.write("h", `s${n}`, { url: `http://${n}` })));
    await vault.write("h", "s3", undefined);
    const again = openVault(directory, key, () => undefined);
    expect(await Promise.all([0, 3, 19].map(async (n) => (await again.read("h", `s${n}`))?.url))).toEqual([
      "http://0",
      undefined,
      "http://19",
    ]);
    remove();
  });
});
