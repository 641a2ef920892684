/**
 * Which unhandled rejections are Slack's own and cost nothing: connections are watched and opened anew by themselves, so the process may
 * go on after it logged one. Everything else is not for this file to forgive.
 */
export function survives(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string" && error.code.startsWith("slack_")) return true;
  const thrownAt = (error.stack ?? "").split("\n").find((line) => /^\s+at /.test(line) && !line.includes("node:"));
  return thrownAt !== undefined && /[\\/]@slack[\\/](?:bolt|socket-mode|web-api)[\\/]/.test(thrownAt);
}
