/**
 * The workspaces that are served: one, whose token is in the configuration, or all that installed the app.
 *
 * T1. What is for a workspace that is not served is refused for certain, and never tried elsewhere.
 */
import { type Inbox, type Log, UserError } from "../../src/core/ports.ts";
import type { Failure } from "../shared/failure.ts";
import type { Scrub } from "../shared/scrubbed.ts";
import { clients, logger } from "./client.ts";
import type { Process } from "./held.ts";
import { attempt, revoked } from "./outcome.ts";
import type { Route } from "./routes.ts";
import { openTeam, type Team } from "./team.ts";

/** Why a workspace is not served. `retryIn`: it may be again; null: not before somebody installs the app there. */
export interface Resting {
  retryIn: number | null;
  reason: string;
}
export interface Teams {
  open(inbox: Inbox): Promise<void>;
  readonly process: Process;
  of(team: string): Team | Resting;
  all(): Team[];
  /** Beside those for events. */
  readonly routes: Route[];
  health(): { ok: boolean; detail?: string };
  /** Takes nothing more; `close` when what was under way is done. */
  stop(): Promise<void>;
  close(): Promise<void>;
}
export interface Common {
  apiUrl?: string;
  folder: string;
  log: Log;
  scrub: Scrub;
}

export const isServed = (team: Team | Resting): team is Team => "process" in team;

export function oneTeam({ botToken, apiUrl, folder, log, scrub }: Common & { botToken: string }): Teams {
  const token = async () => botToken;
  const calls = clients(token, apiUrl, logger(log, scrub));
  let team: Team | undefined;
  let refusal: string | undefined;
  const refused = (code: string | undefined): void => {
    refusal = code;
  };
  const served = (): Team => {
    if (!team) throw new Error("Slack was used before it was started.");
    return team;
  };
  return {
    async open(inbox) {
      // One that was opened for a start that failed.
      await team?.stop();
      await team?.close();
      const outcome = await attempt(calls.look.auth.test());
      if (!outcome.ok) throw unusable("SLACK_BOT_TOKEN", "the Bot User OAuth Token (xoxb-…)", outcome);
      const { team_id: id = "", user_id: bot = "", bot_id: botId, url = "" } = outcome.value;
      const self = { team: id, bot, botId };
      const ended = async () => {
        log.warn({ adapter: "slack" }, "Slack says that the app was uninstalled. Install it anew and set SLACK_BOT_TOKEN.");
        refused("token_revoked");
      };
      team = await openTeam({ inbox, self, url, calls, token, apiUrl, folder, log, scrub, refused, ended });
    },
    process: (event) => served().process(event),
    of: (id) =>
      served().self.team === id
        ? served()
        : { retryIn: null, reason: `The bot's token is not for the workspace ${id}, so nothing is said there.` },
    all: () => (team ? [team] : []),
    routes: [],
    health: () => (refusal === undefined ? { ok: true } : { ok: false, detail: `Slack refuses the bot's token (${refusal})` }),
    stop: async () => team?.stop(),
    close: async () => team?.close(),
  };
}

export function unusable(name: string, token: string, { code, reason }: Failure): UserError {
  const advice =
    revoked(code) || /token|scope/.test(code)
      ? `Copy ${token} of the app from api.slack.com/apps once more.`
      : "Check the network and SLACK_API_URL.";
  return new UserError(`${name}: ${reason} ${advice}`);
}
