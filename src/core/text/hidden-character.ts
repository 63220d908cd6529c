import { joinedRegExp } from './joined-regexp.ts';

/** Characters that show nothing, reorder what stands around them, or steer a terminal; joiners and selectors have rules of their own. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}\u{13430}-\u{1343f}]/u;

const ZERO_WIDTH_NON_JOINER = 0x200c;
const ZERO_WIDTH_JOINER = 0x200d;

/** True for a code point that must never reach a terminal as it is. New line and tab count too: the caller lets them pass. */
export function isHidden(codePoint: number): boolean {
  if (codePoint < 0x7f) return codePoint < 0x20;
  // The last two of every plane are no characters.
  if ((codePoint & 0xfffe) === 0xfffe) return true;
  return HIDDEN.test(String.fromCodePoint(codePoint)) && !isJoiner(codePoint) && !isVariationSelector(codePoint);
}

/** True for the joiners that emoji and some scripts need inside a word and that hide anywhere else. */
export function isJoiner(codePoint: number): boolean {
  return codePoint === ZERO_WIDTH_JOINER || codePoint === ZERO_WIDTH_NON_JOINER;
}

/** True for the selectors that choose between forms of the character before them. */
export function isVariationSelector(codePoint: number): boolean {
  return codePoint >= 0xfe00 && codePoint <= 0xfe0f;
}

/** Blocks of the scripts whose letters take another form beside a joiner: Arabic, those of India, Mongolian, and their like. */
const JOINING = joinedRegExp(
  'u',
  String.raw`[\u0600-\u109f\u1700-\u18af\u1900-\u1cff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc`,
  String.raw`\u{10a00}-\u{10a5f}\u{10d00}-\u{10d3f}\u{10f30}-\u{11fff}\u{1e900}-\u{1e95f}]`,
);

/** True where a joiner does its work: in a word of a script that has such forms, or between the parts of one emoji. */
export function mayJoin(joiner: number, around: { readonly before: number; readonly after: number }): boolean {
  const { before, after } = around;
  // A word may end in one that joins: in Malayalam and Sinhala behind a virama, in Arabic for the form of an abbreviation.
  if (isJoiningLetter(before) && (joiner === ZERO_WIDTH_JOINER || isJoiningLetter(after))) return true;
  return joiner === ZERO_WIDTH_JOINER && endsEmoji(before) && PICTOGRAPH.test(String.fromCodePoint(after));
}

const PICTOGRAPH = /\p{Extended_Pictographic}/u;
const EMOJI = /\p{Emoji}/u;
const EMOJI_FORM = 0xfe0f;
const KEYCAP = 0x20e3;

function isJoiningLetter(codePoint: number): boolean {
  return JOINING.test(String.fromCodePoint(codePoint)) && !isHidden(codePoint);
}

function endsEmoji(codePoint: number): boolean {
  const isSkinTone = codePoint >= 0x1f3fb && codePoint <= 0x1f3ff;
  return codePoint === EMOJI_FORM || isSkinTone || PICTOGRAPH.test(String.fromCodePoint(codePoint));
}

/**
 * True where a variation selector has a character to act on: the last two choose the form of an emoji or a keycap, the first three that
 * of a symbol or of a letter in the scripts of Asia. The others have no use, but could carry a hidden message.
 */
export function mayVary(selector: number, around: { readonly before: number; readonly after: number }): boolean {
  const { before, after } = around;
  if (isVariationSelector(before) || isJoiner(before)) return false;
  if (selector <= 0xfe02) return before >= 0x1000;
  if (selector < 0xfe0e) return false;
  const isKeycap = before === 0x23 || before === 0x2a || (before >= 0x30 && before <= 0x39);
  return isKeycap ? after === KEYCAP : before >= 0xa9 && EMOJI.test(String.fromCodePoint(before));
}

/** True for blanks that look like a space and are none: a shell does not split words at them. */
export function isOddBlank(codePoint: number): boolean {
  return codePoint >= 0xa0 && ODD_BLANK.test(String.fromCodePoint(codePoint));
}

const ODD_BLANK = /[\p{Zs}\u{2800}\u{1d159}]/u;
const MARK = /[\p{Mn}\p{Me}]/u;

/** True for marks that stack on the character before them, of which a few are spelling and hundreds are an attack on the screen. */
export function isStackingMark(codePoint: number): boolean {
  // The great blocks without marks first: most text that is not ASCII is of these.
  if (codePoint < 0x300 || (codePoint >= 0x3400 && codePoint <= 0xa66e) || (codePoint >= 0xac00 && codePoint <= 0xd7a3)) return false;
  return !isVariationSelector(codePoint) && MARK.test(String.fromCodePoint(codePoint));
}

/** Scripts with letters that cannot be told from those of the Latin one. */
const CONFUSABLE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}]/u;

/** Spells out the letters of a word that only look like those around them, so that `reаd` is not taken for `read`. */
export function spellLookAlikes(text: string): string {
  return text.replace(/[\p{L}\p{N}\p{M}_]+/gu, (word) => {
    const isMixed = /[A-Za-z]/.test(word);
    return word.replace(/[^\x20-\x7e]/gu, (letter) => {
      const isDisguise = /^[\x20-\x7e]+$/.test(letter.normalize('NFKC')) || (isMixed && CONFUSABLE.test(letter));
      return isDisguise ? spell(letter) : letter;
    });
  });
}

/** The same for a name, of which nothing that is not plain is taken for granted. */
export function spellName(name: string): string {
  return name.replace(/[^\x21-\x7e]/gu, spell);
}

/** The name among others that a reader could take this one for; null where there is none. */
export function findLookAlike(name: string, others: Iterable<string>): string | null {
  const shape = toShape(name);
  for (const other of others) if (other !== name && toShape(other) === shape) return other;
  return null;
}

/** Letters of other scripts, and below each the Latin one that it looks like. */
const [DISGUISES, PLAIN] = ['аеорсухіјѕԁһӏктмнваορτνικηυ', 'aeopcyxijsdhlktmhbaoptvikhu'];

/** The shape of a name, without all details that a hasty eye does not see. */
function toShape(name: string): string {
  const folded = [...name.normalize('NFKD').toLowerCase()].map((letter) => PLAIN[DISGUISES.indexOf(letter)] ?? letter).join('');
  return folded
    .replace(/[\p{M}\p{C}_.\-\s/:]/gu, '')
    .replaceAll('0', 'o')
    .replaceAll(/[1i|]/g, 'l')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

function spell(letter: string): string {
  return nameCharacter(letter.codePointAt(0) ?? 0);
}

/** The name of a character as Unicode writes it, in brackets: `<U+202E>`. */
export function nameCharacter(codePoint: number): string {
  return `<U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** Marks of chat templates, escape sequences, fences of code. */
const FRAMES = /<\/?(?:pad|unk|[be]?os|s)>|<\|[^|<>\n]{1,40}\|>|\x1b\[[\d;]*[a-z]|^[ \t]*[`~]{3,}[\w-]*[ \t]*$/gim;
const VISIBLE = /[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800\ufffd]/u;

/** Whether a text has anything to read. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text.replace(FRAMES, ''));
}
