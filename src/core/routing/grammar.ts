import { literal } from '../commands/argument.ts';
import { commandWithin } from '../commands/effects.ts';
import { parseTakes, type Role, type Slot } from '../commands/facts.ts';
import { findProgram, programs } from '../commands/programs/find-program.ts';
import { type CommandSpec, readCall, subcommandsOf, takesOf } from '../commands/spec.ts';
import { FISH_BUILTINS } from '../commands/specs/shells.ts';
import { memoize } from '../text/memoize.ts';
import type { WordToken } from './lexer.ts';
import type { ShellFacts } from './shell-facts.ts';

/**
 * How the operands of a command are classified as words.
 *
 * - `nothing`: options only; `numbers`: numbers, signals, jobs; `paths`: files; `names`: hosts, users, services, variables
 * - `pages`: names of commands or topics; `packages`: packages; `text`: any words; `command`: another command and its operands
 * - `pattern`: a text to look for, then files; `program`: a program in quotes, then files; `subcommand`: see `subcommands`
 * - `times`: only the words of its manual page; `formal`: options, paths or existing files, never bare words alone
 */
export type Kind =
  | 'nothing'
  | 'numbers'
  | 'paths'
  | 'names'
  | 'pages'
  | 'packages'
  | 'text'
  | 'command'
  | 'pattern'
  | 'program'
  | 'subcommand'
  | 'times'
  | 'formal';

/** The form of a call of a command. */
export interface Grammar {
  readonly takes: Kind;
  readonly min: number;
  readonly max: number;
  /** The call changes something: where in doubt, it is no call. */
  readonly changes: boolean;
  /** The roles of its operands and of the operands of its subcommands. */
  readonly roles: ReadonlySet<Role>;
  /** Words of the command's own manual page. */
  readonly words: ReadonlySet<string>;
  readonly subcommands: ReadonlyMap<string, Grammar>;
  /** All that is known of the program. */
  readonly spec: CommandSpec;
}

/** Any words that are names: the assumption for an unknown command. */
export const UNKNOWN_GRAMMAR: Grammar = {
  takes: 'names',
  min: 0,
  max: Number.POSITIVE_INFINITY,
  changes: false,
  roles: new Set(),
  words: new Set(),
  subcommands: new Map(),
  spec: {},
};

/** Any words that are names, after a command that is known. */
export const NAMES: Grammar = { ...UNKNOWN_GRAMMAR };

/** Whether operands of the command name one of these. */
export function takesAny({ roles }: Grammar, ...wanted: readonly Role[]): boolean {
  for (const role of wanted) if (roles.has(role)) return true;
  return false;
}

/** Whether all its operands name files or folders that it will make. */
export function makesOnly({ roles }: Grammar): boolean {
  return roles.size > 0 && [...roles].every((role) => role === 'new-file' || role === 'new-folder');
}

const KINDS: Readonly<Partial<Record<Role, Kind>>> = {
  ...kind('paths', 'file own-file entry folder new-file new-folder changed-file modified-file remote-path owner mode'),
  ...kind('numbers', 'number process signal job'),
  ...kind('pages', 'page command-name'),
  ...kind('text', 'text expression arithmetic'),
  ...kind('times', 'word setting'),
  path: 'formal',
  package: 'packages',
  pattern: 'pattern',
  program: 'program',
};

function kind(one: Kind, roles: string): Partial<Record<Role, Kind>> {
  return Object.fromEntries(roles.split(' ').map((role) => [role, one]));
}

/** The grammar of a command in a shell, or null if its operands are unknown. */
export function grammarOf(name: string, shell: ShellFacts['shell'] = 'bash'): Grammar | null {
  const spec = (shell === 'fish' ? FISH_BUILTINS.get(name) : undefined) ?? findProgram(name);
  return spec === undefined ? null : readGrammar(spec);
}

const readGrammar: (spec: CommandSpec) => Grammar | null = memoize((spec) =>
  isTaking(spec) ? makeGrammar(spec, UNKNOWN_GRAMMAR.words) : null,
);

/** Subcommands that only say what they do, or what they run, may be few of many. */
function isTaking(spec: CommandSpec): boolean {
  if (typeof spec.takes !== 'object') return takesOf(spec) !== undefined;
  return Object.keys(spec.takes).some((takes) => !takes.includes('command...'));
}

function makeGrammar(spec: CommandSpec, inherited: ReadonlySet<string>): Grammar {
  const words = spec.words === undefined ? inherited : new Set(spec.words.split(/\s+/));
  if (typeof spec.takes === 'object') {
    const subs = [...subcommandsOf(spec)];
    const subcommands = new Map(subs.map(([name, one]) => [name, makeGrammar(one, words)]));
    const roles = new Set([...subcommands.values()].flatMap((one) => [...one.roles]));
    return { ...UNKNOWN_GRAMMAR, takes: 'subcommand', roles, words, subcommands, spec };
  }
  const { slots, changes } = parseTakes(takesOf(spec) ?? 'name...');
  return {
    ...UNKNOWN_GRAMMAR,
    takes: kindOf(slots),
    min: slots.reduce((sum, { min }) => sum + min, 0),
    max: slots.reduce((sum, { max }) => sum + max, 0),
    changes: changes || doesChange(spec),
    roles: new Set(slots.flatMap(({ roles }) => roles)),
    words,
    spec,
  };
}

/** The words of the command that a command runs; empty where it runs none. */
export function innerWords({ spec }: Grammar, words: readonly WordToken[]): readonly WordToken[] {
  if (spec.inner === undefined) return words;
  const all = words.slice(0, MOST_WORDS).map(({ value }) => literal(value));
  const command = commandWithin(spec.inner, readCall(spec, all));
  const [first] = command;
  if (first === undefined) return [];
  const at = all.indexOf(first);
  return words.slice(at, at + command.length < all.length ? at + command.length : undefined);
}

/** The words in which an inner command is looked for. */
const MOST_WORDS = 400;

/** By the first operand; a command behind anything but a host is one that runs here. */
function kindOf([first, ...rest]: readonly Slot[]): Kind {
  const [role] = first?.roles ?? [];
  if (role === undefined) return 'nothing';
  const isRunner = [first, ...rest].some((slot) => slot?.roles.includes('command'));
  return isRunner && role !== 'host' ? 'command' : (KINDS[role] ?? 'names');
}

function doesChange({ effect, operands, changes }: CommandSpec): boolean {
  return (
    typeof changes === 'object' ||
    /^(adds|changes|destroys|wrecks|plants|privileged)$/.test(effect ?? '') ||
    /^(add|edit|replace|delete)$/.test(operands ?? '')
  );
}

/** The names by their length with their first letter, and with their last. */
function byEnds(specs: ReturnType<typeof programs>): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  const add = (key: string, name: string): void => {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [name]);
    else group.push(name);
  };
  for (const [name, spec] of specs) {
    if (!isTaking(spec)) continue;
    add(`${name.length}^${name.charAt(0)}`, name);
    add(`${name.length}$${name.at(-1)}`, name);
  }
  return groups;
}

const namesByEnds = memoize(byEnds);

/** The known names that have so many letters, and the first or the last of them in common with a word. */
export function namesLike(word: string, length: number): readonly string[] {
  const names = namesByEnds(programs());
  const first = names.get(`${length}^${word.charAt(0)}`) ?? [];
  const last = names.get(`${length}$${word.at(-1)}`) ?? [];
  return [...first, ...last.filter((name) => name.charAt(0) !== word.charAt(0))];
}
