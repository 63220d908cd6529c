import { namesLike } from './grammar.ts';

const ROWS = ['`1234567890-=', 'qwertyuiop[]', "asdfghjkl;'", 'zxcvbnm,./'];

/** Tells whether one swapped, missing, doubled, additional or wrong letter parts two words. */
export function isOneTypo(typed: string, meant: string): boolean {
  const difference = typed.length - meant.length;
  if (Math.abs(difference) > 1 || typed === meant) return false;
  let start = 0;
  while (start < typed.length && typed[start] === meant[start]) start++;
  if (difference === 1) return typed.slice(start + 1) === meant.slice(start);
  if (difference === -1) return typed.slice(start) === meant.slice(start + 1);
  if (typed.slice(start + 1) === meant.slice(start + 1)) return true;
  return typed[start] === meant[start + 1] && typed[start + 1] === meant[start] && typed.slice(start + 2) === meant.slice(start + 2);
}

/** The commands somebody may have meant by an unknown word, each a typo away, the likeliest first. */
export function meantCommands(typed: string, knows: (word: string) => boolean, input: { readonly alone: boolean }): readonly string[] {
  if (typed.length < 2 || typed.length > 16 || !/^[a-z][a-z0-9-]*$/.test(typed)) return [];
  const shortest = input.alone ? 2 : 1;
  // A typo is in one place, so one end of the word is as it was meant; of two letters that changed places both are not.
  const swapped = typed.length === 2 ? namesLike(`${typed.charAt(1)}${typed.charAt(0)}`, 2) : [];
  const lengths = [typed.length, typed.length - 1, typed.length + 1];
  const near = new Set([...lengths.flatMap((length) => namesLike(typed, length)), ...swapped]);
  const ranked = [...near]
    .map((name) => ({ name, rank: rankTypo(typed, name, shortest) }))
    .filter(({ name, rank }) => rank > 0 && knows(name));
  return ranked.sort((left, right) => left.rank - right.rank).map(({ name }) => name);
}

/** The likelihood of a typo, 1 the likeliest, 0 for none. In short words only swaps, doubles and neighbouring keys count. */
function rankTypo(typed: string, meant: string, shortest: number): number {
  if (!isOneTypo(typed, meant)) return 0;
  let at = 0;
  while (at < typed.length && typed[at] === meant[at]) at++;
  if (typed.length > meant.length) {
    const doubled = typed[at] === typed[at - 1] || typed[at] === typed[at + 1];
    return typed.length > 3 || doubled ? 2 : 0;
  }
  if (typed.length < meant.length) return typed.length > shortest ? 3 : 0;
  const swapped = typed[at] === meant[at + 1] && typed[at + 1] === meant[at];
  if (swapped) return 1;
  return typed.length > 4 || isNeighbour(meant.charAt(at), typed.charAt(at)) ? 3 : 0;
}

function isNeighbour(left: string, right: string): boolean {
  return ROWS.some((row, index) => {
    const at = row.indexOf(left);
    if (at < 0) return false;
    const near = [
      row[at - 1],
      row[at + 1],
      ROWS[index - 1]?.[at],
      ROWS[index - 1]?.[at + 1],
      ROWS[index + 1]?.[at],
      ROWS[index + 1]?.[at - 1],
    ];
    return near.includes(right);
  });
}

const LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.";
const LAYOUTS = [
  'йцукенгшщзхъфывапролджэячсмитьбю',
  'йцукенгшщзхїфівапролджєячсмитьбю',
  ";ςερτυθιοπ[]ασδφγηξκλ΄'ζχψωβνμ,.",
  "/'קראטוןםפ[]שדגכעיחלךף,זסבהנמצתץ",
  'ضصثقفغعهخحجدشسيبلاتنمكطئءؤرىةوز ',
  "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ[]ㅁㄴㅇㄹㅎㅗㅓㅏㅣ;'ㅋㅌㅊㅍㅠㅜㅡ,.",
  'azertyuiop^$qsdfghjklmùwxcvbn,;:',
];

const HANGUL = [
  'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ',
  'ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ',
  ' ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ',
];
const PAIRS: Readonly<Record<string, string>> = {
  ㅘ: 'ㅗㅏ',
  ㅙ: 'ㅗㅐ',
  ㅚ: 'ㅗㅣ',
  ㅝ: 'ㅜㅓ',
  ㅞ: 'ㅜㅔ',
  ㅟ: 'ㅜㅣ',
  ㅢ: 'ㅡㅣ',
  ㄳ: 'ㄱㅅ',
  ㄵ: 'ㄴㅈ',
  ㄶ: 'ㄴㅎ',
  ㄺ: 'ㄹㄱ',
  ㄻ: 'ㄹㅁ',
  ㄼ: 'ㄹㅂ',
  ㄽ: 'ㄹㅅ',
  ㅄ: 'ㅂㅅ',
};

/** The other layouts: those that do not write Latin, and AZERTY as the last. */
export const LAYOUT_COUNT = LAYOUTS.length;

/** The text that the same keys give on a US keyboard, for one of the other layouts. */
export function onOtherLayout(text: string, layout: number): string {
  const pairs = [...(LAYOUTS[layout] ?? '')].map((key, at): [string, string] => [key, LATIN.charAt(at)]);
  const keys = new Map(pairs.reverse());
  keys.delete(' ');
  return [...jamo(text).toLowerCase()].map((letter) => keys.get(letter) ?? letter).join('');
}

function jamo(text: string): string {
  if (!/[\uac00-\ud7a3]/.test(text)) return [...text].map((letter) => PAIRS[letter] ?? letter).join('');
  const parts = [...text].map((letter) => {
    const code = letter.charCodeAt(0) - 0xac00;
    if (code < 0 || code > 11171) return letter;
    const at = [Math.floor(code / 588), Math.floor((code % 588) / 28), code % 28];
    return at.map((index, part) => (part === 2 && index === 0 ? '' : (HANGUL[part]?.[index] ?? ''))).join('');
  });
  return parts.map((part) => [...part].map((letter) => PAIRS[letter] ?? letter).join('')).join('');
}

/** Full-width letters and blanks as the plain ones, without what takes no room. */
export function plainWidth(text: string): string {
  return text
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, '')
    .replace(/[\uff01-\uff5e]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0))
    .replace(/[\u3000\u00a0\u2002-\u200a\u202f]/g, ' ');
}
