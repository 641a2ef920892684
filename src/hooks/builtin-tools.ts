/** Offers the tools every session has, over the tree that this session may see; made anew only when a home is frozen or thawed. */
import { hasHistory, history } from "../core/conversation.ts";
import type { Files, Hook, ToolContext } from "../core/ports.ts";
import { visibleScopes } from "../core/scope.ts";
import { mounts, sandboxMounts } from "../files/mounts.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { execute } from "../tools/execute.ts";
import { builtinTools, type ToolDeps } from "../tools/index.ts";
import { FILE_NOTES } from "../tools/notes.ts";
import { proposeServer, type ServerProposals } from "../tools/propose-server.ts";
import { type ReactDeps, react } from "../tools/react.ts";
import type { OpenHomes } from "../workspace/homes.ts";
import type { Policy } from "../workspace/policy.ts";
import { restrictions, rule } from "../workspace/tool-rule.ts";

export interface BuiltinOptions {
  homes: Pick<OpenHomes, "home" | "room">;
  memory: Omit<ToolDeps, "filesFor" | "asideFor" | "scrub">;
  /** Where files are set aside that are to be posted. */
  aside(context: ToolContext): Files;
  /** Masks secrets in them. */
  scrub(text: string): string;
  /** Puts a sign on a message, where its platform has such. */
  reactions: ReactDeps;
  sandbox: Sandbox | undefined;
  sharedSkillsDir: string;
  /** What is needed to propose servers; absent: none can be proposed. */
  proposals?: ServerProposals;
  /** Watches over what a call changes in its tree. */
  keep?(files: Files, context: ToolContext): Files;
}

export function builtins({ homes, memory, aside, scrub, reactions, sandbox, sharedSkillsDir, proposals, keep }: BuiltinOptions): Hook {
  const signs = react(reactions);
  const tree = (home: string, frozen: string | undefined) => (context: ToolContext) => {
    const files = mounts({
      homeDir: homes.home(home).dir,
      sharedSkillsDir,
      session: context.session,
      scope: context.scope,
      seesTeam: seesTeam(context),
      ...(frozen ? { frozen } : {}),
      ...(hasHistory(context.state) ? { history: () => history(context.state) } : {}),
    });
    return keep?.(files, context) ?? files;
  };
  const shell = async ({ home, session, ...context }: ToolContext) => {
    const { policy, broken } = await homes.home(home).policy();
    const filesWritable = context.scope === "team" && !broken && mayWrite(policy);
    const { dir: homeDir } = homes.home(home);
    return sandboxMounts({ homeDir, sharedSkillsDir, session, scope: context.scope, filesWritable, seesTeam: seesTeam(context) });
  };
  const made = new Map<string, ReturnType<typeof builtinTools>>();
  return {
    name: "builtin-tools",
    async preReasoning({ home, state }) {
      const { broken } = await homes.home(home).policy();
      const key = `${home}\n${broken?.what ?? ""}`;
      const tools = made.get(key) ?? [
        ...builtinTools({ ...memory, filesFor: tree(home, broken?.what), asideFor: aside, scrub }),
        ...(sandbox ? [execute({ sandbox, mountsFor: shell, full: ({ home: at }, paths) => homes.room(at).full(paths) })] : []),
        ...(proposals ? [proposeServer(tree(home, broken?.what), proposals)] : []),
      ];
      made.set(key, tools);
      // A helper talks with nobody.
      return { tools: state.opened?.parent ? tools : [...tools, signs], system: [{ rank: "tools", text: FILE_NOTES }] };
    },
  };
}

const seesTeam = ({ scope, by }: Pick<ToolContext, "scope" | "by">): boolean => visibleScopes(scope, by).includes("team");

/** A command may write to the team's files only where no rule asks about such changes or keeps them to some: it would go round it. */
function mayWrite(policy: Policy): boolean {
  const held = (tool: string) => (rule(policy, tool) ?? false) !== false || restrictions(policy, tool).length > 0;
  return policy.protected.length === 0 && !["write_file", "edit_file", "delete"].some(held);
}
