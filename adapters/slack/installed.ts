/**
 * All workspaces that installed the app, each served with its own token, in its own home.
 *
 * I1. An installation goes when Slack itself no longer takes its token: asked, not believed, since what tells of it may come late. What was
 *     said there rests; installing anew goes on with it.
 * I2. One workspace that cannot be served takes no other with it.
 * I3. Who is no longer listed is no longer served; the installation stays for when they are.
 * I4. A workspace that an organisation took from the app is served no more, by what Slack lists when it is asked; given back, it is served
 *     from the first word on.
 */
import type { Inbox } from "../../src/core/ports.ts";
import { isTakenBack, reached } from "./access.ts";
import { clients, logger } from "./client.ts";
import type { ReceiverEvent } from "./held.ts";
import { type Installing, install, isAllowed } from "./install.ts";
import { type Installations, isWide, type Kept, openInstallations } from "./installations.ts";
import { INSTALL } from "./manifest.ts";
import { attempt, revoked } from "./outcome.ts";
import { folderOf, openTeam, type Team } from "./team.ts";
import type { Common, Resting, Teams } from "./teams.ts";
import { whose } from "./whose.ts";

interface Served {
  team: Team;
  /** The installation's id. */
  by: string;
}
const TRY_AGAIN = 10 * 60_000;
const SOON = 1000;
/** After that long a refused token is tried again, so that nobody has to speak for it to be found well. */
const LOOK_AGAIN = 60_000;
/** Slack says so of a token that will never be taken again. */
const OVER = new Set(["token_revoked", "account_inactive"]);

export function installedTeams({ install: installing, ...common }: Common & { install: Installing }): Teams {
  const all = new Installed(installing, common);
  return {
    open: (inbox) => all.open(inbox),
    process: (event) => all.process(event),
    of: (team) => all.of(team),
    all: () => all.served().map(({ team }) => team),
    routes: all.routes,
    health: () => all.health(),
    stop: () => all.stop(),
    close: () => all.each((team) => team.close()),
  };
}

async function close(team: Team): Promise<void> {
  await team.stop();
  await team.close();
}

const served = ({ team: { process } }: Served, event: ReceiverEvent): Promise<void> => process(event);

class Installed {
  readonly #installing: Installing;
  readonly #common: Common;
  readonly #install: ReturnType<typeof install>;
  readonly #served = new Map<string, Served>();
  /** What changes who is served comes one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  readonly #refused = new Map<string, string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #strange = new Set<string>();
  #store: Installations | undefined;
  #inbox: Inbox | undefined;

  constructor(installing: Installing, common: Common) {
    this.#installing = installing;
    this.#common = common;
    this.#install = install({
      ...installing,
      apiUrl: common.apiUrl,
      logger: logger(common.log, common.scrub),
      log: common.log,
      store: () => this.#known(),
      installed: (kept) => this.#inTurn(() => this.#installed(kept)),
    });
  }
  get routes() {
    return this.#install.routes;
  }
  served(): Served[] {
    return [...this.#served.values()];
  }
  async each(work: (team: Team) => Promise<void>): Promise<void> {
    await Promise.all(this.served().map(({ team }) => work(team)));
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.each((team) => team.stop());
  }

  async open(inbox: Inbox): Promise<void> {
    this.#inbox = inbox;
    // Those that were opened for a start that failed.
    await this.each(close);
    this.#served.clear();
    this.#store = await openInstallations(this.#installing.sealed);
    const { log } = this.#common;
    if (this.#store.unreadable().length) log.error({ adapter: "slack" }, this.#unreadable(this.#store));
    if (!this.#store.all().length)
      log.info({ adapter: "slack" }, `No workspace has installed the app yet. It is installed at ${this.#link}.`);
    const listed = this.#store.all().filter((kept) => this.#isAllowed(kept));
    await Promise.all(listed.map((kept) => this.#check(kept)));
    for (const kept of this.#store.all()) await this.#inTurn(() => this.#serveAll(kept));
  }

  async process(event: ReceiverEvent): Promise<void> {
    if (isTakenBack(event.body)) {
      for (const kept of this.#known().all()) if (isWide(kept)) await this.#checkAnew(kept.id);
      return event.ack();
    }
    const { teams, wide } = whose(event.body as Record<string, unknown>);
    const found = teams.flatMap((id) => this.#served.get(id) ?? [])[0] ?? (await this.#begun(teams, wide));
    if (found) return served(found, event);
    const who = teams[0] ?? wide ?? "unknown";
    if (!this.#strange.has(who))
      this.#common.log.warn({ adapter: "slack", team: who }, "Something came from a workspace that is not served.");
    this.#strange.add(who);
    const words = {
      response_type: "ephemeral" as const,
      text: `Denizen is not installed in this workspace. It is installed at ${this.#link}`,
    };
    return "command" in event.body ? event.ack(words) : event.ack();
  }
  /** An organisation's workspaces are served from the first word on; what is of the organisation as a whole, any of them takes. */
  #begun(teams: readonly string[], wide: string | undefined): Promise<Served | undefined> {
    return this.#inTurn(async () => {
      const kept = [...teams, wide].flatMap((id) => (id === undefined ? [] : (this.#known().get(id) ?? [])))[0];
      if (!kept || !this.#isAllowed(kept)) return undefined;
      const [team] = isWide(kept) ? teams : [kept.id];
      if (team === undefined) return this.served().find(({ by }) => by === kept.id) ?? void (await this.#check(kept));
      if (!kept.teams.includes(team)) await this.#known().keep({ ...kept, teams: [...kept.teams, team] });
      return this.#serve(kept, team);
    });
  }

  of(team: string): Team | Resting {
    const store = this.#known();
    const found = this.#served.get(team)?.team;
    if (found) return found;
    const kept = store.get(team) ?? store.all().find(({ teams }) => teams.includes(team));
    // Between two lives of one: it was just installed anew.
    if (kept && this.#isAllowed(kept)) return { retryIn: SOON, reason: `The workspace ${team} is about to be served.` };
    if (kept) return { retryIn: TRY_AGAIN, reason: `The workspace ${team} is not listed in SLACK_ALLOWED_TEAMS, so it is not served.` };
    if (store.unreadable().length) return { retryIn: TRY_AGAIN, reason: this.#unreadable(store) };
    return { retryIn: null, reason: `Denizen is not installed in the workspace ${team} any more. It is installed at ${this.#link}` };
  }

  health(): { ok: boolean; detail?: string } {
    const store = this.#store;
    const wrong = [...this.#refused].map(([id, code]) => `Slack refuses the token of ${id} (${code}): install it anew at ${this.#link}`);
    if (store?.unreadable().length) wrong.push(this.#unreadable(store));
    if (wrong.length) return { ok: false, detail: wrong.join(" ") };
    const many = this.#served.size;
    return {
      ok: true,
      detail: many ? `${many} ${many === 1 ? "workspace" : "workspaces"}` : `no workspace yet: install it at ${this.#link}`,
    };
  }

  get #link(): string {
    return `${this.#installing.publicUrl}${INSTALL}`;
  }
  #unreadable(store: Installations): string {
    const ids = store.unreadable().join(", ");
    return `The installations of ${ids} cannot be read with this ENCRYPTION_KEY. Set the one they were made with, or install them anew at ${this.#link} (they lie in ${this.#installing.sealed.folder}).`;
  }
  #known(): Installations {
    if (!this.#store) throw new Error("Slack was used before it was started.");
    return this.#store;
  }
  #isAllowed(kept: Kept): boolean {
    return isAllowed(this.#installing.allowed, kept.installation);
  }
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(work);
    this.#changing = done.catch(() => undefined);
    return done;
  }

  async #installed(kept: Kept): Promise<void> {
    this.#refused.delete(kept.id);
    await this.#rest(kept.id);
    this.#common.log.info({ adapter: "slack", team: kept.id }, "The app was installed.");
    await this.#serveAll(kept);
  }
  async #serveAll(kept: Kept): Promise<void> {
    if (!this.#isAllowed(kept)) {
      this.#common.log.warn({ adapter: "slack", team: kept.id }, "An installation rests: SLACK_ALLOWED_TEAMS does not list it.");
      return;
    }
    for (const team of kept.teams) if (!isWide(kept) || !this.#known().get(team)) await this.#serve(kept, team);
  }
  async #serve(kept: Kept, id: string): Promise<Served | undefined> {
    const { bot, enterprise } = kept.installation;
    const before = this.#served.get(id);
    if (before?.by === kept.id || !bot || !this.#inbox) return before;
    if (before) await close(before.team);
    const { apiUrl, folder, log, scrub } = this.#common;
    const token = () => this.#install.token(kept.id);
    const team = await openTeam({
      inbox: this.#inbox,
      self: { team: id, bot: bot.userId, botId: bot.id, ...(enterprise ? { enterprise: enterprise.id } : {}) },
      url: kept.url,
      calls: clients(token, apiUrl, logger(log, scrub), isWide(kept) ? id : undefined),
      token,
      apiUrl,
      folder: folderOf(folder, id),
      log,
      scrub,
      refused: (code) => this.#told(kept.id, code),
      ended: () => this.#checkAnew(kept.id),
    });
    const served = { team, by: kept.id };
    this.#served.set(id, served);
    this.#strange.delete(id);
    return served;
  }
  async #follow(id: string, listed: ReadonlySet<string> | undefined): Promise<void> {
    const kept = this.#known().get(id);
    const teams = kept?.teams.filter((team) => listed?.has(team) !== false);
    if (!kept || !teams || teams.length === kept.teams.length) return;
    await this.#known().keep({ ...kept, teams });
    await this.#rest(id, (team) => !teams.includes(team));
    this.#common.log.warn({ adapter: "slack", team: id }, "The organisation took a workspace from the app. What was said there rests.");
  }
  async #rest(by: string, which: (team: string) => boolean = () => true): Promise<void> {
    for (const [id, served] of this.#served) {
      if (served.by !== by || !which(id)) continue;
      this.#served.delete(id);
      await close(served.team);
    }
  }

  #told(id: string, code: string | undefined): void {
    if (code === undefined) return void this.#refused.delete(id);
    const first = !this.#refused.has(id);
    this.#refused.set(id, code);
    if (first) this.#checkSoon(id, 0);
  }
  #checkSoon(id: string, wait: number): void {
    clearTimeout(this.#timers.get(id));
    const check = () =>
      void this.#checkAnew(id).catch((error: unknown) =>
        this.#common.log.error({ adapter: "slack", err: error }, "An installation could not be looked at."),
      );
    this.#timers.set(id, setTimeout(check, wait).unref());
  }
  async #checkAnew(id: string): Promise<void> {
    await this.#inTurn(async () => {
      const kept = this.#known().get(id);
      if (kept) await this.#check(kept);
    });
  }
  async #check(kept: Kept): Promise<void> {
    const { apiUrl, log, scrub } = this.#common;
    const { look } = clients(() => this.#install.token(kept.id), apiUrl, logger(log, scrub));
    const outcome = await attempt(look.auth.test());
    if (outcome.ok) {
      this.#refused.delete(kept.id);
      const now = this.#known().get(kept.id);
      if (now && !now.url && outcome.value.url) await this.#known().keep({ ...now, url: outcome.value.url });
      if (isWide(kept)) await this.#follow(kept.id, await reached(look));
    } else if (OVER.has(outcome.code)) {
      await this.#known().drop(kept.id);
      this.#refused.delete(kept.id);
      await this.#rest(kept.id);
      // What was a workspace's own may be its organisation's now.
      for (const other of this.#known().all()) if (isWide(other)) await this.#serveAll(other);
      const words = "The app was uninstalled there, so its installation is gone. What was said there rests until it is installed anew.";
      log.warn({ adapter: "slack", team: kept.id, code: outcome.code }, words);
    } else if (revoked(outcome.code)) this.#refused.set(kept.id, outcome.code);
    else log.warn({ adapter: "slack", team: kept.id, code: outcome.code }, `An installation could not be looked at: ${outcome.reason}`);
    if (this.#refused.has(kept.id)) this.#checkSoon(kept.id, LOOK_AGAIN);
  }
}
