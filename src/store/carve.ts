/**
 * Rows read straight from the pages of a database file, for when the tree that leads to them is torn. Pure: bytes in, rows out.
 *
 * V1. Pages that the file itself lists as free are left out: they may hold what was erased.
 * V2. A row that is not whole is no row.
 */

export type Value = number | string | null;
export interface CarvedRow {
  /** Of a table with row numbers; null for the others. */
  rowid: number | null;
  values: Value[];
}

const TABLE_LEAF = 0x0d;
const INDEX_LEAF = 0x0a;

export function carve(file: Buffer): CarvedRow[] {
  const size = pageSizeOf(file);
  if (size === undefined) return [];
  const pages = new Pages(file, size);
  const free = pages.free();
  const rows: CarvedRow[] = [];
  for (let number = 1; number <= pages.count; number++) {
    if (free.has(number)) continue;
    try {
      rows.push(...leaf(pages, number));
    } catch {
      // Not a page of rows after all.
    }
  }
  return rows;
}

function pageSizeOf(file: Buffer): number | undefined {
  if (file.length < 100 || file.toString("latin1", 0, 15) !== "SQLite format 3") return undefined;
  const size = file.readUInt16BE(16) === 1 ? 65_536 : file.readUInt16BE(16);
  return size >= 512 ? size : undefined;
}

class Pages {
  readonly count: number;
  readonly usable: number;
  readonly #file: Buffer;
  readonly #size: number;

  constructor(file: Buffer, size: number) {
    this.#file = file;
    this.#size = size;
    this.count = Math.floor(file.length / size);
    this.usable = size - file.readUInt8(20);
  }
  page(number: number): Buffer {
    if (number < 1 || number > this.count) throw new RangeError(`there is no page ${number}`);
    return this.#file.subarray((number - 1) * this.#size, number * this.#size);
  }
  free(): Set<number> {
    const found = new Set<number>();
    for (let trunk = this.#file.readUInt32BE(32); trunk > 0 && trunk <= this.count && !found.has(trunk); ) {
      found.add(trunk);
      const page = this.page(trunk);
      const leaves = Math.min(page.readUInt32BE(4), this.usable / 4 - 2);
      for (let i = 0; i < leaves; i++) found.add(page.readUInt32BE(8 + i * 4));
      trunk = page.readUInt32BE(0);
    }
    return found;
  }
}

function leaf(pages: Pages, number: number): CarvedRow[] {
  const page = pages.page(number);
  const start = number === 1 ? 100 : 0;
  const kind = page.readUInt8(start);
  if (kind !== TABLE_LEAF && kind !== INDEX_LEAF) return [];
  const cells = page.readUInt16BE(start + 3);
  return Array.from({ length: cells }, (_, i) => i).flatMap((i) => {
    try {
      return [cell(pages, page, page.readUInt16BE(start + 8 + i * 2), kind)];
    } catch {
      return [];
    }
  });
}

function cell(pages: Pages, page: Buffer, start: number, kind: number): CarvedRow {
  const [length, afterLength] = varint(page, start);
  const [rowid, at] = kind === TABLE_LEAF ? varint(page, afterLength) : [null, afterLength];
  return { rowid, values: record(payload(pages, page, at, length, kind)) };
}

/** A row too long for its page goes on in a chain of others. */
function payload(pages: Pages, page: Buffer, at: number, length: number, kind: number): Buffer {
  const { usable } = pages;
  const most = kind === TABLE_LEAF ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (length <= most) return whole(page.subarray(at, at + length), length);
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const wanted = least + ((length - least) % (usable - 4));
  const local = wanted <= most ? wanted : least;
  const parts = [page.subarray(at, at + local)];
  let left = length - local;
  for (let next = page.readUInt32BE(at + local); left > 0; ) {
    const more = pages.page(next);
    parts.push(more.subarray(4, 4 + Math.min(left, usable - 4)));
    left -= usable - 4;
    next = more.readUInt32BE(0);
  }
  return whole(Buffer.concat(parts), length);
}

function whole(bytes: Buffer, length: number): Buffer {
  if (bytes.length !== length) throw new RangeError("a row is cut off");
  return bytes;
}

function record(bytes: Buffer): Value[] {
  const [head, from] = varint(bytes, 0);
  const kinds: number[] = [];
  for (let at = from; at < head; ) {
    const [kind, next] = varint(bytes, at);
    kinds.push(kind);
    at = next;
  }
  let at = head;
  return kinds.map((kind) => {
    const length = widthOf(kind);
    const value = decoded(kind, whole(bytes.subarray(at, at + length), length));
    at += length;
    return value;
  });
}

const WIDTHS = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];
const widthOf = (kind: number): number => WIDTHS[kind] ?? Math.floor((kind - (kind % 2 ? 13 : 12)) / 2);

function decoded(kind: number, bytes: Buffer): Value {
  if (kind >= 13 && kind % 2) return bytes.toString("utf8");
  if (kind === 8 || kind === 9) return kind - 8;
  if (kind >= 1 && kind <= 5) return bytes.readIntBE(0, bytes.length);
  if (kind === 6) return Number(bytes.readBigInt64BE(0));
  return kind === 7 ? bytes.readDoubleBE(0) : null;
}

function varint(bytes: Buffer, start: number): [value: number, next: number] {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = bytes.readUInt8(start + i);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, start + i + 1];
  }
  return [value * 256 + bytes.readUInt8(start + 8), start + 9];
}
