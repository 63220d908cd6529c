import { type Argument, literal, unknown } from '../argument.ts';
import { commandWithin } from '../effects.ts';
import { parseTakes } from '../facts.ts';
import { JoinedFacts } from '../joined-facts.ts';
import { type Invocation, readOptions } from '../parse.ts';
import { type CommandSpec, readCall, type SpecTable, spread, subcommandsOf, subSpec } from '../spec.ts';
import { BUILTINS } from '../specs/builtins.ts';
import { CLOUD } from '../specs/cloud.ts';
import { CONTAINERS } from '../specs/containers.ts';
import { DATABASES } from '../specs/databases.ts';
import { DEVELOPMENT } from '../specs/development.ts';
import { KEPT, MEDIA } from '../specs/file-formats.ts';
import { FILES } from '../specs/files.ts';
import { GIT } from '../specs/git.ts';
import { INTERPRETERS } from '../specs/interpreters.ts';

import { MACHINE } from '../specs/machine.ts';
import { NETWORK } from '../specs/network.ts';
import { PACKAGES } from '../specs/packages.ts';
import { PROGRAM_FACTS } from '../specs/program-facts.ts';
import { QUERIES } from '../specs/queries.ts';
import { FIND, LISTERS, READERS } from '../specs/readers.ts';
import { EDITORS, SHELLS, TERMINALS } from '../specs/shells.ts';
import { SYSTEM } from '../specs/system.ts';
import { SYSTEM_PACKAGES } from '../specs/system-packages.ts';
import { TEXT_TOOLS } from '../specs/text-tools.ts';
import { TRACERS } from '../specs/tracers.ts';
import { WRAPPERS } from '../specs/wrappers.ts';

/** The specs of all programs, by family. Each program has one row in one family. */
export const FAMILIES: readonly SpecTable[] = [
  READERS,
  LISTERS,
  QUERIES,
  KEPT,
  MACHINE,
  TEXT_TOOLS,
  MEDIA,
  FIND,
  FILES,
  EDITORS,
  GIT,
  DEVELOPMENT,
  PACKAGES,
  SYSTEM_PACKAGES,
  INTERPRETERS,
  NETWORK,
  CONTAINERS,
  CLOUD,
  DATABASES,
  SYSTEM,
  TERMINALS,
  WRAPPERS,
  TRACERS,
  SHELLS,
  BUILTINS,
];

const CLASSIFIED: ReadonlyMap<string, CommandSpec> = spread(...FAMILIES);
const PROGRAMS = new JoinedFacts<CommandSpec>(CLASSIFIED, PROGRAM_FACTS);

const SYSTEM_PATH = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/;

/** The name of a system program given by path; undefined for any other program. */
export function systemProgram(path: string): string | undefined {
  return SYSTEM_PATH.exec(path)?.[1];
}

/** The spec of a classified program; undefined if nobody has classified it. */
export function findSpec(name: string): CommandSpec | undefined {
  return CLASSIFIED.has(name) ? PROGRAMS.get(name) : undefined;
}

/** The names of all classified programs. */
export function specNames(): Iterable<string> {
  return CLASSIFIED.keys();
}

/** Everything known about a program, even if only the roles of its operands are known. */
export function findProgram(name: string): CommandSpec | undefined {
  return PROGRAMS.get(name);
}

/** All programs with a spec or facts, by name. */
export function programs(): JoinedFacts<CommandSpec> {
  return PROGRAMS;
}

/** Knowledge about a call: the spec of the program or its subcommand, and the words parsed by that spec. */
export interface KnownCall {
  readonly spec: CommandSpec;
  readonly given: Invocation;
  readonly words: readonly Argument[];
}

/** Finds the spec of a call; a program given by path uses the spec of its name. Null without a spec. */
export function findCall(name: string, words: readonly Argument[]): KnownCall | null {
  let spec = findProgram(name.slice(name.lastIndexOf('/') + 1));
  if (spec === undefined) return null;
  for (let rest = words; ; ) {
    const given: Invocation = readCall(spec, rest);
    const [verb, ...more] = given.operands;
    const sub: CommandSpec | undefined = verb?.value == null ? undefined : subSpec(spec, verb.value);
    if (sub === undefined) return { spec, given, words: rest };
    spec = { ...(spec.prints === undefined ? {} : { prints: spec.prints }), ...sub };
    rest = more;
  }
}

/** The kind of code that a program fetches, if any. */
export function fetchedBy([name, ...words]: readonly (string | null)[]): CommandSpec['fetches'] {
  const spec = name == null ? undefined : findProgram(name.slice(name.lastIndexOf('/') + 1));
  if (name == null || spec?.sub === undefined) return spec?.fetches;
  const given = words.map((word) => (word === null ? unknown('') : literal(word)));
  return findCall(name, given)?.spec.fetches;
}

/** Whether an alias runs the program of its own name, with options that only change the display. */
export function isHarmlessAlias(name: string, meaning: string): boolean {
  // After a trailing space the shell expands aliases in the next word too.
  const [program, ...options] = meaning.split(' ');
  if (program !== name) return false;
  const [letters = '', ...names] = findProgram(name)?.display?.split(' ') ?? [];
  return options.every((option) => {
    if (/^--colou?r(=(auto|always|never))?$/.test(option)) return true;
    const long = /^--([a-z-]+)(?:=[\w+:-]+)?$/.exec(option)?.[1];
    return long !== undefined
      ? names.includes(long)
      : option.length > 1 && option.startsWith('-') && [...option.slice(1)].every((one) => letters.includes(one));
  });
}

/** The value of an alias as the shell quotes it; null if the quoting is more than words and backslashes before plain characters. */
export function readQuotedMeaning(quoted: string): string | null {
  const inner = /^\$'([^\\']*)'$/.exec(quoted)?.[1];
  if (inner !== undefined) return inner;
  return /^(?:[^\\'"$`]|\\[ -~])*$/.test(quoted) ? quoted.replaceAll(/\\(.)/g, '$1') : null;
}

/** A command that another command runs. */
export interface InnerCommand {
  /** The index of the word that names the command. */
  readonly at: number;
  /** The command runs on another machine or in a container with different programs. */
  readonly elsewhere: boolean;
}

/** Finds the command that a command runs, from words without quotes; null if there is none, or if no single word names it. */
export function findInner(words: readonly string[]): InnerCommand | null {
  const [name = '', ...rest] = words;
  const given = rest.map((word) => literal(word));
  const known = findCall(name, given);
  const inner = known?.spec.inner;
  if (known === null || inner === undefined) return null;
  const [found] = commandWithin(inner, known.given);
  const shape = inner.script === undefined ? NAME : PLAIN_NAME;
  if (found?.value == null || !shape.test(found.value)) return null;
  return { at: given.indexOf(found) + 1, elsewhere: known.spec.elsewhere !== undefined };
}

/**
 * The commands that words name, each within the previous one: the words themselves, and the command of a wrapper or subcommand, as in
 * `poetry run pytest`. The program may run another command of that name: this is about names, not effects.
 */
export function* commandsNamed(words: readonly (string | null)[]): Iterable<readonly (string | null)[]> {
  for (let at: number | null = 0, named = words; at !== null; ) {
    named = named.slice(at);
    yield named;
    const [name = '', ...rest] = named.map((word) => word ?? '\0');
    const given = rest.map((word) => literal(word));
    const [first] = takenBy(findProgram(name) ?? {}, given);
    at = first === undefined ? (findInner([name, ...rest])?.at ?? null) : given.indexOf(first) + 1;
  }
}

function takenBy(spec: CommandSpec, words: readonly Argument[]): readonly Argument[] {
  const [verb, ...rest] = readOptions(words, { ...spec, any: true, stops: true }).operands;
  const sub = subcommandsOf(spec).get(verb?.value ?? '');
  if (sub !== undefined) return takenBy(sub, rest);
  const after = typeof spec.takes === 'string' ? parseTakes(spec.takes).slots.findIndex(({ roles }) => roles.includes('command')) : -1;
  return after < 0 ? [] : readOptions(words, { ...spec, any: true, inner: { after } }).operands.slice(after);
}

/** Neither an unknown option nor a separator such as `:::`. */
const NAME = /^(?!-).*[\w[.]/s;
/** The same if a shell reads the word: a script of several words is not a name. */
const PLAIN_NAME = /^(?!-)(?=.*[\w[.])[^\s;&|<>()$`"'\\]+$/s;
