/* Facts about programs that stand in a text: apart from the rest, because a session needs some of them before its first request. */
import { memoize } from '../text/memoize.ts';
import text from './program-facts.txt' with { type: 'text' };

type TextFact =
  | 'beyond'
  | 'packages'
  | 'next'
  | 'nextOf'
  | 'tasks'
  | 'looksUp'
  | 'isExact'
  | 'isClient'
  | 'beyondOf'
  | 'addresses'
  | 'messages'
  | 'usual'
  | 'plain'
  | 'plainWord'
  | 'shows'
  | 'helps'
  | 'asks'
  | 'endless'
  | 'hoards'
  | 'ends'
  | 'pauses'
  | 'display'
  | 'setsUp'
  | 'fillsFetched'
  | 'fillsKept'
  | 'unpacks'
  | 'inflates'
  | 'destroys'
  | 'filters'
  | 'password'
  | 'passwordPair'
  | 'passwordLast'
  | 'readsPassword'
  | 'signsIn'
  | 'takesSecrets'
  | 'printsVariables'
  | 'namesVariables'
  | 'listsVariables'
  | 'searchesPath'
  | 'numbersStack'
  | 'printsWords'
  | 'setsVariables';

/** The facts of one program in the text, by heading; an empty text means true. */
export type TextFacts = Readonly<Partial<Record<TextFact, string>>>;

const SOURCE = { text };

/** The facts in the text, by program. The text is read on first use, and no spec is loaded. */
export function textFacts(): ReadonlyMap<string, TextFacts> {
  return readFacts(SOURCE);
}

const readFacts = memoize((source: typeof SOURCE): ReadonlyMap<string, TextFacts> => {
  const found = new Map<string, Partial<Record<string, string>>>();
  const plain = source.text.replace(/^#.*\n/gm, '').replace(/\n +/g, ' ');
  for (const [, fact = '', rows = ''] of plain.matchAll(/^\[(\w+)\]\n((?:.+\n)+)/gm))
    for (const [, names = '', value = ''] of rows.matchAll(/^(.+?)(?:: (.+))?$/gm))
      for (const name of names.split(' ')) {
        const facts = found.get(name);
        if (facts === undefined) found.set(name, { [fact]: value });
        else facts[fact] = value;
      }
  return found;
});

/** The programs with a fact. Only the rows of that fact are read, which takes a tenth of the time. */
export function programsWith(fact: TextFact): readonly string[] {
  const from = text.indexOf(`\n[${fact}]\n`) + fact.length + 4;
  const rows = text.slice(from, text.indexOf('\n\n', from)).replace(/\n +/g, ' ');
  return rows.split('\n').flatMap((row) => row.replace(/: .*/, '').split(' '));
}
