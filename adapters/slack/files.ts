/**
 * Files that came with messages, fetched from Slack.
 *
 * F1. The bot's token goes to Slack's own hosts only, or to the one that stands for its API; nowhere else, wherever Slack sends us.
 * F2. A page that asks to sign in is not taken for the file.
 * F3. A file that is kept somewhere else is not had: its link is whoever's.
 */
import type { webApi } from "@slack/bolt";
import type { Fetched } from "../../src/core/ports.ts";
import { type Downloaded, download } from "../shared/download.ts";
import { attempt } from "./outcome.ts";

export interface FilesOptions {
  look: webApi.WebClient;
  token: string;
  apiUrl: string | undefined;
}
type Info = NonNullable<webApi.FilesInfoResponse["file"]>;

const HOSTS = /^(?:[\w-]+\.)*slack(?:-gov)?\.com$/;
/** Without the token. */
const OTHERS = /^(?:[\w-]+\.)*slack-(?:edge|files|imgs)\.com$/;
const GONE = new Set(["tombstone", "hidden_by_limit"]);
const no = (why: string): Fetched => ({ ok: false, retryIn: null, why });

export async function fetchFile({ look, token, apiUrl }: FilesOptions, id: string, most: number, signal: AbortSignal): Promise<Fetched> {
  const asked = await attempt(look.files.info({ file: id }));
  if (!asked.ok) return { ok: false, retryIn: asked.retryIn, why: reasonOf(asked.code, asked.reason) };
  const info = asked.value.file;
  const why = info ? whyNot(info) : "Slack does not tell of it";
  const address = info?.url_private_download ?? info?.url_private;
  if (why || !info || !address) return no(why ?? "Slack does not say where it is");
  const own = (url: URL) =>
    (url.protocol === "https:" && HOSTS.test(url.hostname)) || (apiUrl !== undefined && url.origin === new URL(apiUrl).origin);
  const found = await download(address, {
    platform: "Slack",
    most,
    signal,
    allowed: (url) => own(url) || (url.protocol === "https:" && OTHERS.test(url.hostname)),
    headers: (url): Record<string, string> => (own(url) ? { authorization: `Bearer ${token}` } : {}),
  });
  return found.ok && isLogin(found, info)
    ? no("Slack wants a sign-in for it: the app may not read files (it needs the scope files:read)")
    : found;
}

function reasonOf(code: string, reason: string): string {
  if (code === "file_not_found" || code === "file_deleted") return "it is not there any more";
  return reason.replace(/\.$/, "");
}

function whyNot({ mode = "", is_external: external }: Info): string | undefined {
  if (GONE.has(mode)) return "it is not there any more";
  return external === true || mode === "external" ? "it is only linked in Slack and kept somewhere else" : undefined;
}

/** A page where something else was promised. */
function isLogin({ bytes, type }: Extract<Downloaded, { ok: true }>, { mimetype = "", size }: Info): boolean {
  const page = type === "text/html" || /^\s*<(?:!doctype html|html)\b/i.test(Buffer.from(bytes.subarray(0, 200)).toString("latin1"));
  return page && (!mimetype.includes("html") || (size !== undefined && size !== bytes.byteLength));
}
