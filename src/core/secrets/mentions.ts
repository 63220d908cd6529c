import { type Command, eachChild, type ParsedScript, parseShell, type SyntaxNode } from '../shell-syntax/syntax.ts';
import { PLACEHOLDER } from './secret.ts';

/** A place of a line where a secret is named. */
export interface Mention {
  readonly name: string;
  /** By a placeholder; else by the variable that holds it. */
  readonly isPlaceholder: boolean;
  /** A program is to find it in its environment: the line itself does not read it. */
  readonly isExported: boolean;
  /** Offset of a placeholder. */
  readonly at: number;
  /** What it stands in, the innermost last; empty in a comment. */
  readonly within: readonly SyntaxNode[];
}

/** Programs that read their words once more as lines of a shell. */
const SHELLS: ReadonlySet<string> = new Set(
  'bash sh dash zsh ksh ash mksh fish csh tcsh rbash eval source . trap ssh su script watch parallel'.split(' '),
);

/** Programs that read code, which may name a variable without a dollar sign. */
const INTERPRETERS: ReadonlySet<string> = new Set(
  'python python2 python3 pypy pypy3 node nodejs deno bun ruby perl php lua luajit tclsh expect osascript awk gawk mawk nawk jq npx bunx make'.split(
    ' ',
  ),
);

/** Builtins and programs that take the names of variables. */
const TAKE_NAMES: ReadonlySet<string> = new Set(
  'printenv export declare typeset readonly local integer nameref [[ test ['.split(' '),
);

/** Finds where a line names secrets: by placeholders, and by the variables that hold one. */
export function findMentions(line: string, variables: ReadonlySet<string>): readonly Mention[] {
  const script = parseShell(line);
  return [...findPlaceholders(line, script), ...findVariables(script, variables)];
}

/** The commands of a line, those of substitutions and functions among them. */
export function commandsOf(script: ParsedScript): readonly Command[] {
  const found: Command[] = [];
  walk(script, (node) => {
    if (node.type === 'Command') found.push(node);
  });
  return found;
}

/** The innermost command around a place; undefined where there is none. */
export function commandAround(within: readonly SyntaxNode[]): Command | undefined {
  return within.findLast((node): node is Command => node.type === 'Command');
}

/** Whether a command's words have a program that reads all of them, or one of them, once more as code. */
export function howInterpreted(command: Command): 'all' | 'in part' | 'not at all' {
  const programs = wordsOf(command).map((word) => word.slice(word.lastIndexOf('/') + 1));
  if (programs.some((program) => SHELLS.has(program))) return 'all';
  return programs.some((program) => INTERPRETERS.has(program)) ? 'in part' : 'not at all';
}

/** The words of a command, quotes removed. */
export function wordsOf({ name, args }: Command): readonly string[] {
  return name === undefined ? [] : [name.value, ...args.map((arg) => (arg.type === 'Word' ? arg.value : arg.text))];
}

function findPlaceholders(line: string, script: ParsedScript): readonly Mention[] {
  return Array.from(line.matchAll(PLACEHOLDER), (found) => {
    const at = found.index;
    const mention = { name: found[1] ?? '', isPlaceholder: true, isExported: false, at };
    let within: readonly SyntaxNode[] = [];
    walk(script, (node, around) => {
      if (node.pos <= at && at < node.end && node.type !== 'Script') within = [...around, node];
    });
    return { ...mention, within };
  });
}

function findVariables(script: ParsedScript, variables: ReadonlySet<string>): readonly Mention[] {
  if (variables.size === 0) return [];
  const found: Mention[] = [];
  walk(script, (node, within) => {
    const command = commandAround([...within, node]);
    for (const name of namedBy(node, command, variables)) {
      const isExported = node.type === 'Word';
      const isSame = (one: Mention) => one.name === name && one.isExported === isExported;
      if (found.some((one) => isSame(one) && commandAround(one.within) === command)) continue;
      found.push({ name, isPlaceholder: false, isExported, at: node.pos, within: [...within, node] });
    }
  });
  return found;
}

function namedBy(node: SyntaxNode, command: Command | undefined, variables: ReadonlySet<string>): readonly string[] {
  switch (node.type) {
    case 'SimpleExpansion':
      return [node.text.slice(1)].filter((name) => variables.has(name));
    case 'ParameterExpansion':
      // What an indirect expansion reads is not to be seen; its own list of names is no value.
      if (node.prefix === '!' && node.operation?.type !== 'Names' && node.index === undefined) return [...variables];
      return [node.parameter].filter((name) => variables.has(name));
    case 'ArithmeticExpansion':
      return namesIn(node.text, variables);
    case 'Word':
      return command === undefined ? [] : namedByWord(node.value, command, variables);
    case 'Command':
      return listsVariables(node) ? [...variables] : [];
    default:
      return [];
  }
}

function namedByWord(value: string, command: Command, variables: ReadonlySet<string>): readonly string[] {
  if (howInterpreted(command) !== 'not at all') return namesIn(value, variables);
  const program = command.name?.value ?? '';
  return TAKE_NAMES.has(program) && variables.has(value) ? [value] : [];
}

/** Builtins that print all variables where they are given none, exported or not. */
const LIST: ReadonlySet<string> = new Set('set declare typeset export readonly'.split(' '));

/** True for a command that prints all variables of the shell. */
export function listsVariables(command: Command): boolean {
  const [program = '', ...rest] = wordsOf(command);
  return LIST.has(program) && rest.every((word) => /^-[pgxr]+$/.test(word) && program !== 'set');
}

function namesIn(text: string, variables: ReadonlySet<string>): readonly string[] {
  return [...new Set(text.match(/[A-Za-z_]\w*/g))].filter((name) => variables.has(name));
}

/** Visits a node and all within it, those around first. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, around: readonly SyntaxNode[]) => void,
  around: readonly SyntaxNode[] = [],
): void {
  visit(node, around);
  const inside = [...around, node];
  eachChild(node, (child) => walk(child, visit, inside));
}
