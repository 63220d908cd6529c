import type { AST } from 'toml-eslint-parser';
import * as v from 'valibot';
import type { RuleKind } from '../../core/policy/rules.ts';
import { nearestNames } from '../../core/text/nearest.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import { listConfigKeys } from '../../protocol/config-keys.ts';
import { configSchema } from '../../protocol/config-schema.ts';
import { AishError } from '../../protocol/error.ts';
import { type FileText, formatKey, isTable, type KeyPath, listLeaves, matchesPattern } from './config-file.ts';
import { formatMatched, formatUnmatched } from './messages.ts';

/** A file that passed every check. */
interface CheckedFile {
  /** With the defaults filled in. */
  readonly config: Config;
  readonly set: readonly KeyPath[];
  readonly warnings: readonly string[];
}

/** One thing that is wrong, and whether its key or its value is to be pointed at. */
interface Problem {
  readonly path: KeyPath;
  readonly at: 'key' | 'value';
  readonly text: string;
}

/** Parses and checks the user's own file. It reports all problems at once, each with its place. */
export async function checkFile(file: FileText): Promise<CheckedFile> {
  const raw = await parseFile(file);
  const result = v.safeParse(configSchema, raw);
  if (!result.success) throw await invalidFile(file, [...findUnknownKeys(raw), ...result.issues.flatMap(toProblem)]);
  const config: Config = { ...DEFAULT_CONFIG, ...result.output };
  const faults = [
    ...checkFallbacks(config),
    ...(await checkCommandRules(config.safety)),
    ...(await checkSecretRules(config.secrets)),
  ];
  if (faults.length > 0) throw await invalidFile(file, faults);
  return {
    config,
    set: listLeaves(raw).map((leaf) => leaf.path),
    warnings: [...warnOfTokens(config, file), ...warnOfExec(config, file)],
  };
}

/** Parses a file as TOML; a mistake in it is an error with its place. */
export async function parseFile(file: FileText): Promise<unknown> {
  try {
    return Bun.TOML.parse(file.text);
  } catch (cause) {
    const found = await readPositions(file.text);
    const place = 'why' in found ? `:${found.line}:${found.column}: ${found.why}` : `: ${String(cause)}`;
    throw new AishError('config.invalid', `${file.path}${place}`, {
      hint: 'correct the line, then run: aish config check',
      cause,
    });
  }
}

/** Checks the rules for commands that a project's file adds to others; a mistake in one is an error with its place. */
export async function checkRulesOf(
  file: FileText,
  { ask, deny }: CommandRuleLists,
  before: CommandRuleLists,
): Promise<void> {
  const added = { approve: [], ask: ask.slice(before.ask.length), deny: deny.slice(before.deny.length) };
  const faults = await checkCommandRules(added);
  if (faults.length > 0) throw await invalidFile(file, faults);
}

async function invalidFile(file: FileText, problems: readonly Problem[]): Promise<AishError> {
  const positions = await readPositions(file.text);
  const lines = problems.map(({ path, at, text }) => {
    const place = 'why' in positions ? positions : positions[at](path);
    return { ...place, text: `${file.path}:${place.line}:${place.column}: ${text}` };
  });
  lines.sort((a, b) => a.line - b.line || a.column - b.column);
  return new AishError('config.invalid', lines.map((line) => line.text).join('\n'), {
    hint: 'docs/config.md lists all keys; aish config init writes a file with all of them',
  });
}

/** Finds every unknown key; the schema itself stops at the first one of a table. */
function findUnknownKeys(raw: unknown): readonly Problem[] {
  const known = listConfigKeys();
  const walk = (value: unknown, path: KeyPath): readonly Problem[] => {
    if (!isTable(value)) return [];
    return Object.entries(value).flatMap(([name, inner]) => {
      const at = [...path, name];
      const key = known.find((candidate) => matchesPattern(at, candidate.path));
      if (key === undefined)
        return { path: at, at: 'key', text: `unknown key ${formatKey(at)}${suggest(at)}` } as const;
      return key.type === 'table' ? walk(inner, at) : [];
    });
  };
  return walk(raw, []);
}

function toProblem(issue: v.BaseIssue<unknown>): Problem | readonly Problem[] {
  const path = (issue.path ?? []).map((item) => String(item.key));
  const name = formatKey(path);
  if (issue.type === 'strict_object' && issue.expected === 'never') return [];
  if (issue.kind === 'schema' && issue.received === 'undefined') return { path, at: 'key', text: `${name} is missing` };
  if (issue.path?.at(-1)?.origin === 'key') return { path, at: 'key', text: `${name}: ${issue.message}` };
  return { path, at: 'value', text: `${name} ${issue.kind === 'schema' ? wrongType(issue) : issue.message}` };
}

/** Says what is wanted. The value itself is left out: it may be a secret. */
function wrongType(issue: v.BaseIssue<unknown>): string {
  if (issue.type === 'picklist')
    return `must be one of ${(issue.expected ?? '').replaceAll(/[()]/g, '').replaceAll(' | ', ', ')}`;
  const names: Readonly<Record<string, string>> = {
    string: 'a string',
    number: 'a number',
    boolean: 'true or false',
    array: 'a list',
    strict_object: 'a table',
    record: 'a table',
    union: 'a string or a table',
  };
  return `must be ${names[issue.type] ?? issue.type}`;
}

function suggest(path: KeyPath): string {
  const parent = path.slice(0, -1);
  const siblings = listConfigKeys().filter((key) => matchesPattern(parent, key.path.slice(0, -1)));
  const names = siblings.flatMap((key) => key.path.at(-1) ?? []);
  const [nearest] = nearestNames(path.at(-1) ?? '', names);
  if (nearest !== undefined) return `; did you mean ${nearest}?`;
  return names.length === 0 ? '' : `; known keys: ${names.join(', ')}`;
}

/** A fallback is a model of the file, or one that its provider names: `PROVIDER:MODEL`. */
function checkFallbacks({ models }: Config): readonly Problem[] {
  const names = Object.keys(models);
  return Object.entries(models).flatMap(([name, { fallback = [] }]) =>
    fallback.flatMap((wanted, at) => {
      if (wanted.includes(':') || Object.hasOwn(models, wanted)) return [];
      const [nearest] = nearestNames(wanted, names);
      const hint = nearest === undefined ? `; the models are ${names.join(', ')}` : `; did you mean ${nearest}?`;
      const text = `models.${name}.fallback names ${JSON.stringify(wanted)}, which is no model of this file${hint}`;
      return [{ path: ['models', name, 'fallback', String(at)], at: 'value', text } as const];
    }),
  );
}

function warnOfExec({ mcp }: Config, { path }: FileText): readonly string[] {
  if (mcp.auto_approve['aish.exec'] !== true) return [];
  return [`${path}: mcp.auto_approve."aish.exec" has no effect on commands; list commands in [safety] approve`];
}

/** The rights of a file that is not written yet. */
const NOBODYS = { mode: 0o600, uid: 0 };

/** A warning if somebody else may decide what aish runs and trusts. */
export function warnOfWriters({ path, rights: { mode, uid } = NOBODYS }: FileText): readonly string[] {
  const user = process.geteuid?.() ?? 0;
  const isForeign = user !== 0 && uid !== 0 && uid !== user;
  if ((mode & 0o002) === 0 && !isForeign) return [];
  return [
    `${path}: other users can change this file, and so what aish runs; make it your own, and run chmod go-w on it`,
  ];
}

function warnOfTokens(config: Config, file: FileText): readonly string[] {
  if (((file.rights ?? NOBODYS).mode & 0o044) === 0) return [];
  return Object.entries(config.mcp.servers).flatMap(([alias, server]) => {
    const keys = [
      ...(server.auth_token === undefined ? [] : ['auth_token']),
      ...Object.keys(server.headers ?? {}).filter((name) => name.toLowerCase() === 'authorization'),
    ];
    return keys.map(
      (key) =>
        `${file.path}: other users can read the ${key} of server ${alias}; run chmod 600 on the file, or use auth_env`,
    );
  });
}

/** A place in a file, both counted from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

interface Positions {
  /** The place of a key, or of the nearest table around it that is written out. */
  key(path: KeyPath): Position;
  value(path: KeyPath): Position;
}

/** The problem of a file that is no TOML. */
interface SyntaxProblem extends Position {
  readonly why: string;
}

interface Place {
  readonly key: Position;
  readonly value: Position;
}

const START: Position = { line: 1, column: 1 };

/** Reads the places of all keys; used only when something is wrong, because its parser takes long to load. */
async function readPositions(text: string): Promise<Positions | SyntaxProblem> {
  const { parseTOML, ParseError } = await import('toml-eslint-parser');
  try {
    const places = new Map<string, Place>();
    collect(parseTOML(text).body[0].body, [], places);
    return {
      key: (path) => find(places, path)?.key ?? START,
      value: (path) => find(places, path)?.value ?? START,
    };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { line: error.lineNumber, column: error.column + 1, why: error.message };
  }
}

function find(places: ReadonlyMap<string, Place>, path: KeyPath): Place | undefined {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(formatKey(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return undefined;
}

function collect(
  nodes: readonly (AST.TOMLKeyValue | AST.TOMLTable)[],
  prefix: KeyPath,
  places: Map<string, Place>,
): void {
  for (const node of nodes) {
    const last = notePath(node, prefix, places);
    if (node.type === 'TOMLTable') collect(node.body, last, places);
    else if (node.value.type === 'TOMLInlineTable') collect(node.value.body, last, places);
    else if (node.value.type === 'TOMLArray') noteElements(node.value, last, places);
  }
}

/** Notes every step of a dotted key, the first mention of each, and gives the whole path. */
function notePath(node: AST.TOMLKeyValue | AST.TOMLTable, prefix: KeyPath, places: Map<string, Place>): KeyPath {
  let path = prefix;
  for (const part of node.key.keys) {
    path = [...path, part.type === 'TOMLBare' ? part.name : part.value];
    const key = toPosition(part.loc.start);
    const value = node.type === 'TOMLTable' ? key : toPosition(node.value.loc.start);
    const name = formatKey(path);
    if (!places.has(name)) places.set(name, { key, value });
  }
  return path;
}

function noteElements(list: AST.TOMLArray, path: KeyPath, places: Map<string, Place>): void {
  for (const [index, element] of list.elements.entries()) {
    const start = toPosition(element.loc.start);
    places.set(formatKey([...path, String(index)]), { key: start, value: start });
  }
}

function toPosition(start: { readonly line: number; readonly column: number }): Position {
  return { line: start.line, column: start.column + 1 };
}

/** Checks the receivers of secrets. Loads the policy only if there are any. */
async function checkSecretRules({ allow }: Config['secrets']): Promise<readonly Problem[]> {
  if (Object.keys(allow).length === 0) return [];
  const { faultOfSecretRule } = await import('../../core/secrets/secret-rules.ts');
  return Object.entries(allow).flatMap(([name, rules]) =>
    rules.flatMap((rule, at) => {
      const fault = faultOfSecretRule(rule);
      const text = `secrets.allow.${name}: ${JSON.stringify(rule)} ${fault}`;
      return fault === null ? [] : [{ path: ['secrets', 'allow', name, String(at)], at: 'value', text } as const];
    }),
  );
}

/** The lists of rules for commands. */
export type CommandRuleLists = Pick<Config['safety'], RuleKind>;

const KINDS: readonly RuleKind[] = ['approve', 'ask', 'deny'];

/** Checks the rules for commands and their examples. Loads the policy only if there are any. */
async function checkCommandRules(safety: CommandRuleLists): Promise<readonly Problem[]> {
  if (KINDS.every((kind) => safety[kind].length === 0)) return [];
  const { faultOfPrefix, ruleTakes } = await import('../../core/policy/rules.ts');
  return KINDS.flatMap((kind) =>
    safety[kind].flatMap((rule, at) => {
      const path = ['safety', kind, String(at)];
      const { prefix, match = [], no_match = [] } = typeof rule === 'string' ? { prefix: rule } : rule;
      const problem = (text: string): Problem => ({ path, at: 'value', text: `safety.${kind}: ${text}` });
      const fault = faultOfPrefix(kind, prefix);
      if (fault !== null) return [problem(`${JSON.stringify(prefix)} ${fault}`)];
      const takes = (line: string) => ruleTakes(kind, prefix, line);
      return [
        ...match
          .filter((line) => !takes(line))
          .map((line) => problem(formatUnmatched(JSON.stringify(prefix), JSON.stringify(line)))),
        ...no_match.filter(takes).map((line) => problem(formatMatched(JSON.stringify(prefix), JSON.stringify(line)))),
      ];
    }),
  );
}
