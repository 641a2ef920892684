/** Prints the link that invites the bot to a guild, and what each right is for. */
import { inviteOf, PERMISSIONS } from "../../adapters/discord/invite.ts";
import { loadEnvFile, readConfig } from "../config.ts";
import { UserError } from "../core/ports.ts";

async function main(): Promise<void> {
  loadEnvFile(".env");
  const { discord } = readConfig(process.env);
  if (!discord) throw new UserError("DISCORD_TOKEN is not set: put the bot's token into .env first.");
  const link = await inviteOf(discord.token, discord.apiUrl);
  const rights = PERMISSIONS.map(({ name, why }) => `  ${name}: ${why}`);
  process.stdout.write(`${link}\n\nIt asks for:\n${rights.join("\n")}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof UserError ? error.message : String(error)}\n`);
  process.exit(1);
});
