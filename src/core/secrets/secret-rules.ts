import type { Json, JsonObject } from '../../protocol/json.ts';
import type { GrantedSecret } from '../../protocol/tool.ts';
import type { Facts } from '../commands/facts.ts';
import { findProgram } from '../commands/programs/find-program.ts';
import { isSecretName } from '../commands/scope.ts';
import { type Command, type ParsedScript, parseShell, type SyntaxNode } from '../commands/syntax.ts';
import { type Classification, graver, isWithin, type Part } from '../commands/verdict.ts';
import { goesBeyond } from '../policy/beyond-rule.ts';
import { classifyLine, isSlow, type LineContext } from '../policy/classify-line.ts';
import { isApprovable, matchesStart, readPrefix } from '../policy/prefix.ts';
import { faultOfPrefix } from '../policy/rules.ts';
import { formatFile, THE_SHELL } from './messages.ts';
import { commandAround, commandsOf, findMentions, listsVariables, type Mention, walk, wordsOf } from './put-in-line.ts';
import { placeholdersIn } from './secret.ts';

/** Who is handed a secret without asking: first words of commands, or names of tools, by the name of the secret. */
export type SecretRules = Readonly<Record<string, readonly string[]>>;

interface SecretContext {
  readonly rules: SecretRules;
  /** Exported variables of the shell that hold a secret. */
  readonly variables: ReadonlySet<string>;
  readonly place: LineContext;
}

/**
 * The secrets that a line would be handed: those it names, and those that a rule hands to what it runs. A secret that is named goes to the
 * command around it, and without asking only where a rule covers that command. One that goes by the environment alone reaches all that the
 * line runs, so rules must cover all of it but for what only looks.
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

/** Whether a line may read any variable without its name. */
function readsAll(line: string): boolean {
  return line.includes('${!') || line.split(/\W+/).some((word) => findProgram(word)?.listsVariables !== undefined);
}

/** The secrets whose placeholders stand in the arguments of a tool, and the rule that hands them to it. */
export function secretsOfArguments(args: JsonObject, tool: string, rules: SecretRules): readonly GrantedSecret[] {
  const star = `${tool.slice(0, tool.indexOf('.'))}.*`;
  return [...new Set(textsIn(args).flatMap(placeholdersIn))].map((name) => {
    const rule = rulesFor(rules, name).find((one) => one === tool || one === star);
    return { name, to: tool, ...(rule === undefined ? {} : { rule }) };
  });
}

/** The variables that a command goes without, though the shell exports them. */
export function withheldFrom(variables: ReadonlySet<string>, handed: readonly GrantedSecret[]): readonly string[] {
  const isHanded = (name: string) => handed.some((secret) => secret.name === name && secret.exported === true);
  return [...variables].filter((name) => !isHanded(name)).toSorted();
}

/** Every text of a value, the names of fields among them. */
function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}

/** A line while it is looked at. */
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

  /** A comment passes on nothing, and a list of all variables on the screen is output like any other. */
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
    // What prints a secret hands it to what reads that; what is in the environment is handed to all.
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
    // What goes beyond its rule is asked about, and gets it with the yes.
    const rule = found.isWithin ? { rule: found.rule } : {};
    return [{ name, to: [...new Set(to)].join(', '), ...rule, exported: true }];
  }

  /** The rules that cover all a line runs but for what only looks; null where something is left. */
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

  /** Nobody can tell what the line does or where its programs send what they have, or it is refused: no rule has a part in that. */
  #isDark(): boolean {
    if (this.#dark !== null) return this.#dark;
    const { class: kind, decision } = this.#classification;
    this.#dark = kind === 'unparseable' || decision === 'deny' || setsEnvironment(this.#script);
    return this.#dark;
  }

  /** The rule that names a command, redirections apart: where its output goes is no matter of its environment. */
  #ruleFor(name: string, command: Command): FoundRule | null {
    if (command.name === undefined || this.#isDark()) return null;
    const { place, rules } = this.#context;
    const classified = this.#classify(command);
    if (classified === null || classified.class === 'unparseable') return null;
    // What its words run comes first among the parts.
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
    // With a secret in the environment, what reads it would get it.
    if (findProgram(command.name.value)?.printsVariables !== undefined) return false;
    const classified = this.#classify(command);
    return classified?.class === 'read-only' && classified.decision !== 'deny';
  }

  /** A command by itself, without its assignments and redirections; null where the line takes too long to be classified. */
  #classify(command: Command): Classification | null {
    if (isSlow(this.#classification)) return null;
    const known = this.#classified.get(command) ?? classifyLine(bare(command), this.#context.place);
    this.#classified.set(command, known);
    return known;
  }
}

/** A rule that names a command, and whether the command does no more than such a rule may let through. */
interface FoundRule {
  readonly rule: string;
  readonly isWithin: boolean;
  /** It hands the secret to the words and the input of a command, too. */
  readonly isForWords: boolean;
}

function isNamed(prefix: string, part: Part): boolean {
  const words = readPrefix(prefix);
  return isApprovable(words) && part.plain && matchesStart(words, part.words);
}

/** A secret is mostly for who talks to others, so that is no more than any rule may let through; more is where its bare words do more. */
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

/** The file that a command writes to; null for none, or where it is not known. */
function writtenTo({ redirects }: Command): string | null {
  const writes = redirects.find(({ operator }) => ['>', '>>', '>|', '&>', '&>>', '<>'].includes(operator));
  const path = writes !== undefined && 'target' in writes ? writes.target?.value : undefined;
  return path === undefined || path.startsWith('/dev/') ? null : path;
}

/** The program and where it would connect to, as far as the line shows. */
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
const NAMES_HOST = new RegExp(
  [
    '^--?(?:host(?:name)?|addr(?:ess)?|endpoint(?:-url)?|registry|server|api-(?:url|server|host)|base-url|url',
    '|proxy|index-url|repository(?:-url)?)(?:=|$)',
  ].join(''),
  'i',
);

/**
 * Whether a rule hands a secret also to the words or the input of its command. A program that finds the secret in its environment
 * has no use for it there but to pass it on, such as in a comment: that is another use than the rule was made for.
 */
function isForWords(rule: readonly string[], isExported: boolean): boolean {
  return takesSecrets(rule) === 'in words' || (rule.length > 1 && !isExported);
}

/** True where a command's words say where to connect to, which its rule does not. */
function goesElsewhere(rule: readonly string[], part: Part, place: LineContext): boolean {
  if (takesSecrets(rule) !== undefined) return false;
  if (goesBeyond(rule, part, place)) return true;
  return part.words.some((word) => word !== null && !rule.includes(word) && (ADDRESS.test(word) || NAMES_HOST.test(word)));
}

function takesSecrets([program = '']: readonly string[]): Facts['takesSecrets'] {
  return findProgram(program)?.takesSecrets;
}

const TOOL = /^[A-Za-z0-9_-]+\.(\*|[^*\s]+)$/;

/** Why a text cannot say who is handed a secret; null where it names a tool, or the first words of a command that runs nothing else. */
export function faultOfSecretRule(rule: string): string | null {
  return TOOL.test(rule) ? null : faultOfPrefix('grant', rule);
}

/**
 * True for a line that may give another value to a variable that programs go by, such as PATH or a host: what is handed a secret by name
 * could be another program then, or send it elsewhere. Names in small letters are the line's own.
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
