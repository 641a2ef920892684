/**
 * Prints the manifest to create the Slack app from. With an address: for signed delivery over HTTP instead of Socket Mode. For an app that
 * several workspaces install (`--teams`, or SLACK_CLIENT_ID is set) with the page Slack leads back to; `--org`: by whole organisations too;
 * `--rotation`: with tokens that expire.
 */
import { manifest } from "../../adapters/slack/manifest.ts";
import { loadEnvFile } from "../config.ts";

loadEnvFile(".env");
const { PUBLIC_URL: known, SLACK_CLIENT_ID: client } = process.env;
const flags = process.argv.slice(2).filter((word) => word.startsWith("--"));
const [address] = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const publicUrl = address ?? known;
const shared = flags.length > 0 || Boolean(client);
const unknown = flags.filter((flag) => !["--teams", "--org", "--rotation"].includes(flag));
if (unknown.length) fail(`${unknown.join(" ")} is unknown; there are --teams, --org and --rotation.`);
if (address !== undefined && !/^https:\/\/[^/\s]+/.test(address))
  fail("Give the public address of this machine, such as https://denizen.example.org, or nothing for Socket Mode.");
if (shared && !publicUrl) fail("Set PUBLIC_URL: the address at which browsers reach this machine to install the app.");
const several = { publicUrl: publicUrl ?? "", org: flags.includes("--org"), rotation: flags.includes("--rotation") };
process.stdout.write(`${JSON.stringify(manifest(address, shared ? several : undefined), null, 2)}\n`);

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
