import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programs } from '../../src/core/commands/programs/find-program.ts';
import { ROOT, type SourceFile } from './source.ts';

/** A file or a folder that may name programs, which of them, and why. */
export interface Allowed {
  readonly path: string;
  /** Any of them where this is missing. */
  readonly names?: string;
  readonly reason: string;
}

/** Programs that aish starts itself, and texts in which the name of a program is the name of something else. */
export const ALLOWED: readonly Allowed[] = [
  { path: 'src/core/commands/', reason: 'the specs, and the code of programs that data cannot express' },
  { path: 'src/adapters/git/', names: 'git gpg ssh-keygen', reason: 'starts git, which signs by the others' },
  { path: 'src/hosts/cli/demo/', names: 'git', reason: 'starts it in a repository of its own' },
  { path: 'src/adapters/impact/', names: 'git', reason: 'asks it what it would do to a work tree' },
  {
    path: 'src/core/sandbox/git-reads.ts',
    names: 'git',
    reason: 'finds its calls, which the sandbox shows more files',
  },
  { path: 'src/adapters/sandbox/', names: 'bwrap perl unshare', reason: 'starts them' },
  { path: 'src/adapters/dry-run/', names: 'xargs cp', reason: 'starts them' },
  { path: 'src/adapters/shell/runtime-files.ts', names: 'mkfifo', reason: 'starts it' },
  {
    path: 'src/hosts/cli/prompt/external-editor.ts',
    names: 'nano',
    reason: 'starts it on a machine that has no editor set',
  },
  { path: 'src/core/editor/line.ts', names: 'sudo', reason: 'puts it before a line, for a key' },
  { path: 'src/adapters/config/format-config.ts', names: 'npx gh', reason: 'examples for a user to read' },
  { path: 'src/adapters/secrets/', reason: 'files of programs, and whose they are' },
  {
    path: 'src/adapters/shell/known-calls.ts',
    names: 'npm yarn pnpm bun',
    reason: 'run the scripts of a package.json',
  },
  {
    path: 'src/core/contract/contract-line.ts',
    names: 'npm yarn pnpm pytest',
    reason: 'proposes the usual test command of a project',
  },
  { path: 'src/core/routing/paste.ts', reason: 'how messages and other languages begin' },
  { path: 'src/core/routing/operand-doubt.ts', names: 'node git docker npm', reason: 'names before a noun in English' },
  { path: 'src/core/taint/sources-of-line.ts', names: 'curl', reason: 'reads its messages' },
  { path: 'src/core/code-colours/highlight-code.ts', reason: 'names of languages' },
];

/** So many names of programs are a list of programs where one of them stands for nothing else; more are one whatever they mean. */
const LIST = { sure: 3, any: 6 } as const;

/** A text has a list of programs where they are at least this part of its words; prose has fewer. A pattern is no prose. */
const SHARE = 0.6;

/** Names of programs that are names of other things as well: of shells, fields, signs, protocols, keys of editors. */
const AMBIGUOUS = `[ [[ . : ack aish alias base64 bash builtin cc comm coproc diff dir dirs emacs env ex fish fsck hostname http
  https id init links locale logout ollama op passwd pwd seq sh su tail tty vi xterm zsh`;

const NAMES: ReadonlySet<string> = new Set(programs().keys());

const ENGLISH = readFileSync(join(ROOT, 'src/core/routing/english.txt'), 'utf8').matchAll(
  /^\[(?:verbs|nouns|adjectives|english names|function words|head nouns|said|noted)\]\n([^[]*)/gm,
);

const ORDINARY: ReadonlySet<string> = new Set(
  [AMBIGUOUS, ...Array.from(ENGLISH, ([, words = '']) => words)].join(' ').split(/\s+/),
);

/** Names that stand for nothing but a program, and are no English words either: one alone is too many. */
const UNAMBIGUOUS: ReadonlySet<string> = new Set([...NAMES].filter((name) => name.length > 1 && !ORDINARY.has(name)));

const LITERAL =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=(?:[=(,:;!&|?{}[\n]|=>|return)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*|(?<=[{,]\s*)[\w$]+(?=: )/g;

interface Literal {
  readonly from: number;
  readonly to: number;
  readonly words: readonly string[];
  readonly isKey: boolean;
}

/** The places at which the source names programs: the path, the line and the names. */
export function programNames(files: readonly SourceFile[], allowed: readonly Allowed[] = ALLOWED): string[] {
  return files.flatMap((file) => {
    const rows = allowed.filter(({ path }) => file.path.startsWith(path));
    if (rows.some(({ names }) => names === undefined)) return [];
    const literals = literalsOf(file.text);
    const mayStand = rows.flatMap(({ names = '' }) => names.split(' '));
    return [...alone(literals), ...lists(literals, file.text)]
      .filter(({ found }) => !found.every((name) => mayStand.includes(name)))
      .map(
        ({ at, found }) => `${file.path}:${file.text.slice(0, at).split('\n').length} ${[...new Set(found)].join(' ')}`,
      );
  });
}

/** Rows that allow what no file has any more. */
export function staleRows(files: readonly SourceFile[]): string[] {
  const found = programNames(files, []);
  return ALLOWED.flatMap(({ path, names }) => {
    const here = found
      .filter((line) => line.startsWith(path))
      .join(' ')
      .split(' ');
    if (names === undefined) return here.length > 1 ? [] : [path];
    return names.split(' ').flatMap((name) => (here.includes(name) ? [] : [`${path} ${name}`]));
  });
}

interface Place {
  readonly at: number;
  readonly found: readonly string[];
}

/** Literals that are the name of one program, such as `'git'` and `/^sudo$/`. */
function alone(literals: readonly Literal[]): Place[] {
  return literals.flatMap(({ from, words, isKey }) => {
    const [word = '', ...more] = words;
    return !isKey && more.length === 0 && UNAMBIGUOUS.has(word) ? [{ at: from, found: [word] }] : [];
  });
}

/** Texts, patterns, arrays and tables that have several. */
function lists(literals: readonly Literal[], text: string): Place[] {
  return groups(literals, text).flatMap((group) => {
    const words = new Set(group.flatMap((literal) => literal.words));
    const found = [...words].filter((word) => NAMES.has(word));
    const sure = found.filter((word) => UNAMBIGUOUS.has(word));
    const isPattern = group[0] !== undefined && text[group[0].from] === '/';
    const isSure = sure.length > (group[0]?.isKey === true ? 2 : 0);
    const isList = found.length >= (isSure ? LIST.sure : LIST.any) && found.length >= words.size * SHARE;
    return isList || (isPattern && sure.length >= LIST.sure) ? [{ at: group[0]?.from ?? 0, found }] : [];
  });
}

/** Literals with nothing but commas between them are one list, and so are the keys of one table. */
function groups(literals: readonly Literal[], text: string): (readonly Literal[])[] {
  const found: Literal[][] = [];
  for (const isKey of [false, true])
    for (const literal of literals.filter((one) => one.isKey === isKey)) {
      const last = found.at(-1)?.at(-1);
      const between = last === undefined ? '' : text.slice(last.to, literal.from);
      const isSame = last?.isKey === isKey && (isKey ? !/;|\n\n/.test(between) : /^\s*,\s*$/.test(between));
      if (isSame) found.at(-1)?.push(literal);
      else found.push([literal]);
    }
  return found;
}

function literalsOf(text: string): Literal[] {
  return [...text.matchAll(LITERAL)].flatMap(({ 0: written, index: from }) => {
    if (written.startsWith('//') || written.startsWith('/*')) return [];
    const isKey = /^[\w$]/.test(written) || text.startsWith(': ', from + written.length);
    return [{ from, to: from + written.length, words: wordsOf(written), isKey }];
  });
}

/** `\.tar`, `\.(?:tar|zip)` are the ends of names of files, and `(?:ssh|git):\/\/` are schemes of addresses. */
const NO_PROGRAMS = /\\\.(?:\((?:[^()]|\([^()]*\))*\)|[\w-]+)|(?:\([^()]*\)|\w+):\\\/\\\//g;

/** The words of a text, between blanks and bars; those of a pattern, between the signs that are no part of a name. */
function wordsOf(written: string): string[] {
  if (!written.startsWith('/')) return written.split(/[\s,|'"`]+/).filter((word) => word !== '');
  return (
    written
      .replace(NO_PROGRAMS, ' ')
      .replace(/\/[a-z]*$|\\[a-zA-Z]|\[[^\]]*\]/g, ' ')
      .match(/[A-Za-z0-9][\w+-]*/g) ?? []
  );
}
