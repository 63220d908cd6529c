import { isTooShort } from './secret.ts';

/** Last words of names whose value is a credential. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  (
    'token secret secrets password passwd passphrase passcode pass pwd pw credential credentials apikey ' +
    'authtoken accesstoken refreshtoken secretkey privatekey mnemonic jwt pat psk cookie bearer ' +
    'authorization auth'
  ).split(' '),
);

/** Words that turn `key`, or `data` and `pem` after it, into a secret. */
const KEY_KINDS: ReadonlySet<string> = new Set(
  (
    'api access secret private encryption signing sign master service account auth app application ' +
    'client consumer deploy license storage shared session admin root server webhook jwt hmac aes rsa ' +
    'ssh pgp gpg tls ssl'
  ).split(' '),
);

/** Words for values that concern a secret without being one. */
const HARMLESS_ENDS: ReadonlySet<string> = new Set(
  (
    'file files path paths dir directory folder sock socket tty url uri host port name names user ' +
    'username id ids type kind count limit length len size ttl timeout expiry expires expiration age ' +
    'algorithm alg helper prompt command cmd env version regex pattern format policy min max header ' +
    'headers endpoint scope scopes rotation enabled disabled required method mode hint label issuer ' +
    'audience field param parameter index prefix suffix store agent info parallelism program askpass ' +
    'fingerprint hash stdin fd'
  ).split(' '),
);

/** Names that only look secret, in lower case without separators. */
const HARMLESS_NAMES: ReadonlySet<string> = new Set(
  (
    'pwd oldpwd nextpagetoken pagetoken nexttoken continuationtoken synctoken pagetokens publickey ' +
    'primarykey foreignkey sortkey partitionkey cachekey hostkey idtokenhint sshauthsock xauthority auth ' +
    'pass pw pat'
  ).split(' '),
);

/** Whether the name of a variable, a key or an option says that its value is a secret. */
export function isSecretName(name: string): boolean {
  const words = withoutNumber(wordsOf(name));
  const last = words.at(-1) ?? '';
  const joined = words.join('');
  if (HARMLESS_NAMES.has(joined) || HARMLESS_ENDS.has(last) || words.includes('public')) return false;
  if (SECRET_WORDS.has(last) || SECRET_WORDS.has(joined) || /(?:passw(?:or)?d|passphrase|secret|token|apikey)$/.test(last)) return true;
  if (last === 'key') return isSecretKey(words);
  if (last === 'data' || last === 'pem' || last === 'b64' || last === 'base64')
    return words.includes('key') || words.some((word) => word === 'secret' || word === 'password');
  return words.some((word) => word === 'password' || word === 'passwd' || word === 'secret' || word === 'apikey');
}

/** `DB_PASSWORD2` and `API_TOKEN_V2` count as `DB_PASSWORD` and `API_TOKEN`. */
function withoutNumber(words: readonly string[]): readonly string[] {
  const end = words.at(-1) ?? '';
  if (kindOf(end, end.length - 1) !== FIGURE) return words;
  const kept = words.length > 1 && /^v\d{1,3}$/.test(end) ? words.slice(0, -1) : words;
  const last = (kept.at(-1) ?? '').replace(/\d{1,4}$/, '');
  const isNumbered = last === 'key' || (last !== 'auth' && SECRET_WORDS.has(last)) || /(?:passw(?:or)?d|secret|token|apikey)$/.test(last);
  return isNumbered ? [...kept.slice(0, -1), last] : kept;
}

/** Words before `key` for keys that are no credentials. */
const PLAIN_KEYS: ReadonlySet<string> = new Set(
  `sort primary foreign partition cache host map index object bucket hot arrow compose registry i18n translation row
    column group unique react dedup routing shard lookup config`.split(/\s+/),
);

/** `STRIPE_KEY` and `apiKey` contain a credential; `SORT_KEY` and `key` name a field. */
function isSecretKey(words: readonly string[]): boolean {
  const before = words.at(-2);
  if (before === undefined) return false;
  if (KEY_KINDS.has(before)) return true;
  return !PLAIN_KEYS.has(before);
}

/**
 * The words of a name, split at separators and capital letters. It runs for every variable at each start, and compiling patterns would take
 * longer.
 */
function wordsOf(name: string): string[] {
  let parted = '';
  let before = OTHER;
  for (let at = 0; at < name.length; at += 1) {
    const kind = kindOf(name, at);
    const begins = kind === CAPITAL && (before === SMALL || before === FIGURE || (before === CAPITAL && kindOf(name, at + 1) === SMALL));
    parted += begins ? `_${name[at]}` : name[at];
    before = kind;
  }
  return wholeWords(parted.toLowerCase());
}

/** Runs of letters and digits in lower case, without runs of digits only. */
function wholeWords(text: string): string[] {
  const words: string[] = [];
  let from = 0;
  let hasLetter = false;
  for (let at = 0; at <= text.length; at += 1) {
    const kind = kindOf(text, at);
    if (kind === SMALL) hasLetter = true;
    if (kind === SMALL || kind === FIGURE) continue;
    if (hasLetter) words.push(text.slice(from, at));
    from = at + 1;
    hasLetter = false;
  }
  return words;
}

const OTHER = 0;
const SMALL = 1;
const CAPITAL = 2;
const FIGURE = 3;

/** The kind of a character; beyond the end, none. */
function kindOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 0x61 && code <= 0x7a) return SMALL;
  if (code >= 0x41 && code <= 0x5a) return CAPITAL;
  return code >= 0x30 && code <= 0x39 ? FIGURE : OTHER;
}

/** Whether a value with a secret name may occur in any text, so that redacting it would garble the text. */
export function isOrdinary(value: string, alsoOrdinary: ReadonlySet<string> = new Set()): boolean {
  return (
    isTooShort(value) ||
    alsoOrdinary.has(value) ||
    isWord(value) ||
    isFigure(value) ||
    isPath(value) ||
    isStandIn(value) ||
    isPlainUrl(value)
  );
}

/** Whether a value looks random: letters and digits mixed, and none of them frequent. */
export function isRandomLooking(value: string): boolean {
  if (value.length < 12 || !/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  return bitsPerSign(value) >= 2.9 && !isUuid(value);
}

/** An identifier as databases and tools generate it; it is not a secret. */
export function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value);
}

/** One word, or a few short ones joined by separators. */
function isWord(value: string): boolean {
  const text = value.trim();
  if (WORD.test(text)) return true;
  return text.length < 16 && (/^[A-Za-z]+([-_. ][A-Za-z]+)+$/.test(text) || isTalk(text));
}

const WORD = /^[A-Z]?[a-z]{1,13}$|^[A-Z]{1,14}$/;

/** At most three words with spaces, and numbers only as separate words: a pass phrase has more. */
function isTalk(text: string): boolean {
  if (!/\s/.test(text)) return false;
  const words = text.split(/[\s;,:.!?]+/).filter((word) => word !== '');
  return words.length < 4 && words.every((word) => WORD.test(word) || /^\d$/.test(word));
}

/** A date, a version or an address. */
function isFigure(value: string): boolean {
  return /^v?(?=\d*[.:,/-])[\d.:,/-]+$/.test(value);
}

function isPath(value: string): boolean {
  if (!/^(?:~|\.{1,2})?\/|^[A-Za-z]:[\\/]/.test(value) || /\s/.test(value)) return false;
  return value.split(/[\\/]/).every((part) => part.length < 20 || !(isRandomLooking(part) && /[A-Z]/.test(part)));
}

/** A placeholder for a secret, or a reference to one. */
function isStandIn(value: string): boolean {
  return (
    /^(?:\$|<.*>$|\{\{|%[A-Z_]+%$|⟨|op:\/\/|vault:|env:|ENC\[|!vault|process\.env)/.test(value) ||
    /^(.)\1+$/.test(value) ||
    /^(?:your|insert|enter|replace|example|dummy|change)[-_ ]?\w*[-_ ](?:token|key|secret|password|here|me)\b/i.test(value) ||
    /^(?:x{3,}|\*{3,}|\.{3,})|\.{3}$|…/i.test(value)
  );
}

/** A URL without credentials. */
function isPlainUrl(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s@?]*$/i.test(value);
}

/** The average information per character, in bits. */
function bitsPerSign(value: string): number {
  const counts = new Map<string, number>();
  for (const sign of value) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
