/** A small crowd in every run of the suite, on whatever machine it runs; a hundred mentions in twenty threads are a long proof. */
import { loadPromises } from "./load-promises.ts";

loadPromises({ threads: 4, mentions: 8, gap: 20, limited: ["chat.update", "chat.postMessage"], sign: 4000 });
