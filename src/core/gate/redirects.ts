import type { Redirection, SyntaxNode } from '../shell-syntax/syntax.ts';
import type { Argument } from './argument.ts';
import { isHijackingName } from './assignments.ts';
import { expandSingle } from './expand.ts';
import { find } from './findings.ts';
import { usePath } from './path-use.ts';
import { locate } from './place.ts';
import type { Scope } from './scope.ts';
import type { Finding } from './verdict.ts';

/** Whoever looks into words. */
interface Visitor {
  within(node: SyntaxNode, scope: Scope): void;
}

/** Judges the redirections of a command: files written and read, connections, here-documents. */
export function judgeRedirects(redirects: readonly Redirection[], visitor: Visitor, scope: Scope): readonly Finding[] {
  return redirects.flatMap((redirect) => {
    visitor.within(redirect, scope);
    if (redirect.type !== 'Redirect') return [];
    if (redirect.descriptor?.type === 'FileDescriptorVariable') {
      const { name } = redirect.descriptor;
      if (isHijackingName(name)) return [find('hides', `sets ${name}`)];
      scope.variables.set(name, null);
    }
    if (redirect.target === undefined) return [find('unclear', 'a redirection to nowhere')];
    const target = expandSingle(redirect.target, scope);
    scope.watcher?.redirected(redirect.operator, target, scope);
    if (locate(target.value ?? target.start, scope.cwd, scope.ground, target.isGlob).isSecret)
      scope.opened.add(target.text);
    return judgeTarget(redirect.operator, target, scope);
  });
}

function judgeTarget(operator: string, target: Argument, scope: Scope): readonly Finding[] {
  switch (operator) {
    case '<':
      return usePath(target, 'content', scope);
    case '>>':
    case '&>>':
      return usePath(target, 'add', scope);
    case '<>':
      return usePath(target, 'replace', scope);
    case '>':
    case '>|':
    case '&>':
      return usePath(target, 'replace', scope);
    case '>&':
    case '<&':
      if (target.isNumber || (target.value !== null && /^(\d+-?|-)$/.test(target.value))) return [];
      return usePath(target, operator === '>&' ? 'replace' : 'content', scope);
    default:
      return [find('unclear', `the redirection ${operator}`)];
  }
}

const OPEN_FILES = /^\/(?:dev\/(?:fd|std|[\w]*[*?[])|proc\/)/;

/** A file with credentials that is open, and is read under the name of what is open. */
export function judgeReadBack(
  words: readonly Argument[],
  redirects: readonly Redirection[],
  scope: Scope,
): readonly Finding[] {
  const [opened] = scope.opened;
  if (opened === undefined) return [];
  const inputs = redirects.flatMap((redirect) =>
    redirect.type === 'Redirect' && redirect.operator === '<' && redirect.target !== undefined
      ? [expandSingle(redirect.target, scope)]
      : [],
  );
  const isRead = [...words, ...inputs].some(({ value, start }) =>
    OPEN_FILES.test(locate(value ?? start, scope.cwd, scope.ground).path ?? start),
  );
  return isRead ? [find('secrets', opened)] : [];
}

/** True where a command's files are changed or read: no rule covers that. Copies of descriptors and `/dev/null` are nothing. */
export function hasFiles(redirects: readonly Redirection[], scope: Scope): boolean {
  return redirects.some((redirect) => {
    if (redirect.type !== 'Redirect') return false;
    const target = redirect.target === undefined ? null : expandSingle(redirect.target, scope).value;
    if (target === null) return true;
    return !(/^(\d+-?|-)$/.test(target) && redirect.operator.endsWith('&')) && target !== '/dev/null';
  });
}

/** A command that prints nothing: what its output goes to is empty afterwards. */
export function printsNothing(words: readonly (string | null)[]): boolean {
  return /^(:|true|false|cat \/dev\/null|echo -n|printf|printf ''?|echo -n ''?)$/.test(
    words
      .map((word) => (word === '' ? "''" : (word ?? '?')))
      .join(' ')
      .trim(),
  );
}

/** Files that are emptied by a redirection from nothing. */
export function judgeEmptied(redirects: readonly Redirection[], scope: Scope): readonly Finding[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type !== 'Redirect' || redirect.target === undefined) return [];
    if (redirect.operator !== '>' && redirect.operator !== '>|' && redirect.operator !== '&>') return [];
    const target = expandSingle(redirect.target, scope);
    const { zone } = locate(target.value ?? target.start, scope.cwd, scope.ground);
    return zone === 'null' || zone === 'stream' || zone === 'connection'
      ? []
      : [find('destroys', `empties ${target.text}`)];
  });
}
