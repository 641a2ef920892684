/** An adapter for workspaces that install the app, a rig with two of them, and a browser that installs. */
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { INSTALLATIONS } from "../../../adapters/slack/installations.ts";
import { slack } from "../../../adapters/slack/slack.ts";
import type { Adapter } from "../../../src/core/ports.ts";
import { sealedIn } from "../../../src/sealed.ts";
import { FakeInbox } from "../../help/fake-inbox.ts";
import { SlackRig } from "../../rigs/slack.ts";
import { CLIENT, type SlackTeam } from "../../rigs/slack-installs.ts";
import { type Space, type SpaceOptions, someSpace } from "../../rigs/slack-space.ts";

export const freePort = () =>
  new Promise<number>((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });

/** A workspace with the same people and places under other ids. */
export const another = (team: string, more: Partial<SpaceOptions> = {}): SpaceOptions => {
  const { channels, ...facts } = someSpace();
  return {
    ...facts,
    team,
    botUser: `UBOT${team}`,
    botId: `B${team}`,
    people: [...facts.people, { id: `UBOT${team}`, name: "denizen", bot: true }],
    channels: channels.map((channel) => ({ ...channel, id: `${channel.id}${team}`, members: [...channel.members, `UBOT${team}`] })),
    ...more,
  };
};

export interface Installation {
  rig: SlackRig;
  one: SlackTeam;
  two: SlackTeam;
  inbox: FakeInbox;
  adapter: Adapter;
  folder: string;
  url: string;
  log: string[];
  key: Buffer;
  allowed: "any" | string[];
  /** A browser's way through it: what the last page says. */
  install(spaces: Space[], more?: { organisation?: string; lives?: number }): Promise<Page>;
  get(path: string, cookie?: string): Promise<Page & { location: string; cookie: string }>;
  /** Stops, and starts anew on the same folder. */
  again(meanwhile?: () => unknown): Promise<void>;
  close(): Promise<void>;
}
interface Page {
  status: number;
  text: string;
}

export async function installation({ http = false, allowed = ["T1", "T2"] as "any" | string[] } = {}): Promise<Installation> {
  const rig = await new SlackRig({ repeatAfter: [20, 50] }).start();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log: string[] = [];
  const write = (facts: object, sentence: string) => void log.push(`${sentence} ${JSON.stringify(facts)}`);
  const folder = mkdtempSync(join(tmpdir(), "slack-"));
  const make = () =>
    slack({
      install: {
        clientId: CLIENT.id,
        clientSecret: CLIENT.secret,
        stateSecret: "a-state-secret",
        publicUrl: url,
        allowed: made.allowed,
        sealed: sealedIn(folder, made.key, INSTALLATIONS),
      },
      ...(http ? { signingSecret: rig.signingSecret } : { appToken: rig.appToken }),
      port,
      apiUrl: rig.apiUrl,
      folder,
      log: { debug: write, info: write, warn: write, error: write },
      scrub: (text) => text,
    });
  const get: Installation["get"] = async (path, cookie) => {
    const headers = cookie === undefined ? {} : { cookie };
    const response = await fetch(new URL(path, url), { redirect: "manual", headers });
    const set = response.headers.get("set-cookie")?.split(";")[0] ?? "";
    return { status: response.status, text: await response.text(), location: response.headers.get("location") ?? "", cookie: set };
  };
  const made: Installation = {
    rig,
    one: rig.installs.team(another("T1")),
    two: rig.installs.team(another("T2")),
    inbox: new FakeInbox(),
    adapter: undefined as unknown as Adapter,
    folder,
    url,
    log,
    key: Buffer.alloc(32, 7),
    allowed,
    get,
    async install(spaces, more) {
      const begun = await get("/slack/install");
      return get(rig.installs.allow(begun.location, spaces, more), begun.cookie);
    },
    async again(meanwhile) {
      await made.adapter.stop();
      await meanwhile?.();
      made.adapter = make();
      await made.adapter.start(made.inbox);
    },
    async close() {
      await made.adapter.stop();
      await rig.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  made.adapter = make();
  if (http) rig.target = `${url}/slack/events`;
  await made.adapter.start(made.inbox);
  return made;
}
