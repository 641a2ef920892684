/**
 * How the paths of tools are spelled: absolute, `/`-separated, below a virtual `/` that is no directory of the disk.
 *
 * Pure. What cannot be a path is an error value with a sentence for the model; nothing here throws.
 * A `..` is refused where it is a component; `notes..md` and `%2e%2e` are names like any other.
 */
export type Path = { ok: true; path: string } | { ok: false; error: string };

const NAME_BYTES = 255;
const PATH_BYTES = 4096;
const bytes = (text: string): number => Buffer.byteLength(text, "utf8");
const refuse = (error: string): Path => ({ ok: false, error });

/** Brings a path into its one spelling: `a//b/./c/` becomes `/a/b/c`, nothing at all becomes `/`. */
export function normalise(text: string): Path {
  if (/[\u0000-\u001f\u007f]/.test(text)) return refuse("a path has no control characters");
  if (/\p{Surrogate}/u.test(text)) return refuse("the path is not valid Unicode");
  if (text.includes("\\")) return refuse("folders are separated by /, not by a backslash");
  if (text.startsWith("~")) return refuse("there is no ~ here; paths begin with /");
  if (/^[A-Za-z]:/.test(text)) return refuse("there are no drives here; paths begin with /");
  if (bytes(text) > PATH_BYTES) return refuse(`the path is longer than ${PATH_BYTES} bytes`);
  const parts = text.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) return refuse("`..` is not allowed in a path");
  if (parts.some((part) => bytes(part) > NAME_BYTES)) return refuse(`a name in the path is longer than ${NAME_BYTES} bytes`);
  return { ok: true, path: `/${parts.join("/")}` };
}

/** The names of a normalised path, outermost first; none for `/`. */
export const components = (path: string): string[] => path.split("/").filter((part) => part !== "");
export const join = (folder: string, name: string): string => (folder === "/" ? `/${name}` : `${folder}/${name}`);
/** Whether a normalised path is the folder or lies in it, by whole names. */
export const isWithin = (folder: string, path: string): boolean => folder === "/" || path === folder || path.startsWith(`${folder}/`);
