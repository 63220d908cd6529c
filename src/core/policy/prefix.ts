import { literal } from '../commands/argument.ts';
import { globalOperands } from '../commands/programs/classify-program.ts';
import { commandsNamed, findSpec } from '../commands/programs/find-program.ts';
import { parseShell } from '../commands/syntax.ts';
import type { Part } from '../commands/verdict.ts';

/** The words of a rule without quotes; none if it is not a simple command of known words. A final `*` represents any words. */
export function readPrefix(prefix: string): readonly string[] {
  const script = parseShell(prefix.trim());
  const [statement, ...more] = script.commands;
  const command = statement?.command;
  if (script.errors !== undefined || more.length > 0 || statement?.background === true || command?.type !== 'Command') return [];
  if (command.name === undefined || command.prefix.length > 0 || command.redirects.length > 0) return [];
  const words = [command.name, ...command.args].map((word) =>
    word.type === 'Word' ? { text: word.text, value: word.value } : { text: word.text, value: word.text },
  );
  const last = words.at(-1);
  const meant = last?.text === '*' ? words.slice(0, -1) : words;
  return meant.some(({ text }) => /[$`*?[{]/.test(text)) ? [] : meant.map(({ value }) => value);
}

/** Whether a rule may approve: it has words, and does not start an arbitrary command. */
export function isApprovable(words: readonly string[]): boolean {
  const [program] = words;
  if (program === undefined || program === '' || program.includes('/')) return false;
  const { inner, interprets } = findSpec(program) ?? {};
  if (inner !== undefined || interprets === true) return false;
  return interprets === undefined || interprets.except.split(' ').includes(words[1] ?? '');
}

/** Whether a command's words begin exactly with those of a rule. */
export function matchesStart(prefix: readonly string[], words: readonly (string | null)[]): boolean {
  return prefix.length > 0 && prefix.every((word, at) => words[at] === word);
}

/** Whether a rule names a command, given by any path, after any options, with its own options in any order. */
function matchesAnywhere(prefix: readonly string[], words: readonly (string | null)[]): boolean {
  const [program, ...rest] = prefix;
  const [name, ...given] = words;
  if (program === undefined || name === null || name === undefined) return false;
  if (name !== program && name.slice(name.lastIndexOf('/') + 1) !== program) return false;
  const options = rest.filter((word) => word.startsWith('-'));
  const operands = rest.filter((word) => !word.startsWith('-'));
  if (!options.every((option) => hasOption(given, option))) return false;
  const forms = [
    given.filter((word) => word === null || !word.startsWith('-')),
    globalOperands(
      program,
      given.map((word) => literal(word ?? '\0')),
    ),
  ];
  return forms.some((form) => operands.every((word, at) => form[at] === word));
}

/** Whether a rule names a part of a line, or the command that the part passes to a program such as `poetry run`. */
export function namesPart(prefix: readonly string[], { words }: Pick<Part, 'words'>): boolean {
  return [...commandsNamed(words)].some((named) => matchesAnywhere(prefix, named));
}

const LONG: Readonly<Record<string, string>> = {
  r: 'recursive',
  R: 'recursive',
  f: 'force',
  a: 'all',
  d: 'delete',
  D: 'delete',
  n: 'dry-run',
  v: 'verbose',
  q: 'quiet',
};

function hasOption(words: readonly (string | null)[], option: string): boolean {
  if (option.startsWith('--')) return words.some((word) => word === option || word?.startsWith(`${option}=`) === true);
  return [...option.slice(1)].every((letter) =>
    words.some((word) => {
      if (word === null || !word.startsWith('-')) return false;
      if (word.startsWith('--')) return word === `--${LONG[letter] ?? letter}`;
      return word.slice(1).includes(letter);
    }),
  );
}
