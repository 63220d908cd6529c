/* A contract as a line: read, written, and suggested for a project. */
import type { Contract, ContractLimits } from '../../protocol/contract.ts';
import { attempt } from '../text/attempt.ts';
import * as messages from './messages.ts';

/** The limits of a contract that names none. */
export const DEFAULT_LIMITS: ContractLimits = { steps: 20, minutes: 15, tokens: 200_000 };

/** A contract, or the problem with its text. */
type ParsedContract = TypedContract | { readonly problem: string };

/** A contract as it was typed. */
export interface TypedContract {
  readonly contract: Contract;
  /** The run works in a copy of the project, behind the prompt. */
  readonly inBackground?: true;
}

/** A word of a contract. A quoted word is never a keyword. */
interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
}

type Clause = 'until' | 'within' | 'only' | 'net' | 'in';

const CLAUSES: readonly Clause[] = ['until', 'within', 'only', 'net', 'in'];
const UNITS: readonly (readonly [RegExp, keyof ContractLimits, number])[] = [
  [/^steps?$/, 'steps', 1],
  [/^(?:min|mins|minutes?|m)$/, 'minutes', 1],
  [/^(?:h|hours?)$/, 'minutes', 60],
  [/^tokens?$/, 'tokens', 1],
  [/^usd$/, 'usd', 1],
];

/**
 * Reads a contract: `"make the tests pass" until 'npm test' and 'npm run lint' within 20 steps, 15 min, 200k tokens only src net off`. The
 * goal and `until` are needed. The other clauses come in any order and have defaults.
 */
export function parseContract(text: string): ParsedContract {
  const words = splitWords(text);
  if (typeof words === 'string') return { problem: words };
  const [goal, ...rest] = words;
  if (goal === undefined || goal.text.trim() === '') return { problem: messages.NO_GOAL };
  if (!goal.isQuoted) return { problem: messages.GOAL_NOT_QUOTED };
  const clauses = new Map<Clause, Word[]>();
  let current: Word[] | null = null;
  for (const word of rest) {
    const clause = word.isQuoted ? null : toClause(word.text);
    if (clause !== null) {
      if (clauses.has(clause)) return { problem: messages.formatTwice(clause) };
      current = [];
      clauses.set(clause, current);
    } else if (current === null) return { problem: messages.formatUnknownWord(word.text) };
    else current.push(word);
  }
  return toContract(goal.text.trim(), clauses);
}

/** Reads the limits of a run that goes on, `within 40 steps, 30 min`; none for an empty text. Returns a problem as a text. */
export function parseResume(text: string): Partial<ContractLimits> | string {
  const words = splitWords(text);
  if (typeof words === 'string') return words;
  const [clause, ...rest] = words;
  if (clause === undefined) return {};
  if (clause.isQuoted || clause.text !== 'within') return messages.formatUnknownWord(clause.text);
  return rest.length === 0 ? messages.formatUnknownLimit('') : readLimits(rest, {});
}

function toContract(goal: string, clauses: ReadonlyMap<Clause, readonly Word[]>): ParsedContract {
  const until = (clauses.get('until') ?? []).filter(({ text, isQuoted }) => isQuoted || !/^(?:and|,)$/.test(text));
  if (until.length === 0) return { problem: messages.NO_CHECK };
  const loose = until.find(({ isQuoted }) => !isQuoted);
  if (loose !== undefined) return { problem: messages.formatCheckNotQuoted(loose.text) };
  const net = clauses.get('net')?.map(({ text }) => text);
  if (net !== undefined && (net.length !== 1 || net[0] !== 'off')) return { problem: messages.NET_ONLY_OFF };
  const limits = readLimits(clauses.get('within') ?? [], DEFAULT_LIMITS);
  if (typeof limits === 'string') return { problem: limits };
  const only = readPaths(clauses.get('only'));
  if (typeof only === 'string') return { problem: only };
  const place = clauses.get('in')?.map(({ text }) => text);
  if (place !== undefined && (place.length !== 1 || place[0] !== 'background')) return { problem: messages.IN_ONLY_BACKGROUND };
  const contract = { goal, until: until.map(({ text }) => text), only, limits };
  return place === undefined ? { contract } : { contract, inBackground: true };
}

function toClause(text: string): Clause | null {
  return CLAUSES.find((clause) => clause === text) ?? null;
}

/** Paths without `./` and a slash at the end; a path that leaves the project is a problem. */
function readPaths(words: readonly Word[] | undefined): readonly string[] | string {
  if (words === undefined) return ['.'];
  const paths = words.filter(({ text, isQuoted }) => isQuoted || text !== ',').map(({ text }) => normalizePath(text));
  if (paths.length === 0) return messages.NO_PATH;
  const outside = paths.find((path) => path.startsWith('/') || path === '..' || path.startsWith('../'));
  return outside === undefined ? [...new Set(paths)] : messages.formatOutsideProject(outside);
}

/** The path without `.` and `..` where possible. */
export function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return `${path.startsWith('/') ? '/' : ''}${parts.join('/') || (path.startsWith('/') ? '' : '.')}`;
}

function readLimits<T extends Partial<ContractLimits>>(words: readonly Word[], base: T): T | string {
  const limits: T & { -readonly [Key in keyof ContractLimits]?: number } = { ...base };
  const rest = words.filter(({ text }) => text !== ',').map(({ text }) => text);
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    const [, amount, joined = ''] = /^(\d+(?:\.\d+)?k?)(.*)$/.exec(word) ?? [];
    const unit = joined === '' ? (rest.shift() ?? '') : joined;
    const [, key, factor = 1] = UNITS.find(([pattern]) => pattern.test(unit)) ?? [];
    if (amount === undefined || key === undefined)
      return messages.formatUnknownLimit(amount === undefined ? word : `${amount} ${unit}`.trim());
    const value = Number.parseFloat(amount) * (amount.endsWith('k') ? 1000 : 1) * factor;
    const isWhole = key === 'steps' || key === 'tokens';
    if (!(value > 0) || (isWhole && !Number.isInteger(value))) return messages.formatUnknownLimit(word);
    limits[key] = value;
  }
  return limits;
}

/** Splits at blanks and commas; quotes hold a word together. Returns a problem as a text. */
function splitWords(text: string): Word[] | string {
  const words: Word[] = [];
  const pattern = /\s+|(,)|'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s,'"]+)|(['"])/gsy;
  for (const [, comma, single, double, plain, open] of text.matchAll(pattern)) {
    if (open !== undefined) return messages.OPEN_QUOTE;
    const quoted = single ?? double?.replace(/\\(["\\])/g, '$1');
    if (quoted !== undefined) words.push({ text: quoted, isQuoted: true });
    else if (plain !== undefined || comma !== undefined) words.push({ text: plain ?? ',', isQuoted: false });
  }
  return words;
}

/** A contract as it would be typed, whole. */
export function formatContractLine({ goal, until, only, limits }: Contract): string {
  const { steps, minutes, tokens, usd } = limits;
  const cost = usd === undefined ? '' : `, ${usd} usd`;
  const checks = until.map(quote).join(' and ');
  const paths = only.map((path) => (/^[^\s,'"]+$/.test(path) && toClause(path) === null ? path : quote(path))).join(', ');
  return `${quote(goal)} until ${checks} within ${steps} steps, ${minutes} min, ${tokens} tokens${cost} only ${paths} net off`;
}

function quote(text: string): string {
  return text.includes("'") ? `"${text.replace(/["\\]/g, '\\$&')}"` : `'${text}'`;
}

/** The files of a project that name its test command. */
export const CHECK_FILES = [
  ...(['package.json', 'bun.lock', 'pnpm-lock.yaml', 'yarn.lock', 'Makefile'] as const),
  ...(['Cargo.toml', 'go.mod', 'pyproject.toml', 'pytest.ini'] as const),
] as const;

/** The texts of these files; those that do not exist are missing. */
type CheckFiles = ReadonlyMap<string, string>;

/** The command that tests the project, by its files; null if they name none. */
export function suggestCheck(files: CheckFiles): string | null {
  const script = attempt(() => JSON.parse(files.get('package.json') ?? '{}')?.scripts?.test, null);
  // npm writes a test that fails into a new project.
  if (typeof script === 'string' && !script.includes('no test specified')) return `${runnerOf(files)} test`;
  const [target] = /^(?:test|check)(?=\s*:(?!=))/m.exec(files.get('Makefile') ?? '') ?? [];
  if (target !== undefined) return `make ${target}`;
  if (files.has('Cargo.toml')) return 'cargo test';
  if (files.has('go.mod')) return 'go test ./...';
  const python = files.get('pyproject.toml');
  if (files.has('pytest.ini') || python?.includes('pytest') === true) return 'pytest';
  return python === undefined ? null : 'python3 -m unittest';
}

function runnerOf(files: CheckFiles): string {
  if (files.has('pnpm-lock.yaml')) return 'pnpm';
  if (files.has('yarn.lock')) return 'yarn';
  return files.has('bun.lock') ? 'bun run' : 'npm';
}

/** Whether the words behind `:norris` are a plain sentence, not a contract. */
export function isSentence(text: string): boolean {
  return !/^['"]/.test(text) && !/\suntil\s/.test(text);
}

/** A whole contract for a goal, as a line to change and send. */
export function suggestContract(goal: string, files: CheckFiles): { readonly line: string; readonly hasCheck: boolean } {
  const check = suggestCheck(files);
  const contract = { goal: goal.trim(), until: [check ?? messages.COMMAND_HERE], only: ['.'], limits: DEFAULT_LIMITS };
  return { line: `:norris ${formatContractLine(contract)}`, hasCheck: check !== null };
}
