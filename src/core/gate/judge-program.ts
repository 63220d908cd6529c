import type { Argument } from './argument.ts';
import { find } from './findings.ts';
import { readOptions } from './options.ts';
import { applyRule, type Call, type ProgramRule, spread } from './program.ts';
import { BUILTINS } from './programs/builtins.ts';
import { CLOUD } from './programs/cloud.ts';
import { CONTAINERS } from './programs/containers.ts';
import { DATABASES } from './programs/databases.ts';
import { DEVELOPMENT } from './programs/development.ts';
import { FILES } from './programs/files.ts';
import { FIND } from './programs/find.ts';
import { GIT } from './programs/git.ts';
import { INTERPRETERS } from './programs/interpreters.ts';
import { NETWORK } from './programs/network.ts';
import { PACKAGES } from './programs/packages.ts';
import { READERS } from './programs/readers.ts';
import { SHELLS } from './programs/shells.ts';
import { SYSTEM } from './programs/system.ts';
import { TEXT_TOOLS } from './programs/text-tools.ts';
import { WRAPPERS } from './programs/wrappers.ts';
import type { Finding } from './verdict.ts';

const PROGRAMS: ReadonlyMap<string, ProgramRule> = new Map(
  [
    READERS,
    TEXT_TOOLS,
    FIND,
    FILES,
    GIT,
    DEVELOPMENT,
    PACKAGES,
    INTERPRETERS,
    NETWORK,
    CONTAINERS,
    CLOUD,
    DATABASES,
    SYSTEM,
    WRAPPERS,
    SHELLS,
    BUILTINS,
  ].flatMap((table) => [...spread(table)]),
);

const SYSTEM_PATH = /^\/(usr\/(local\/)?)?s?bin\/([^/]+)$/;

/** True for a name that programs, builtins or wrappers of the tables have. */
export function isProgram(name: string): boolean {
  return PROGRAMS.has(name);
}

/** What the tables say of a program; undefined for one they do not have. */
export function programRule(name: string): ProgramRule | undefined {
  return PROGRAMS.get(name);
}

/** Judges a call of a program by the tables. What no table has runs code that nobody has judged. */
export function judgeProgram(call: Call, program: Argument): readonly Finding[] {
  if (call.name.includes('/')) return judgePath(call);
  if (program.isGlob) return [find('unclear', `the command ${program.text}`)];
  const rule = PROGRAMS.get(call.name);
  if (rule === undefined) return [find('runs', `${call.name} is not known`), ...leaks(call)];
  if (isQuestionAboutItself(call)) return [];
  return [...applyRule(rule, call), ...leaks(call)];
}

/** A program by its place: those of the system are known by name, any other is code that the line does not show. */
function judgePath(call: Call): readonly Finding[] {
  const name = SYSTEM_PATH.exec(call.name)?.[3];
  const rule = name === undefined ? undefined : PROGRAMS.get(name);
  if (name === undefined || rule === undefined) return [find('runs', call.name)];
  return [...applyRule(rule, { ...call, name }), ...leaks(call)];
}

/** A program that is asked for nothing but its version or its help says it and ends. */
function isQuestionAboutItself({ words }: Call): boolean {
  const [only, ...more] = words;
  return more.length === 0 && (only?.value === '--version' || only?.value === '--help');
}

/** A credential among the words of whatever program. */
function leaks({ words, name }: Call): readonly Finding[] {
  if (name === 'test' || name === '[' || name === ':') return [];
  const secret = words.find((word) => word.isSecret);
  return secret === undefined ? [] : [find('secrets', secret.text)];
}

/** The words of a call that are no options of the program itself: `git -C there push` is `push`. */
export function globalOperands(name: string, words: readonly Argument[]): readonly (string | null)[] {
  const rule = PROGRAMS.get(name);
  if (rule === undefined) return [];
  return readOptions(words, rule.sub === undefined ? rule : { ...rule, stops: true }).operands.map(
    (word) => word.value,
  );
}
