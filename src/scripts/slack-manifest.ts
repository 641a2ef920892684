/** Prints the manifest to create the Slack app from. With an address: for signed delivery over HTTP instead of Socket Mode. */
import { manifest } from "../../adapters/slack/manifest.ts";

const [address] = process.argv.slice(2);
if (address !== undefined && !/^https:\/\/[^/\s]+/.test(address)) {
  process.stderr.write("Give the public address of this machine, such as https://denizen.example.org, or nothing for Socket Mode.\n");
  process.exit(1);
}
process.stdout.write(`${JSON.stringify(manifest(address), null, 2)}\n`);
