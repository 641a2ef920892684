/** Whether a text says that something is not so. Pure. */

/** The words of a text in their order. */
export const listed = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/n['’]t\b/g, " not")
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

const NO = new Set(
  (
    "not no never none nobody nothing neither nor without cannot except unless unable impossible hardly rarely " +
    "nicht kein keine keinen keinem keiner keines nie niemals ohne weder ne pas jamais aucun aucune sans sin nunca jamás ningún ninguna " +
    "ninguno nada non senza nessun nessuno nessuna não sem nenhum nenhuma niet geen nooit zonder inte aldrig ikke aldri ingen utan uden " +
    "не нет никогда без ні bez değil yok"
  ).split(" "),
);
const NO_BEGINS =
  /^(avoid|forbid|forbad|prohibit|bann|stopp|ceas|refus|reject|cancel|abandon|disabl|verbiet|verbot|untersag|interdi|prohib|vermeid|vermied)/;
const NO_SIGNS = /[不没沒無无未勿别別]|ない|ません|ぬ|않|없|못|아니|금지|禁/u;

const isNo = (word: string): boolean => NO.has(word) || NO_BEGINS.test(word) || word === "ban" || word === "stop";

/** Whether a text denies something, in the languages most teams write. */
export const isDenied = (text: string): boolean => NO_SIGNS.test(text) || listed(text).some(isNo);

const BUT_FOR = new Set("without unless except ohne außer sans sin senza sem zonder utan uden без".split(" "));
/** What something is not without: `it does not run without a key`. */
export function needed(text: string): string | undefined {
  const words = listed(text);
  const at = words.findLastIndex((word) => BUT_FOR.has(word));
  return words.slice(0, Math.max(0, at)).some(isNo) ? words.slice(at + 1).join(" ") : undefined;
}
