/**
 * Which installation something from Slack is for. Pure.
 *
 * R1. It is the receiving one, as Slack names it; never that of who wrote or pressed, who may belong to somebody else.
 */
export interface Whose {
  /** Workspaces it may be for, the likeliest first. */
  teams: string[];
  /** The organisation, where it is one that installed the app. */
  wide: string | undefined;
}

interface Id {
  id?: string | null;
  enterprise_id?: string | null;
}
interface Body {
  event?: unknown;
  command?: string;
  authorizations?: { team_id?: string | null; enterprise_id?: string | null; is_enterprise_install?: boolean }[];
  team_id?: string | null;
  enterprise_id?: string | null;
  is_enterprise_install?: boolean | string;
  team?: Id | null;
  enterprise?: Id | null;
  message?: { team?: string };
  view?: { app_installed_team_id?: string; team_id?: string };
  user?: { team_id?: string };
  type?: string;
}

const isTeam = (id: string | null | undefined): id is string => typeof id === "string" && id.startsWith("T");
const isOrganisation = (id: string | null | undefined): id is string => typeof id === "string" && id.startsWith("E");

export function whose(given: Record<string, unknown>): Whose {
  const body = given as Body;
  const [receiving] = body.authorizations ?? [];
  const wide = receiving?.is_enterprise_install ?? (body.is_enterprise_install === true || body.is_enterprise_install === "true");
  const organisations = [receiving?.enterprise_id, body.enterprise?.id, body.team?.enterprise_id, body.enterprise_id, body.team_id];
  return { teams: [...new Set(teamsOf(body).filter(isTeam))], wide: wide ? organisations.find(isOrganisation) : undefined };
}

function teamsOf({ event, command, authorizations, type, ...body }: Body): (string | null | undefined)[] {
  if (event !== undefined) return [authorizations?.[0]?.team_id ?? body.team_id];
  if (command !== undefined) return [body.team_id];
  const installed = body.view?.app_installed_team_id;
  // A form sent in a channel shared with others names the workspace it was sent in; a button, that of the app.
  const near = type === "block_actions" ? [body.team?.id, body.message?.team, installed] : [installed, body.team?.id];
  return [...near, body.view?.team_id, body.user?.team_id];
}
