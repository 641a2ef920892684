/** Fifty real SIGKILLs (`RUNS` of them) at random moments, while people mention, follow up, approve and deny in many threads. */
import { stormPromises } from "../e2e/storm-promises.ts";

stormPromises(Number(process.env.RUNS ?? 50));
