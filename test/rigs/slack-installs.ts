/**
 * Installing the app by OAuth: what a person does at Slack's page, what Slack gives out for it, and the tokens that stand for workspaces.
 *
 * I1. A code is taken once, for the address it was given for. A refresh token too.
 * I2. A token of an organisation speaks for the workspace that a call names; calls that have to name one are refused without.
 */
import { randomUUID } from "node:crypto";
import type { SlackRig } from "./slack.ts";
import { type Line, SlackPerson } from "./slack-people.ts";
import { type Fields, Space, type SpaceOptions, text } from "./slack-space.ts";
import type { Delivery, Kind } from "./slack-wire.ts";

export const CLIENT = { id: "11.22", secret: "a-client-secret" };
/** What has to name a workspace if the token is an organisation's. */
const NAMED = new Set(["users.conversations", "usergroups.list", "users.list", "conversations.list"]);

interface Installed {
  spaces: Space[];
  organisation: string | undefined;
  refresh: string;
  /** Seconds that the first token lives, others half a day; undefined: for ever. */
  lives: number | undefined;
}

/** One more workspace. */
export class SlackTeam implements Line {
  readonly #rig: SlackRig;
  readonly space: Space;
  constructor(rig: SlackRig, facts: SpaceOptions) {
    this.#rig = rig;
    this.space = new Space(facts);
  }
  get url(): string {
    return this.#rig.url;
  }
  as(person: string): SlackPerson {
    return new SlackPerson(this, person);
  }
  event(event: Fields, more: { shared?: boolean } = {}): Promise<Delivery> {
    return this.#rig.event(event, more, this.space);
  }
  deliver(kind: Kind, body: Fields): Promise<Delivery> {
    return this.#rig.deliver(kind, body);
  }
}

export class Installs {
  readonly spaces: Space[] = [];
  readonly #rig: SlackRig;
  readonly #codes = new Map<string, { installed: Installed; redirect: string }>();
  readonly #tokens = new Map<string, Installed>();
  readonly #refreshes = new Map<string, Installed>();
  readonly #over = new Map<string, string>();
  #count = 0;

  constructor(rig: SlackRig) {
    this.#rig = rig;
  }

  team(facts: SpaceOptions): SlackTeam {
    const team = new SlackTeam(this.#rig, facts);
    this.spaces.push(team.space);
    return team;
  }
  /** Somebody allows it on Slack's page, which a browser was sent to: the address it is sent back to. */
  allow(page: string, spaces: Space[], more: { organisation?: string; lives?: number } = {}): string {
    const asked = new URL(page).searchParams;
    const redirect = asked.get("redirect_uri") ?? "";
    const code = randomUUID();
    this.#codes.set(code, { installed: { spaces, organisation: more.organisation, refresh: "", lives: more.lives }, redirect });
    return `${redirect}?${new URLSearchParams({ code, state: asked.get("state") ?? "" })}`;
  }
  /** The tokens that are good for a workspace now. */
  tokensOf(space: Space): string[] {
    return [...this.#tokens].filter(([token, { spaces }]) => spaces.includes(space) && !this.#over.has(token)).map(([token]) => token);
  }
  revoke(token: string, code = "token_revoked"): void {
    this.#over.set(token, code);
  }
  restore(token: string): void {
    this.#over.delete(token);
  }
  refusal(token: string): string | undefined {
    return this.#over.get(token);
  }
  space(token: string, args: Fields): Space | undefined {
    const found = this.#tokens.get(token);
    if (!found?.organisation) return found?.spaces[0];
    const named = text(args.team_id);
    return named ? found.spaces.find(({ facts }) => facts.team === named) : found.spaces[0];
  }
  /** What an organisation's token reaches. */
  reach(token: string): Fields[] {
    return (this.#tokens.get(token)?.spaces ?? []).map(({ facts }) => ({ id: facts.team, name: `Team ${facts.team}` }));
  }
  /** The organisation takes a workspace from the app. */
  takeBack(space: Space): void {
    for (const installed of this.#tokens.values()) installed.spaces = installed.spaces.filter((one) => one !== space);
  }
  /** Whether a call with this token lacks the workspace it is for. */
  lacks(method: string, token: string, args: Fields): boolean {
    return this.#tokens.get(token)?.organisation !== undefined && NAMED.has(method) && !text(args.team_id);
  }

  access(args: Fields): Fields {
    if (args.client_id !== CLIENT.id || args.client_secret !== CLIENT.secret) return { ok: false, error: "bad_client_secret" };
    if (args.grant_type === "refresh_token") return this.#replaced(text(args.refresh_token));
    const given = this.#codes.get(text(args.code));
    if (!given) return { ok: false, error: "invalid_code" };
    this.#codes.delete(text(args.code));
    if (given.redirect !== args.redirect_uri) return { ok: false, error: "bad_redirect_uri" };
    const { spaces, organisation } = given.installed;
    const [space] = spaces;
    return {
      ok: true,
      ...this.#issue(given.installed),
      token_type: "bot",
      scope: "chat:write",
      bot_user_id: space?.facts.botUser,
      app_id: space?.facts.app,
      team: organisation === undefined ? { id: space?.facts.team, name: `Team ${space?.facts.team}` } : null,
      enterprise: organisation === undefined ? null : { id: organisation, name: "Org" },
      is_enterprise_install: organisation !== undefined,
      authed_user: { id: "U4OLA" },
    };
  }
  #replaced(refresh: string): Fields {
    const found = this.#refreshes.get(refresh);
    if (!found) return { ok: false, error: "invalid_refresh_token" };
    this.#refreshes.delete(refresh);
    for (const [token, one] of this.#tokens) if (one === found) this.revoke(token, "token_expired");
    found.lives = 12 * 3600;
    return { ok: true, ...this.#issue(found), token_type: "bot", scope: "chat:write" };
  }
  #issue(installed: Installed): Fields {
    const n = ++this.#count;
    const token = `xoxb-${n}-of-${installed.organisation ?? installed.spaces[0]?.facts.team}`;
    this.#tokens.set(token, installed);
    if (installed.lives === undefined) return { access_token: token };
    const refresh = `xoxe-1-refresh-${n}`;
    this.#refreshes.set(refresh, installed);
    return { access_token: token, refresh_token: refresh, expires_in: installed.lives };
  }
}
