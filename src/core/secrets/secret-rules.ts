import type { Json, JsonObject } from '../../protocol/json.ts';
import type { GrantedSecret } from '../../protocol/tool.ts';
import type { Facts } from '../commands/facts.ts';
import { findProgram } from '../commands/programs/find-program.ts';
import { isSecretName } from '../commands/scope.ts';
import { type Command, type ParsedScript, parseShell, type SyntaxNode } from '../commands/syntax.ts';
import { type Classification, graver, isWithin, type Part } from '../commands/verdict.ts';
import { classifyLine, isSlow, type LineContext } from '../policy/classify-line.ts';
import { goesBeyond, isApprovable, matchesStart, readPrefix } from '../policy/prefix.ts';
import { faultOfPrefix } from '../policy/rules.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import { formatFile, THE_SHELL } from './messages.ts';
import { commandAround, commandsOf, findMentions, listsVariables, type Mention, walk, wordsOf } from './put-in-line.ts';
import { placeholdersIn } from './secret.ts';

/** Recipients that get a secret without asking: first words of commands, or names of tools, by secret. */
export type SecretRules = Readonly<Record<string, readonly string[]>>;

interface SecretContext {
  readonly rules: SecretRules;
  /** Exported shell variables that contain a secret. */
  readonly variables: ReadonlySet<string>;
  readonly place: LineContext;
}

/**
 * The secrets that a line would get: those it names, and those that a rule grants to its commands. A named secret goes to the enclosing
 * command, without asking only if a rule covers that command. A secret in the environment reaches every command of the line, so rules must
 * cover all commands except read-only ones.
 */
export function secretsOfLine(classification: Classification, context: SecretContext): readonly GrantedSecret[] {
  const { line } = classification;
  const { rules, variables } = context;
  const isLean = Object.keys(rules).length === 0 && !line.includes('⟨');
  if (isLean && ![...variables].some((name) => line.includes(name)) && !readsAll(line)) return [];
  const script = parseShell(line);
  const look = new LineLook(classification, script, context);
  const named = findMentions(line, script, variables).filter((mention) => look.isPassedOn(mention));
  const handed = named.map((mention) => look.toNamed(mention));
  const byRule = [...variables].flatMap((name) => (named.some((mention) => mention.name === name) ? [] : look.toEnvironment(name)));
  return unique([...handed, ...byRule]);
}

/** Whether a line may read any variable without naming it. */
function readsAll(line: string): boolean {
  return line.includes('${!') || line.split(/\W+/).some((word) => findProgram(word)?.listsVariables !== undefined);
}

/** The secrets whose placeholders are in the arguments of a tool, and the rule that grants them. */
export function secretsOfArguments(args: JsonObject, tool: string, rules: SecretRules): readonly GrantedSecret[] {
  const star = `${tool.slice(0, tool.indexOf('.'))}.*`;
  return [...new Set(textsIn(args).flatMap(placeholdersIn))].map((name) => {
    const rule = rulesFor(rules, name).find((one) => one === tool || one === star);
    return { name, to: tool, ...(rule === undefined ? {} : { rule }) };
  });
}

/** Exported shell variables that are withheld from a command. */
export function withheldFrom(variables: ReadonlySet<string>, handed: readonly GrantedSecret[]): readonly string[] {
  const isHanded = (name: string) => handed.some((secret) => secret.name === name && secret.exported === true);
  return [...variables].filter((name) => !isHanded(name)).toSorted();
}

/** Every text in a JSON value, including field names. */
function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}

/** A line under examination. */
class LineLook {
  readonly #context: SecretContext;
  readonly #classification: Classification;
  readonly #script: ParsedScript;
  readonly #commands: readonly Command[];
  readonly #classified = new Map<Command, Classification>();
  #dark: boolean | null = null;

  constructor(classification: Classification, script: ParsedScript, context: SecretContext) {
    this.#classification = classification;
    this.#script = script;
    this.#context = context;
    this.#commands = commandsOf(script);
  }

  /** A comment passes nothing on, and a printed list of all variables is ordinary output. */
  isPassedOn({ within }: Mention): boolean {
    const command = commandAround(within);
    if (within.length === 0) return false;
    if (command !== within.at(-1) || command === undefined) return true;
    return this.#commands.length > 1 || writtenTo(command) !== null;
  }

  toNamed({ name, within, isExported }: Mention): GrantedSecret {
    const command = commandAround(within);
    if (command === undefined) return { name, to: THE_SHELL };
    const file = writtenTo(command);
    if (file !== null) return { name, to: formatFile(file) };
    // A command that prints a secret passes it to the reader; a secret in the environment reaches all commands.
    const isForAll = isExported || listsVariables(command) || this.#onlyLooks(command);
    const found = isForAll ? this.#ruleForAll(name) : this.#ruleFor(name, command);
    const isAssigned = within.some(({ type }) => type === 'Assignment');
    const isMeant = found?.isWithin === true && (isExported || isAssigned || found.isForWords);
    const rule = isMeant ? { rule: found.rule } : {};
    const others = isForAll ? this.#commands.filter((other) => other !== command && !this.#onlyLooks(other)) : [];
    const to = [...new Set([command, ...others].map(describe))].join(', ');
    return { name, to, ...rule, ...(isExported ? { exported: true } : {}) };
  }

  toEnvironment(name: string): readonly GrantedSecret[] {
    const found = this.#ruleForAll(name);
    if (found === null) return [];
    const to = this.#commands.filter((command) => this.#ruleFor(name, command) !== null).map(describe);
    // A use beyond the rule needs an approval, which also grants the secret.
    const rule = found.isWithin ? { rule: found.rule } : {};
    return [{ name, to: [...new Set(to)].join(', '), ...rule, exported: true }];
  }

  /** The rules that cover every command of a line except read-only ones; null if one is uncovered. */
  #ruleForAll(name: string): FoundRule | null {
    if (rulesFor(this.#context.rules, name).length === 0 || this.#isDark()) return null;
    const used: FoundRule[] = [];
    for (const command of this.#commands) {
      const rule = this.#ruleFor(name, command);
      if (rule !== null) used.push(rule);
      else if (!this.#onlyLooks(command)) return null;
    }
    if (used.length === 0) return null;
    const rule = [...new Set(used.map((one) => one.rule))].join(', ');
    return { rule, isWithin: used.every((one) => one.isWithin), isForWords: used.every((one) => one.isForWords) };
  }

  /** The effects or the connections of the line are unknown, or the line is denied: then no rule applies. */
  #isDark(): boolean {
    if (this.#dark !== null) return this.#dark;
    const { class: kind, decision } = this.#classification;
    this.#dark = kind === 'unparseable' || decision === 'deny' || setsEnvironment(this.#script);
    return this.#dark;
  }

  /** The rule for a command without its redirections, which do not change its environment. */
  #ruleFor(name: string, command: Command): FoundRule | null {
    if (command.name === undefined || this.#isDark()) return null;
    const { place, rules } = this.#context;
    const classified = this.#classify(command);
    if (classified === null || classified.class === 'unparseable') return null;
    // The command's own part precedes the commands within its words.
    const [own, ...inner] = classified.parts.filter((part) => part.words.length > 0).toReversed();
    const isHarmless = inner.every((part) => part.effects.every((one) => one.class === 'read-only'));
    if (own === undefined || !isHarmless) return null;
    const named = rulesFor(rules, name).filter((prefix) => isNamed(prefix, own));
    const rule = named.find((prefix) => isWithinRule(prefix, own, place));
    const [first] = named;
    const chosen = rule ?? first;
    if (chosen === undefined) return null;
    const isExported = this.#context.variables.has(name);
    return { rule: chosen, isWithin: rule !== undefined, isForWords: isForWords(readPrefix(chosen), isExported) };
  }

  #onlyLooks(command: Command): boolean {
    if (command.name === undefined) return true;
    // A program that prints variables would print the secret.
    if (findProgram(command.name.value)?.printsVariables !== undefined) return false;
    const classified = this.#classify(command);
    return classified?.class === 'read-only' && classified.decision !== 'deny';
  }

  /** Classifies a command alone, without assignments and redirections; null if that takes too long. */
  #classify(command: Command): Classification | null {
    if (isSlow(this.#classification)) return null;
    const known = this.#classified.get(command) ?? classifyLine(bare(command), this.#context.place);
    this.#classified.set(command, known);
    return known;
  }
}

/** A rule for a command, and whether the command stays within the limits of such a rule. */
interface FoundRule {
  readonly rule: string;
  readonly isWithin: boolean;
  /** The rule grants the secret to the words and the input of the command too. */
  readonly isForWords: boolean;
}

function isNamed(prefix: string, part: Part): boolean {
  const words = readPrefix(prefix);
  return isApprovable(words) && part.plain && matchesStart(words, part.words);
}

/** Secrets mostly serve to contact other machines, so any rule allows a connection; more only if its bare words already do more. */
function isWithinRule(prefix: string, part: Part, place: LineContext): boolean {
  if (goesElsewhere(readPrefix(prefix), part, place)) return false;
  const bareClass = classifyLine(readPrefix(prefix).join(' '), place).class;
  const ceiling = bareClass === 'unparseable' ? 'network' : graver(bareClass, 'network');
  return part.effects.every((effect) => isWithin(effect.class, ceiling));
}

/** A command without its assignments and redirections. */
function bare({ name, args }: Command): string {
  return [name, ...args].map((word) => word?.text ?? '').join(' ');
}

function rulesFor(rules: SecretRules, name: string): readonly string[] {
  return Object.hasOwn(rules, name) ? (rules[name] ?? []) : [];
}

/** The file that a command writes to; null if there is none, or if it is unknown. */
function writtenTo({ redirects }: Command): string | null {
  const writes = redirects.find(({ operator }) => ['>', '>>', '>|', '&>', '&>>', '<>'].includes(operator));
  const path = writes !== undefined && 'target' in writes ? writes.target?.value : undefined;
  return path === undefined || path.startsWith('/dev/') ? null : path;
}

/** The program and its target address, as far as the line shows them. */
function describe(command: Command): string {
  const [program = THE_SHELL, ...words] = wordsOf(command);
  const hosts = words.flatMap((word) => /^(?:-[\w-]*=?)?[a-z][a-z0-9+.-]{0,40}:\/\/(?:[^/@\s]*@)?([^/:?#\s]+)/i.exec(word)?.[1] ?? []);
  const shown = program.slice(program.lastIndexOf('/') + 1);
  return hosts.length === 0 ? shown : `${shown} (${[...new Set(hosts)].join(', ')})`;
}

function unique(secrets: readonly GrantedSecret[]): readonly GrantedSecret[] {
  const found = new Map(secrets.map((secret) => [`${secret.name}\0${secret.to}\0${secret.rule ?? ''}`, secret]));
  return [...found.values()];
}

const ADDRESS = /^(?:-[\w-]*=?)?[a-z][a-z0-9+.-]{0,40}:\/\//i;
const NAMES_HOST = joinedRegExp(
  'i',
  '^--?(?:host(?:name)?|addr(?:ess)?|endpoint(?:-url)?|registry|server|api-(?:url|server|host)|base-url|url',
  '|proxy|index-url|repository(?:-url)?)(?:=|$)',
);

/**
 * Whether a rule also grants a secret to the words or the input of its command. A program with the secret in its environment could only use
 * it there to pass it on, such as in a comment, which is not the purpose of the rule.
 */
function isForWords(rule: readonly string[], isExported: boolean): boolean {
  return takesSecrets(rule) === 'in words' || (rule.length > 1 && !isExported);
}

/** Whether a command's words name a target address that its rule does not name. */
function goesElsewhere(rule: readonly string[], part: Part, place: LineContext): boolean {
  if (takesSecrets(rule) !== undefined) return false;
  if (goesBeyond(rule, part, place)) return true;
  return part.words.some((word) => word !== null && !rule.includes(word) && (ADDRESS.test(word) || NAMES_HOST.test(word)));
}

function takesSecrets([program = '']: readonly string[]): Facts['takesSecrets'] {
  return findProgram(program)?.takesSecrets;
}

const TOOL = /^[A-Za-z0-9_-]+\.(\*|[^*\s]+)$/;

/** The reason why a text is no valid secret rule; null if it names a tool, or the first words of a command that runs nothing else. */
export function faultOfSecretRule(rule: string): string | null {
  return TOOL.test(rule) ? null : faultOfPrefix('grant', rule);
}

/**
 * Whether a line may change a variable that programs obey, such as PATH or a host: then the named program may be a different one, or may
 * send the secret elsewhere. Lower-case names belong to the line itself.
 */
function setsEnvironment(script: ParsedScript): boolean {
  let isSet = false;
  walk(script, (node) => {
    isSet ||= setBy(node).some((name) => !isOwn(name) && !isSecretName(name));
  });
  return isSet;
}

function setBy(node: SyntaxNode): readonly string[] {
  switch (node.type) {
    case 'For':
    case 'Select':
      return [node.name.value];
    case 'Assignment':
      return [node.name ?? ''];
    case 'ParameterExpansion':
      return node.operation?.type === 'Default' && node.operation.operator.endsWith('=') ? [node.parameter] : [];
    case 'Command':
      return setByCommand(node);
    default:
      return [];
  }
}

function setByCommand(command: Command): readonly string[] {
  const [program = '', ...words] = wordsOf(command);
  if (findProgram(program)?.setsVariables !== undefined) return words.filter((word) => /^[A-Z_][A-Z0-9_]*$/.test(word));
  const setsNames = [program, ...words].some((word) => setsVariables(word.slice(word.lastIndexOf('/') + 1)));
  return setsNames ? words.flatMap((word) => /^([A-Za-z_]\w*)=/.exec(word)?.[1] ?? []) : [];
}

/** `env A=1 ls`, `sudo A=1 ls`. */
function setsVariables(program: string): boolean {
  return findProgram(program)?.inner?.assignments === true;
}

function isOwn(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !name.endsWith('_proxy') && name !== 'path';
}
