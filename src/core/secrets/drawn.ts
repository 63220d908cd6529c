import { decodeBase64 } from '../commands/decode.ts';
import codeWords from './code-words.txt' with { type: 'text' };
import { isUuid } from './names.ts';

/** How random a word must look: `mixed` requires letters of both cases and digits, `plain` accepts one case, `loose` accepts more. */
export type Drawn = 'mixed' | 'plain' | 'loose';

/** A shorter word gives no evidence of randomness. */
const SHORTEST = 10;
const LONGEST = 512;
/** From the first length on, letters of both cases are enough; from the second, letters of one case with digits. Names are shorter. */
const LONG = 20;
const VERY_LONG = 28;

/** Public ids and hashes that look random. */
const KNOWN_IDS = new RegExp(
  [
    '^Qm[1-9A-HJ-NP-Za-km-z]{44}$|^baf[a-z2-7]{50,}$|^[a-z]{2,10}1[02-9ac-hj-np-z]{38,}$|^(?!sk|pk|rk|gh|npm|hf',
    String.raw`|xox)[a-z]{2,5}_(?!live|test)[A-Za-z0-9]{14,32}$|^sha\d+-|^[A-Z0-9]+EXAMPLE$`,
  ].join(''),
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
const UNUSUAL = new RegExp(
  [
    '[^aeiouy]{4}|q[^u]|[aeiou][aeiou][aeiou]|[jvx][^aeiouy]|[bcdfghjklmnpqtvwxz][jqvx]|[aeiou]q(?!u)',
    '|[bdfgkpt][bdgkmpz]|w[bcdfgjmpqtvwxz]|h[bcdfghjkpqvwxz]|^[^aeiouyst][^aeiouyhlrw]',
  ].join(''),
  'i',
);

/** Whether letters alone look random: twelve or more of both cases, or unpronounceable ones of one case. */
export function isDrawnOfLetters(word: string): boolean {
  if (!/^[A-Za-z]{12,}$/.test(word) || word.length > LONGEST) return false;
  if (/^[A-Z]?[a-z]+$|^[A-Z]+$/.test(word)) return isUnspeakable(word);
  return !isNameInCode(word);
}

/** Words that appear in identifiers near secrets. */
const OF_CODE: ReadonlySet<string> = new Set(codeWords.replace(/^#.*/, '').trim().split(/\s+/));

/** `accessTokenField`: mostly words of identifiers. */
function isNameInCode(word: string): boolean {
  const words = word.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  return words.filter((one) => OF_CODE.has(one.toLowerCase())).join('').length > word.length * 0.35;
}

/** Runs of consonants that no language has. */
function isUnspeakable(word: string): boolean {
  const rows = word.toLowerCase().match(/[^aeiouy]{4,}/g) ?? [];
  return rows.length > 1 || rows.some((row) => row.length > 5);
}

/** A short part with few digits. */
const SHORT_PART = new RegExp(
  [
    String.raw`^(?:[A-Z]?[a-z]+|[A-Z]+)\d{1,8}[A-Za-z]?$|^\d{1,8}[A-Za-z]{1,9}$|^[A-Z]?[a-z]{2,}\d{1,2}[a-z]{1,3}$`,
    '|^[a-z0-9]{1,6}$|^[A-Z0-9]{1,6}$',
  ].join(''),
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
