import { nameCharacter } from './sanitize.ts';

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

/** What is left of a name when all is taken away that a hasty eye does not see. */
function toShape(name: string): string {
  const folded = [...name.normalize('NFKD').toLowerCase()]
    .map((letter) => PLAIN[DISGUISES.indexOf(letter)] ?? letter)
    .join('');
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
