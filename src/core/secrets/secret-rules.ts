import type { Json, JsonObject } from '../../protocol/json.ts';
import type { HandedSecret } from '../../protocol/tool.ts';
import { judgeLine, type LineGround } from '../gate/judge-line.ts';
import { isApprovable, matchesStart, readPrefix } from '../gate/prefix.ts';
import { graver, isWithin, type Part } from '../gate/verdict.ts';
import { type Command, parseShell } from '../shell-syntax/syntax.ts';
import { commandAround, commandsOf, findMentions, listsVariables, type Mention, wordsOf } from './mentions.ts';
import { placeholdersIn } from './secret.ts';
import { setsEnvironment } from './sets-environment.ts';
import { goesElsewhere, isForWords } from './use-of-rule.ts';

/** Who is handed a secret unasked: first words of commands, or names of tools, by the name of the secret. */
export type SecretRules = Readonly<Record<string, readonly string[]>>;

/** What a line is looked at with. */
export interface SecretGround {
  readonly rules: SecretRules;
  /** Exported variables of the shell that hold a secret. */
  readonly variables: ReadonlySet<string>;
  /** Where the line would run. */
  readonly place: LineGround;
}

/**
 * The secrets that a line would be handed: those it names, and those that a rule hands to what it runs. A secret that is named goes to the
 * command around it, and unasked only where a rule covers that command. One that goes by the environment alone reaches all that the line
 * runs, so rules must cover all of it but for what only looks.
 */
export function secretsOfLine(line: string, ground: SecretGround): readonly HandedSecret[] {
  const { rules, variables } = ground;
  const isLean = Object.keys(rules).length === 0 && !line.includes('⟨');
  if (isLean && ![...variables].some((name) => line.includes(name)) && !READS_ALL.test(line)) return [];
  const look = new LineLook(line, ground);
  const named = findMentions(line, variables).filter((mention) => look.isHandedOver(mention));
  const handed = named.map((mention) => look.toNamed(mention));
  const byRule = [...variables].flatMap((name) =>
    named.some((mention) => mention.name === name) ? [] : look.toEnvironment(name),
  );
  return unique([...handed, ...byRule]);
}

/** What may read any variable without its name. */
const READS_ALL = /\$\{!|\b(?:set|declare|typeset|export|readonly)\b/;

/** The secrets whose placeholders stand in the arguments of a tool, and the rule that hands them to it. */
export function secretsOfArguments(args: JsonObject, tool: string, rules: SecretRules): readonly HandedSecret[] {
  const star = `${tool.slice(0, tool.indexOf('.'))}.*`;
  return [...new Set(textsIn(args).flatMap(placeholdersIn))].map((name) => {
    const rule = rulesFor(rules, name).find((one) => one === tool || one === star);
    return { name, to: tool, ...(rule === undefined ? {} : { rule }) };
  });
}

/** The variables that a command goes without, though the shell exports them. */
export function withheldFrom(variables: ReadonlySet<string>, handed: readonly HandedSecret[]): readonly string[] {
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
  readonly #ground: SecretGround;
  readonly #line: string;
  readonly #commands: readonly Command[];
  #dark: boolean | null = null;

  constructor(line: string, ground: SecretGround) {
    this.#line = line;
    this.#ground = ground;
    this.#commands = commandsOf(parseShell(line));
  }

  /** A comment hands over nothing, and a list of all variables on the screen is output like any other. */
  isHandedOver({ within }: Mention): boolean {
    const command = commandAround(within);
    if (within.length === 0) return false;
    if (command !== within.at(-1) || command === undefined) return true;
    return this.#commands.length > 1 || writtenTo(command) !== null;
  }

  toNamed({ name, within, isExported }: Mention): HandedSecret {
    const command = commandAround(within);
    if (command === undefined) return { name, to: 'the shell' };
    const file = writtenTo(command);
    if (file !== null) return { name, to: `the file ${file}` };
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

  toEnvironment(name: string): readonly HandedSecret[] {
    const found = this.#ruleForAll(name);
    if (found === null) return [];
    const to = this.#commands.filter((command) => this.#ruleFor(name, command) !== null).map(describe);
    // What goes beyond its rule is asked about, and gets it with the yes.
    const rule = found.isWithin ? { rule: found.rule } : {};
    return [{ name, to: [...new Set(to)].join(', '), ...rule, exported: true }];
  }

  /** The rules that cover all a line runs but for what only looks; null where something is left. */
  #ruleForAll(name: string): FoundRule | null {
    if (rulesFor(this.#ground.rules, name).length === 0 || this.#isDark()) return null;
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
    const { class: kind, decision } = judgeLine(this.#line, this.#ground.place);
    this.#dark = kind === 'unparseable' || decision === 'deny' || setsEnvironment(this.#line);
    return this.#dark;
  }

  /** The rule that names a command, redirections apart: where its output goes is no matter of its environment. */
  #ruleFor(name: string, command: Command): FoundRule | null {
    if (command.name === undefined || this.#isDark()) return null;
    const { place, rules } = this.#ground;
    const judged = judgeLine(bare(command), place);
    if (judged.class === 'unparseable') return null;
    // What its words run comes first among the parts.
    const [own, ...inner] = judged.parts.filter((part) => part.words.length > 0).toReversed();
    const isHarmless = inner.every((part) => part.findings.every((one) => one.class === 'read-only'));
    if (own === undefined || !isHarmless) return null;
    const named = rulesFor(rules, name).filter((prefix) => isNamed(prefix, own));
    const rule = named.find((prefix) => isWithinRule(prefix, own, place));
    const [first] = named;
    const chosen = rule ?? first;
    if (chosen === undefined) return null;
    const isExported = this.#ground.variables.has(name);
    return { rule: chosen, isWithin: rule !== undefined, isForWords: isForWords(readPrefix(chosen), isExported) };
  }

  #onlyLooks(command: Command): boolean {
    if (command.name === undefined) return true;
    if (PRINTS_VARIABLES.has(command.name.value)) return false;
    const { class: kind, decision } = judgeLine(bare(command), this.#ground.place);
    return kind === 'read-only' && decision !== 'deny';
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
function isWithinRule(prefix: string, part: Part, place: LineGround): boolean {
  if (goesElsewhere(readPrefix(prefix), part, place)) return false;
  const bareClass = judgeLine(readPrefix(prefix).join(' '), place).class;
  const ceiling = bareClass === 'unparseable' ? 'network' : graver(bareClass, 'network');
  return part.findings.every((finding) => isWithin(finding.class, ceiling));
}

/** Programs that print what they have in their environment: with a secret in it, what reads them would get it. */
const PRINTS_VARIABLES: ReadonlySet<string> = new Set(
  'env printenv set export declare typeset readonly local ps'.split(' '),
);

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
  const [program = 'the shell', ...words] = wordsOf(command);
  const hosts = words.flatMap(
    (word) => /^(?:-[\w-]*=?)?[a-z][a-z0-9+.-]*:\/\/(?:[^/@\s]*@)?([^/:?#\s]+)/i.exec(word)?.[1] ?? [],
  );
  const shown = program.slice(program.lastIndexOf('/') + 1);
  return hosts.length === 0 ? shown : `${shown} (${[...new Set(hosts)].join(', ')})`;
}

function unique(secrets: readonly HandedSecret[]): readonly HandedSecret[] {
  const found = new Map(secrets.map((secret) => [`${secret.name}\0${secret.to}\0${secret.rule ?? ''}`, secret]));
  return [...found.values()];
}
