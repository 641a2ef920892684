/**
 * Which addresses belong to the open internet. Pure.
 *
 * A1. In doubt an address is not public: loopback, link-local, private, shared, reserved, multicast and the clouds' metadata addresses
 *     are not, in none of the ways they can be written.
 */
import { BlockList, isIP } from "node:net";

const closed = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const)
  closed.addSubnet(net, bits, "ipv4");
// Tunnels (Teredo, 6to4) lead to any IPv4 address; the others are for protocols and documentation.
for (const [net, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  closed.addSubnet(net, bits, "ipv6");

const open = new BlockList();
open.addSubnet("2000::", 3, "ipv6");
/** The last 32 bits of these are an IPv4 address: written so, or reached through a gateway. */
const carriers = new BlockList();
carriers.addSubnet("::ffff:0:0", 96, "ipv6");
carriers.addSubnet("64:ff9b::", 96, "ipv6");

export function isPublic(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, "");
  switch (isIP(plain)) {
    case 4:
      return !closed.check(plain, "ipv4");
    case 6: {
      if (carriers.check(plain, "ipv6")) return isPublic(carried(plain));
      return open.check(plain, "ipv6") && !closed.check(plain, "ipv6");
    }
    default:
      return false;
  }
}

function carried(address: string): string {
  const dotted = /[\d.]+$/.exec(address)?.[0] ?? "";
  if (dotted.includes(".")) return dotted;
  // The URL parser writes every address in its shortest form, without dots.
  const words =
    new URL(`http://[${address}]/`).hostname
      .replace(/^\[|\]$/g, "")
      .split("::")
      .at(-1)
      ?.split(":")
      .slice(-2) ?? [];
  const [high = 0, low = 0] =
    words.length === 2 ? words.map((word) => Number.parseInt(word, 16)) : [0, Number.parseInt(words[0] || "0", 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
