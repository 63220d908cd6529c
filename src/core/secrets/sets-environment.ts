import { isSecretName } from '../gate/scope.ts';
import { type Command, parseShell, type SyntaxNode } from '../shell-syntax/syntax.ts';
import { walk, wordsOf } from './mentions.ts';

/** Builtins that give variables values whose names they are told. */
const SETTERS: ReadonlySet<string> = new Set('read mapfile readarray getopts printf wait'.split(' '));

/**
 * True for a line that may give another value to a variable that programs go by, such as PATH or a host: what is handed a secret by name
 * could be another program then, or send it elsewhere. Names in small letters are the line's own.
 */
export function setsEnvironment(line: string): boolean {
  let isSet = false;
  walk(parseShell(line), (node) => {
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
  if (SETTERS.has(program)) return words.filter((word) => /^[A-Z_][A-Z0-9_]*$/.test(word));
  const isEnv = [program, ...words].some((word) => word === 'env' || word.endsWith('/env'));
  return isEnv ? words.flatMap((word) => /^([A-Za-z_]\w*)=/.exec(word)?.[1] ?? []) : [];
}

function isOwn(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !name.endsWith('_proxy') && name !== 'path';
}
