/** What kind of file bytes are, by what stands in them and by their name. Pure. */

const MARKS: readonly [mime: string, at: number, bytes: string][] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
  ["application/pdf", 0, "%PDF-"],
  ["application/zip", 0, "PK\x03\x04"],
];
const ENDINGS: Readonly<Record<string, string>> = {
  csv: "text/csv",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  json: "application/json",
  md: "text/markdown",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  svg: "image/svg+xml",
  txt: "text/plain",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

/** `application/octet-stream` where nothing tells. */
export function kindOf(bytes: Uint8Array, name = ""): string {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  const ending = ENDINGS[/\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""];
  const marked = MARKS.find(([, at, mark]) => head.startsWith(mark, at))?.[0];
  if (marked && !(marked === "application/zip" && ending)) return marked;
  return ending ?? (bytes.includes(0) ? "application/octet-stream" : "text/plain");
}

/** Those that models read. */
const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
export const isImage = (mime: string): boolean => IMAGES.has(mime);
