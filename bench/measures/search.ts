/** What was said in 200 MB of sessions, found again: twenty, the newest first, through the journal's own door. */
import { join } from "node:path";
import { ANNS_OWN, type Archive, archive } from "../rig/archive.ts";
import { withFolder } from "../rig/folder.ts";
import { limitRow, median, type Row } from "../row.ts";

const BYTES = 200 * 1024 * 1024;
const TOP = 20;
const TIMES = 15;

export const search = (): Promise<Row[]> =>
  withFolder(async (dir) => {
    const { journal, word, rare, chinese }: Archive = await archive(join(dir, "journal.db"), BYTES);
    try {
      const began = performance.now();
      await journal.search(word(0), ["team"], TOP);
      const note = `index made anew in ${((performance.now() - began) / 1_000).toFixed(0)} s, in pieces beside the path of a turn`;
      const asked: [string, string][] = [
        ["a rare word", rare],
        ["a word nobody said", "cormorant"],
        ["the most common word", word(0)],
        ["two common words", `${word(1)} ${word(2)}`],
        ["a common word and a rare one", `${word(0)} ${rare}`],
        ["the beginning of a rare word", rare.slice(0, 4)],
        ["a short beginning of many words", `${word(0)}b`],
        ["a long one", `${word(46)}b`],
        ["three Chinese signs in a row", chinese],
        ["one Chinese sign", chinese.slice(0, 1)],
        ["one letter that nobody said by itself", "b"],
      ];
      const rows: Row[] = [];
      for (const [what, query] of asked) rows.push(await measured(what, () => journal.search(query, ["team"], TOP)));
      rows.push(await measured("a common word, in one person's own", () => journal.search(word(3), [ANNS_OWN], TOP)));
      return rows.map((row, index) => (index === 0 ? { ...row, note } : row));
    } finally {
      await journal.close();
    }
  });

async function measured(what: string, find: () => Promise<readonly unknown[]>): Promise<Row> {
  const times: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const began = performance.now();
    await find();
    times.push(performance.now() - began);
  }
  return limitRow(`search in 200 MB: ${what}`, median(times), 10, "ms");
}
