import { type Argument, literal } from '../commands/argument.ts';
import { parseTakes, type Role, slotAt } from '../commands/facts.ts';
import { joinOptions, longOptions, type OptionGrammar } from '../commands/parse.ts';
import { findProgram } from '../commands/programs/find-program.ts';
import { type CommandSpec, readCall, subcommandsOf, takesOf } from '../commands/spec.ts';
import type { Candidate } from './completion.ts';

/** Roles of arguments for which files and tables of our own tell what there is. */
const LISTED = [
  ...(['file', 'folder', 'host', 'remote-path', 'user', 'variable', 'alias', 'function', 'target'] as const),
  ...(['process', 'process-name', 'signal', 'job', 'branch', 'tag', 'ref', 'remote'] as const),
  ...(['changed-file', 'modified-file'] as const),
] as const satisfies readonly Role[];

/** The kind of thing that an argument names, if aish can list such things itself; `nothing` if no program can. */
export type ArgumentKind = (typeof LISTED)[number] | 'command' | 'nothing';

/** The things that may stand at the cursor, given the command before it. */
interface ExpectedArgument {
  readonly kinds: readonly ArgumentKind[];
  /** Subcommands, or options with what their values are joined by. */
  readonly words: readonly Candidate[];
}

const KINDS: Readonly<Partial<Record<Role, ArgumentKind>>> = {
  ...Object.fromEntries(LISTED.map((role) => [role, role])),
  ...{ entry: 'file', 'new-file': 'file', 'new-folder': 'folder', owner: 'user', 'command-name': 'command' },
};

/** The kind of thing that the word at the cursor names, given the words before it. Null if only the user's shell knows. */
export function findExpected(words: readonly string[], typed: string): ExpectedArgument | null {
  const [command = '', ...rest] = words;
  const spec = findProgram(command.slice(command.lastIndexOf('/') + 1));
  if (spec === undefined) return null;
  return expectIn(
    spec,
    Array.from(rest, (word) => literal(word)),
    { typed, isNested: false },
  );
}

interface Cursor {
  readonly typed: string;
  /** Behind a subcommand. */
  readonly isNested: boolean;
}

function expectIn(spec: CommandSpec, words: readonly Argument[], cursor: Cursor): ExpectedArgument | null {
  const { typed } = cursor;
  const at = literal('x');
  const given = readCall(withValues(spec), [...words, at]);
  const option = given.options.find(({ value }) => value === at);
  if (option !== undefined) return kindsOf(valueRole(spec, option.name), cursor);
  const [first, ...more] = given.operands;
  const subs = subcommandsOf(spec);
  if (subs.size > 0 && first !== undefined && first !== at) {
    const sub = subs.get(first.value ?? '');
    return sub === undefined ? null : expectIn(sub, words.slice(words.indexOf(first) + 1), { typed, isNested: true });
  }
  const isBehindDashes = words.some(({ value }) => value === '--');
  const isOption = typed.startsWith('-') && !isBehindDashes;
  if (isOption) return kindsOf(valueRole(spec, '-'), cursor) ?? { kinds: [], words: optionsOf(spec, typed) };
  if (subs.size > 0) return { kinds: ['target'], words: spec.isOfKind === true ? [] : toCandidates(subs) };
  const slot = slotAt(parseTakes(takesOf(spec) ?? 'name...'), more.length);
  if (isBehindDashes && slot?.roles.some((role) => role === 'ref' || role === 'branch')) return { kinds: ['file'], words: [] };
  // aish cannot look up the names that a command on another machine takes.
  if (slot?.roles.includes('command')) return { kinds: ['nothing'], words: [] };
  return kindsOf(slot?.roles, cursor);
}

/** The options of a program, and those options with values of a known kind. */
function withValues(spec: CommandSpec): OptionGrammar {
  if (spec.values === undefined) return spec;
  const names = Object.keys(spec.values).flatMap((each) => each.split(' '));
  const letters = names.filter((name) => name.length === 1 && name !== '-').map((name) => `${name}:`);
  const words = names.filter((name) => name.length > 1).map((name) => `${name}=`);
  return { ...spec, options: joinOptions(`-${letters.join('')} ${words.join(' ')}`, spec.options ?? '') };
}

function valueRole({ values = {}, on = {} }: CommandSpec, name: string): Role | undefined {
  const named = Object.entries(values).find(([names]) => names.split(' ').includes(name))?.[1];
  if (named !== undefined) return named;
  const meaning = Object.entries(on).find(([names]) => names.split(' ').includes(name))?.[1] ?? '';
  return /^(name|content|list|add|edit|replace|delete)$/.test(meaning) ? 'file' : undefined;
}

function kindsOf(role: Role | readonly Role[] | undefined, { typed, isNested }: Cursor): ExpectedArgument | null {
  const roles = typeof role === 'string' ? [role] : (role ?? []);
  const found = roles.flatMap((one) => KINDS[one] ?? []);
  // The shell tells files of a subcommand apart by more than their names, and jobs are marked.
  const wanted = found.includes('process') ? ([typed.startsWith('%') ? 'job' : 'process'] as const) : found;
  const kinds = wanted.filter((kind) => !isNested || kind !== 'file');
  return kinds.length === 0 ? null : { kinds, words: [] };
}

function toCandidates(subs: ReadonlyMap<string, CommandSpec>): readonly Candidate[] {
  return Array.from(subs, ([value, { about }]) => (typeof about === 'string' ? { value, description: about } : { value }));
}

/** Long options; one that takes a value waits for it. */
function optionsOf({ options, single }: CommandSpec, typed: string): readonly Candidate[] {
  const dash = single === true ? '-' : '--';
  if (!dash.startsWith(typed) && !typed.startsWith(dash)) return [];
  return Array.from(longOptions(options), ([name, arity]) => {
    const value = `${dash}${name}`;
    return (arity === 'value' || arity === 'pair') && single !== true ? { value: `${value}=`, suffix: '' } : { value };
  });
}

/** The signals that `kill` sends, the usual ones first, as they are typed behind its dash. */
export const SIGNALS: readonly Candidate[] = [
  row('TERM', '15: end, with time to clean up'),
  row('KILL', '9: end at once'),
  row('INT', '2: as Ctrl-C does'),
  row('HUP', '1: the terminal has gone; many services read their configuration anew'),
  row('QUIT', '3: end, and leave a core dump'),
  row('STOP', '19: stop until CONT'),
  row('CONT', '18: go on'),
  row('TSTP', '20: as Ctrl-Z does'),
  row('USR1', '10: what the program makes of it'),
  row('USR2', '12: what the program makes of it'),
  row('ABRT', '6: abort'),
  row('ALRM', '14: a timer has run out'),
  row('CHLD', '17: a child has ended'),
  row('PIPE', '13: nobody reads any more'),
  row('WINCH', '28: the window has another size'),
  row('SEGV', '11: bad access to memory'),
  row('TRAP', '5: a debugger\u2019s stop'),
  row('BUS', '7: bad access to memory'),
  row('FPE', '8: bad arithmetic'),
  row('ILL', '4: bad instruction'),
  row('IO', '29: input or output is possible'),
  row('PROF', '27: a profiling timer has run out'),
  row('SYS', '31: bad system call'),
  row('TTIN', '21: read from the terminal in the background'),
  row('TTOU', '22: write to the terminal in the background'),
  row('URG', '23: urgent data'),
  row('VTALRM', '26: a virtual timer has run out'),
  row('XCPU', '24: too much processor time'),
  row('XFSZ', '25: a file grew too large'),
];

function row(value: string, description: string): Candidate {
  return { value, description };
}
