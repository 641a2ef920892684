import { compositeFiles } from "../../src/files/composite.ts";
import { diskFiles } from "../../src/files/disk.ts";
import { stateFiles } from "../../src/files/state.ts";
import { filesContract } from "../contract/files.ts";
import { folder } from "./folder.ts";

filesContract("disk", async () => diskFiles(await folder()));
filesContract("disk, a folder below its root", async () => diskFiles(await folder(), { at: "not/yet/there" }));
filesContract("disk, without /proc", async () => diskFiles(await folder(), { proc: false }));
filesContract("state", async () => stateFiles());
filesContract("composite of one", async () => compositeFiles({ "/": diskFiles(await folder()) }));
