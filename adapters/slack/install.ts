/**
 * The pages by which a workspace or an organisation installs the app, by Slack's own installer.
 *
 * P1. An answer of Slack's counts in the browser that asked for it, within ten minutes, once, and only in the life of the process that asked.
 * P2. Who is not listed installs nothing: the token that Slack gave out for them is given back, and the page says who can change that.
 * P3. A token that expires is replaced in time, by one request however many calls wait for it.
 */

import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "@slack/bolt";
import oauth, {
  type CallbackOptions,
  type CodedError,
  type Installation,
  InstallProvider,
  InvalidStateError,
  type StateStore,
} from "@slack/oauth";
import type { Log } from "../../src/core/ports.ts";
import type { Failure } from "../shared/failure.ts";
import { clients, options } from "./client.ts";
import { page, secure } from "./install-page.ts";
import { type Installations, idOf, type Kept, type Sealed } from "./installations.ts";
import { INSTALL, REDIRECT, scopes } from "./manifest.ts";
import { attempt, failure } from "./outcome.ts";
import type { Route } from "./routes.ts";

export interface Installing {
  clientId: string;
  clientSecret: string;
  stateSecret: string;
  /** Where the outside reaches this process. */
  publicUrl: string;
  /** Ids of workspaces and organisations. */
  allowed: "any" | readonly string[];
  sealed: Sealed;
}
export interface InstallOptions extends Installing {
  store: () => Installations;
  apiUrl: string | undefined;
  logger: Logger;
  log: Log;
  /** It is kept, and is to be served from now on. */
  installed(kept: Kept): Promise<void>;
}
export interface Install {
  routes: Route[];
  /** The token of an installation as it is now. */
  token(id: string): Promise<string>;
}

const STATE_FOR = 10 * 60;
/** Slack's installer replaces a token that has less than two hours left. */
const EARLY = 2 * 3600_000;
const AGAIN_AFTER = 60_000;

export const isAllowed = (allowed: Installing["allowed"], { isEnterpriseInstall: wide, enterprise, team }: Installation): boolean =>
  allowed === "any" || [enterprise?.id, wide ? undefined : team?.id].some((id) => id !== undefined && allowed.includes(id));

export function install(on: InstallOptions): Install {
  const { clientId, clientSecret, publicUrl, apiUrl, logger, store, log } = on;
  const provider = new InstallProvider({
    clientId,
    clientSecret,
    stateStore: oneUse(on.stateSecret),
    stateCookieExpirationSeconds: STATE_FOR,
    directInstall: true,
    installUrlOptions: { scopes: scopes(), redirectUri: `${publicUrl}${REDIRECT}` },
    ...(apiUrl === undefined ? {} : { authorizationUrl: new URL("/oauth/v2/authorize", apiUrl).href }),
    installationStore: {
      // What is new is kept before; this is told of tokens that were replaced as well.
      storeInstallation: async (installation) => {
        const kept = store().get(idOf(installation));
        if (kept) await store().keep({ ...kept, installation: withoutPerson(installation as Installation) });
      },
      fetchInstallation: async ({ isEnterpriseInstall: wide, enterpriseId, teamId }) => {
        const kept = store().get((wide ? enterpriseId : teamId) ?? "");
        if (!kept) throw new Error("It is not installed any more.");
        return kept.installation as Installation<"v1" | "v2", false>;
      },
    },
    logger,
    clientOptions: options(apiUrl, logger),
  });
  return { routes: routesOf(on, provider), token: tokens(provider, store, log) };
}

/** Signed by the library; what was used, or comes from an earlier life, is refused. */
function oneUse(secret: string): StateStore {
  // Node finds no name of its own for it in the package.
  const signed = new oauth.ClearStateStore(`${secret} ${randomBytes(32).toString("base64")}`, STATE_FOR);
  const used = new Map<string, number>();
  return {
    generateStateParam: (asked, now) => signed.generateStateParam(asked, now),
    async verifyStateParam(now, state) {
      const asked = await signed.verifyStateParam(now, state);
      for (const [old, at] of used) if (now.getTime() - at > STATE_FOR * 1000) used.delete(old);
      if (used.has(state)) throw new InvalidStateError("It was used before.");
      used.set(state, now.getTime());
      return asked;
    },
  };
}

function tokens(provider: InstallProvider, store: () => Installations, log: Log): Install["token"] {
  const under = new Map<string, Promise<void>>();
  const failedAt = new Map<string, number>();
  async function replace(id: string, { enterprise, isEnterpriseInstall: wide = false }: Installation): Promise<void> {
    const before = store().get(id)?.installation.bot?.expiresAt;
    const asked = { teamId: wide ? undefined : id, enterpriseId: enterprise?.id, isEnterpriseInstall: wide };
    const done = await provider.authorize(asked as Parameters<InstallProvider["authorize"]>[0]).catch(failure);
    if (store().get(id)?.installation.bot?.expiresAt !== before) return void failedAt.delete(id);
    failedAt.set(id, Date.now());
    log.warn({ adapter: "slack", team: id }, `A token that expires could not be replaced${"reason" in done ? `: ${done.reason}` : "."}`);
  }
  return async (id) => {
    const installation = store().get(id)?.installation;
    const expires = installation?.bot?.expiresAt;
    const due = expires !== undefined && expires * 1000 - Date.now() < EARLY && Date.now() - (failedAt.get(id) ?? 0) > AGAIN_AFTER;
    if (installation && due) {
      const one = under.get(id) ?? replace(id, installation).finally(() => under.delete(id));
      under.set(id, one);
      await one;
    }
    return store().get(id)?.installation.bot?.token ?? "";
  };
}

function routesOf(on: InstallOptions, provider: InstallProvider): Route[] {
  const begin = `${on.publicUrl}${INSTALL}`;
  const nobody = on.allowed !== "any" && !on.allowed.length;
  const failed = (response: ServerResponse) => (error: unknown) => {
    on.log.error({ adapter: "slack", err: error }, "A page of installing could not be made.");
    if (!response.headersSent) page(response, 500, "Something went wrong here. Please try it again.", begin);
  };
  const beforeRedirection = async (_request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    if (nobody)
      page(
        response,
        403,
        "Nobody may install Denizen yet: SLACK_ALLOWED_TEAMS lists no workspace. Whoever runs it adds yours, or * for any.",
      );
    return !nobody;
  };
  return [
    {
      path: INSTALL,
      method: "GET",
      handler: (request, response) => {
        secure(response);
        provider.handleInstallPath(request, response, { beforeRedirection }).catch(failed(response));
      },
    },
    {
      path: REDIRECT,
      method: "GET",
      handler: (request, response) => {
        secure(response);
        provider.handleCallback(request, response, callback(on, begin)).catch(failed(response));
      },
    },
  ];
}

function callback(on: InstallOptions, begin: string): CallbackOptions {
  return {
    async afterInstallation(installation, _asked, _request, response) {
      const { bot } = installation;
      const name = nameOf(installation);
      if (!bot) return done(response, 400, "Slack gave no bot's token, so nothing was installed. Begin again.", begin);
      const { look } = clients(async () => bot.token, on.apiUrl, on.logger);
      if (!isAllowed(on.allowed, installation)) {
        const given = await attempt(look.auth.revoke());
        on.log.warn(
          { adapter: "slack", team: idOf(installation), revoked: given.ok },
          "A workspace that is not listed in SLACK_ALLOWED_TEAMS was refused.",
        );
        return done(
          response,
          403,
          `${name} may not install Denizen here. Whoever runs it can add ${idOf(installation)} to SLACK_ALLOWED_TEAMS.`,
        );
      }
      const who = await attempt(look.auth.test());
      const teams = on.store().get(idOf(installation))?.teams ?? [];
      const kept: Kept = {
        id: idOf(installation),
        installation: withoutPerson(installation as Installation),
        url: (who.ok ? who.value.url : undefined) ?? "",
        teams: installation.isEnterpriseInstall ? teams : [idOf(installation)],
      };
      await on.store().keep(kept);
      await on.installed(kept);
      return true;
    },
    success: (installation, _asked, _request, response) => {
      const next = installation.isEnterpriseInstall
        ? "An administrator of the organisation adds it to workspaces now."
        : "Invite it to a channel with /invite @Denizen, and mention it there.";
      page(response, 200, `Denizen is installed in ${nameOf(installation)}. ${next}`, wideLink(installation));
    },
    failure: (error, _asked, _request, response) => page(response, 400, inWords(error), begin),
  };
}

/** Who pressed the button is nothing that is needed later. */
const withoutPerson = (installation: Installation): Installation => ({
  ...installation,
  user: { id: "", token: undefined, scopes: undefined },
});

function done(response: ServerResponse, status: number, text: string, link?: string): false {
  page(response, status, text, link);
  return false;
}

const nameOf = ({ team, enterprise, isEnterpriseInstall: wide }: Installation): string => {
  const one = wide ? enterprise : team;
  return one?.name ? `${one.name} (${one.id})` : (one?.id ?? "an unknown workspace");
};
const wideLink = ({ isEnterpriseInstall: wide, enterprise, appId }: Installation): string | undefined =>
  wide && enterprise && appId ? `https://app.slack.com/manage/${enterprise.id}/integrations/profile/${appId}/workspaces/add` : undefined;

function inWords(error: CodedError): string {
  if (error instanceof InvalidStateError || /state/i.test(error.code))
    return "This answer is not for this browser, was used before, or came too late, so nothing was installed. Begin again.";
  if (/cancel/i.test(error.message)) return "It was declined at Slack, so nothing was installed.";
  const { code }: Failure = failure(error);
  return `Slack did not complete it${code === "unknown" ? "" : ` (${code})`}, so nothing was installed. Begin again.`;
}
