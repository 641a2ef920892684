/** A home on the disk for tests: files are written by their path, and what the product reads of them is read as in the product. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Home } from "../../src/workspace/homes.ts";
import { openTexts } from "../../src/workspace/text.ts";

export class Folder {
  readonly dir = mkdtempSync(join(tmpdir(), "denizen-folder-"));
  readonly home: Pick<Home, "dir" | "read"> = { dir: this.dir, read: openTexts(this.dir) };

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.dir, file)), { recursive: true });
    writeFileSync(join(this.dir, file), text);
  }
  remove(file: string): void {
    rmSync(join(this.dir, file), { recursive: true, force: true });
  }
  end(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
