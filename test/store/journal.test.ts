import { journalContract } from "../contract/journal.ts";
import { sqliteRig } from "./rig.ts";

journalContract("sqlite", sqliteRig);
