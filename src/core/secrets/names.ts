import { decodeBase64 } from '../commands/decode.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import { once } from '../text/memoize.ts';
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

/** The words of a name, split at separators and capital letters. It runs for every variable at each start, so it compiles no pattern. */
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

/** How random a word must look: `mixed` requires letters of both cases and digits, `plain` accepts one case, `loose` accepts more. */
export type Drawn = 'mixed' | 'plain' | 'loose';

/** A shorter word gives no evidence of randomness. */
const SHORTEST = 10;
const LONGEST = 512;
/** From the first length on, letters of both cases are enough; from the second, letters of one case with digits. Names are shorter. */
const LONG = 20;
const VERY_LONG = 28;

/** Public ids and hashes that look random. */
const KNOWN_IDS = joinedRegExp(
  '',
  '^Qm[1-9A-HJ-NP-Za-km-z]{44}$|^baf[a-z2-7]{50,}$|^[a-z]{2,10}1[02-9ac-hj-np-z]{38,}$|^(?!sk|pk|rk|gh|npm|hf',
  String.raw`|xox)[a-z]{2,5}_(?!live|test)[A-Za-z0-9]{14,32}$|^sha\d+-|^[A-Z0-9]+EXAMPLE$`,
);

/** Whether a word looks random, unlike the name of a file, a branch, a pod or a commit. */
export function isDrawn(word: string, wanted: Drawn = 'mixed'): boolean {
  if (word.length < SHORTEST || word.length > LONGEST || /\s|⟨/.test(word) || isUuid(word)) return false;
  if (KNOWN_IDS.test(word) || isFileName(word) || isReadableInBase64(word)) return false;
  if (word.includes('/')) return !/^[~.]?\//.test(word) && word.split('/').some((part) => isDrawn(part));
  const parts = word.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  if (parts.every(isPlainPart)) return false;
  const core = parts.join('');
  if (core.length < SHORTEST - 2 || isHex(core)) return false;
  const shortest = wanted === 'mixed' ? LONG : 12;
  if (!/\d/.test(core) && (core.length < shortest || !/[a-z][A-Z]/.test(core))) return false;
  if (wanted === 'loose' && /\d/.test(core)) return true;
  const runs = core.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  const inWords = runs.filter(isSpeakable).join('').length;
  const isNumbered = /\d/.test(core);
  if (inWords > core.length * (!isNumbered ? 0.5 : wanted === 'mixed' ? 0.62 : 0.8)) return false;
  if (/[a-z]/.test(core) && /[A-Z]/.test(core))
    return core.length <= runs.length * (wanted !== 'mixed' ? 5 : core.length < VERY_LONG ? 2.9 : 3.6);
  const isVeryLong = parts.some(({ length }) => length >= VERY_LONG);
  const longestRuns = isVeryLong ? 5 : 3.7;
  return (wanted === 'plain' || isVeryLong) && core.length <= runs.length * longestRuns && runs.filter((run) => /\d/.test(run)).length > 1;
}

/** Whether letters may be a word of some language. */
function isSpeakable(run: string): boolean {
  return /^[A-Z]?[a-z]{2,}$/.test(run) && /[aeiouy]/i.test(run) && !UNUSUAL.test(run);
}

/** Letter pairs that are rare in words. */
const UNUSUAL = joinedRegExp(
  'i',
  '[^aeiouy]{4}|q[^u]|[aeiou][aeiou][aeiou]|[jvx][^aeiouy]|[bcdfghjklmnpqtvwxz][jqvx]|[aeiou]q(?!u)',
  '|[bdfgkpt][bdgkmpz]|w[bcdfgjmpqtvwxz]|h[bcdfghjkpqvwxz]|^[^aeiouyst][^aeiouyhlrw]',
);

/** Whether letters alone look random: twelve or more of both cases, or unpronounceable ones of one case. */
export function isDrawnOfLetters(word: string): boolean {
  if (!/^[A-Za-z]{12,}$/.test(word) || word.length > LONGEST) return false;
  if (/^[A-Z]?[a-z]+$|^[A-Z]+$/.test(word)) return isUnspeakable(word);
  return !isNameInCode(word);
}

/** Words that appear in identifiers near secrets. */
const ofCode = once(
  (): ReadonlySet<string> =>
    new Set(
      (
        'access admin and api app as auth authorization basic bearer by change changed client code config ' +
        'confirm confirmation cookie credential credentials csrf current data default dummy encoded encrypted ' +
        'error example fake false field file for forgot form from get grant has hash hashed header headers ' +
        'hint id ids in input invalid is jwt key keys label length login manager match max message min ' +
        'missing mock must my name names new no none not null oauth of old on option options or param params ' +
        'pass passphrase passwd password passwords path placeholder private provider public refresh request ' +
        'required reset response scope secret secrets service session set short sign signin string test text ' +
        'the title to token tokens too true type undefined update uri url user users valid validate value ' +
        'values verify with your'
      ).split(' '),
    ),
);

/** `accessTokenField`: mostly words of identifiers. */
function isNameInCode(word: string): boolean {
  const words = word.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  return words.filter((one) => ofCode().has(one.toLowerCase())).join('').length > word.length * 0.35;
}

/** Runs of consonants that no language has. */
function isUnspeakable(word: string): boolean {
  const rows = word.toLowerCase().match(/[^aeiouy]{4,}/g) ?? [];
  return rows.length > 1 || rows.some((row) => row.length > 5);
}

/** A short part with few digits. */
const SHORT_PART = joinedRegExp(
  '',
  String.raw`^(?:[A-Z]?[a-z]+|[A-Z]+)\d{1,8}[A-Za-z]?$|^\d{1,8}[A-Za-z]{1,9}$|^[A-Z]?[a-z]{2,}\d{1,2}[a-z]{1,3}$`,
  '|^[a-z0-9]{1,6}$|^[A-Z0-9]{1,6}$',
);

/** Parts of ordinary names: a word, a number, a word with a number, a short id, a time. */
function isPlainPart(part: string): boolean {
  return /^(?:[A-Z]?[a-z]+|[A-Z]+|\d+)$/.test(part) || SHORT_PART.test(part) || /^\d{8}[Tt]\d{4,6}[Zz]?$/.test(part) || isHex(part);
}

/** Commits, digests and container ids. */
function isHex(text: string): boolean {
  return /^(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)$/.test(text);
}

/** A name with a known file extension. */
function isFileName(word: string): boolean {
  return /\.(?:[a-z]{1,4}|[a-z]{2,3}\d|[A-Z]{3,4}|7z|mp[34]|json5?|html|yaml|toml|tar\.\w{2,3}|sqlite3?)$/.test(word);
}

/** Whether a word is base64 of ordinary text. */
function isReadableInBase64(word: string): boolean {
  if (!/^[A-Za-z0-9+/]{16,}={0,2}$/.test(word)) return false;
  const meant = decodeBase64(word) ?? '';
  return meant.length >= 10 && /^[\w .,;!?"'(){}\n-]+$/.test(meant) && /[a-z]{3}/.test(meant);
}
