import type { SourceFile } from './source.ts';

/** Words that aish once had for things with a name everywhere; none may come back in names, texts or comments. Patterns, in lower case. */
export const PRIVATE_WORDS: readonly string[] = [
  'texts? of others',
  '(?:from )?seat(?:s|ed)?',
  'rehears(?:e|es|ed|al|als|ing)',
  'conceal(?:s|ed|ing|er|ment)?',
  'judge?ments?',
  'judging',
  'unsealed',
  'sealing',
  'deeds?',
  'keepers?',
  'blast(?: radius)?',
  'doomed',
  'crowds?',
  'older files',
  'born',
  'deaf',
  'session doors?',
  'window books?',
  'secret books?',
  'spare counters?',
  'own ground',
  'own keeper',
  'at a seat',
  'your word',
  'as ever',
  'ailments?',
  'insistence',
  'data base',
  'the person',
  'pictures?',
  'judged',
  'rehearsal runners?',
  'approve vouch',
  'approve taint',
  'vouch(?:es|ed|ing)?',
  'ledgers?',

  'from seats?',
  'people',
  'unasked',
  'whoever',
  'hand(?:s|ed)? over',
  '(?:secret )?handover(?: deps)?',
];

/** More words of our own that pages for readers do without; in code some have another sense. */
export const PAGE_WORDS: readonly string[] = [
  'the gate',
  'kept apart',
  'stores? apart',
  'sealed',
  'a yes',
  'taken back',
  'takes? back',
  'lets go',
  'goes along',
  'in doubt',
  'a blank before',
  'name spaces',
];

/** Files that need some of these words, and why. */
export const EXCEPTED_WORDS: Readonly<Record<string, { readonly words: readonly string[]; readonly why: string }>> = {
  'src/adapters/store/log-line.ts': {
    words: ['seat', 'rehearsal', 'blast', 'judged', 'picture', 'unasked'],
    why: 'reads the events of earlier versions by their names',
  },
};

/** Between the words of a term: spaces, and the marks of a comment that goes on in the next line. */
const GAP = String.raw`[\s*]+(?://\s*)?`;

/** Uses of private words in names (`judgeCall`, `DEAF_AFTER`), texts, comments and pages. */
export function wordFaults(files: readonly SourceFile[]): string[] {
  const pattern = toPattern(PRIVATE_WORDS);
  return files.flatMap((file) => {
    const text = toWords(file.text);
    return [...text.matchAll(pattern)].flatMap((match) => {
      const word = match[0].replace(/[\s*/]+/g, ' ');
      if (EXCEPTED_WORDS[file.path]?.words.includes(word) === true) return [];
      return [`${file.path}:${text.slice(0, match.index).split('\n').length} ${word}`];
    });
  });
}

/** Finds the terms as whole words, also where a line ends within one. */
export function toPattern(terms: readonly string[]): RegExp {
  return new RegExp(`(?<![a-z])(?:${terms.join('|').replaceAll(' ', GAP)})(?![a-z])`, 'gi');
}

/** Lower case, with the words of a name apart. Each line keeps its number. */
function toWords(text: string): string {
  return text.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/g, ' ').toLowerCase();
}
