/**
 * Masks secrets in text: the product's own values, and anything in the shape of a known token. Pure.
 *
 * K1. What is masked once stays as it is when masked again.
 * K2. Linear in the length of the text, whatever is in it.
 * K3. A line of JSON stays a line of JSON, and what is escaped in it is found as well.
 */

export const MASK = "[masked]";

/** Shorter values are in every text by chance. */
const SHORTEST = 6;
const PASSES = 4;
/** Where a token may begin: not within a longer word, unless what stands before is an escape of JSON. */
const EDGE = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\\[bfnrt])|(?<=\\u[0-9a-f]{4}))`;

const SHAPES: RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:[^"-]*(?:-(?!----)[^"-]*)*-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{20,})*)/g,
  // Slack: tokens, and addresses that post.
  /xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}/g,
  /xapp-[A-Za-z0-9-]{10,}/g,
  /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_-]{10,}/g,
  // Discord: a bot's token, and addresses that post.
  new RegExp(String.raw`${EDGE}[MNO][A-Za-z0-9_-]{22,30}\.[A-Za-z0-9_-]{5,7}\.[A-Za-z0-9_-]{25,}`, "g"),
  /discord(?:app)?\.com\/api\/webhooks\/\d{5,25}\/[A-Za-z0-9_-]{20,}/g,
  // Model providers.
  /sk-ant-[A-Za-z0-9_-]{10,}/g,
  new RegExp(String.raw`${EDGE}sk-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,}`, "g"),
  /AIza[A-Za-z0-9_-]{35}/g,
  // Code and clouds.
  /gh[pousr]_[A-Za-z0-9]{20,}/g,
  /github_pat_[A-Za-z0-9_]{20,}/g,
  /glpat-[A-Za-z0-9_-]{15,}/g,
  /npm_[A-Za-z0-9]{36}/g,
  /[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /(?:AKIA|ASIA)[A-Z0-9]{16}/g,
  // Any JSON web token.
  new RegExp(String.raw`${EDGE}eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{10,}`, "g"),
];
/** Only what stands behind these words is masked. */
const BEHIND: RegExp[] = [
  /\b(Bearer\s{1,3})(?:(?=[^\s"]{0,200}\d)[A-Za-z0-9._~+/=-]{8,}|[A-Za-z0-9._~+/=-]{24,})/gi,
  /(:\/\/[^\s"\\/:@]{0,100}:)[^\s"\\/@]{3,200}(?=@)/g,
];

/** In every text that one of the shapes is in: nearly all texts have none of it, and are not searched for each. */
const HINT =
  /PRIVATE KEY|xox|xapp-|hooks\.slack|api\/webhooks|[MNO][A-Za-z0-9_-]{22}|sk-|AIza|gh[pousr]_|github_pat_|glpat-|npm_|k_live_|k_test_|AKIA|ASIA|eyJ|[Bb][Ee][Aa][Rr][Ee][Rr]|:\/\//;

/** A mask for the given secrets and every known shape. */
export function scrubber(secrets: readonly string[]): (text: string) => string {
  const own = ownSecrets(secrets);
  const once = (text: string): string => {
    let masked = own ? text.replace(own, MASK) : text;
    if (!HINT.test(masked)) return masked;
    for (const shape of SHAPES) masked = masked.replace(shape, MASK);
    for (const shape of BEHIND) masked = masked.replace(shape, `$1${MASK}`);
    return masked;
  };
  return (text) => {
    let masked = once(text);
    // A token may have begun in the middle of another: what was masked is looked at again.
    for (let before = text, pass = 0; masked !== before && pass < PASSES; pass++) {
      before = masked;
      masked = once(before);
    }
    return masked;
  };
}

/** Each value as it is, as JSON writes it, and as an address does; the longest first, so that none is masked in part. */
function ownSecrets(secrets: readonly string[]): RegExp | undefined {
  const values = secrets.filter((secret) => secret.length >= SHORTEST && !MASK.includes(secret));
  const spelled = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encoded(value)]);
  const sources = [...new Set(spelled)].sort((a, b) => b.length - a.length).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return sources.length ? new RegExp(sources.join("|"), "g") : undefined;
}

function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value;
  }
}
