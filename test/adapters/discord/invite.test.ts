import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { inviteLink } from "../../../adapters/discord/invite.ts";
import { town } from "./connected.ts";

const SCRIPT = fileURLToPath(new URL("../../../src/scripts/discord-invite.ts", import.meta.url));
const run = (env: Record<string, string>) =>
  promisify(execFile)(process.execPath, ["--import", "tsx", SCRIPT], { env: { PATH: process.env.PATH ?? "", ...env } });

it("the invite asks for the rights that are used and no others", () => {
  const link = new URL(inviteLink("42"));
  expect(Object.fromEntries(link.searchParams)).toEqual({
    client_id: "42",
    scope: "bot applications.commands",
    permissions: String((1n << 6n) | (1n << 10n) | (1n << 11n) | (1n << 14n) | (1n << 15n) | (1n << 16n) | (1n << 35n) | (1n << 38n)),
  });
});

it("the command prints it, or says what is missing", async () => {
  const { rig } = town();
  await rig.start();
  const { stdout } = await run({ DISCORD_TOKEN: rig.token, DISCORD_API_URL: rig.apiUrl });
  expect(stdout).toContain(inviteLink(rig.world.bot.id));
  await expect(run({ DISCORD_TOKEN: "a.wrong.one", DISCORD_API_URL: rig.apiUrl })).rejects.toThrow(
    /DISCORD_TOKEN: Discord refuses the token/,
  );
  await expect(run({})).rejects.toThrow(/DISCORD_TOKEN is not set/);
  await rig.stop();
}, 20_000);
