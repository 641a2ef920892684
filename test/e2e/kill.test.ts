/** A few real SIGKILLs in every run of the suite; fifty of them are a long proof. */
import { stormPromises } from "./storm-promises.ts";

stormPromises(5, 1_500);
