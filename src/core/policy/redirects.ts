import { type Argument, type Feed, wider } from '../commands/argument.ts';
import { isHijackingName } from '../commands/assignments.ts';
import { expandSingle } from '../commands/expand.ts';
import { usePath } from '../commands/path-use.ts';
import { locate } from '../commands/place.ts';
import { findSpec } from '../commands/programs/find-program.ts';
import type { Scope } from '../commands/scope.ts';
import type { Redirection, SyntaxNode } from '../commands/syntax.ts';
import { type Effect, effect } from '../commands/verdict.ts';

interface Visitor {
  within(node: SyntaxNode, scope: Scope): void;
}

/** Classifies the redirections of a command: written and read files, connections, here-documents. */
export function classifyRedirects(redirects: readonly Redirection[], visitor: Visitor, scope: Scope): readonly Effect[] {
  return redirects.flatMap((redirect) => {
    visitor.within(redirect, scope);
    if (redirect.type !== 'Redirect') return [];
    if (redirect.descriptor?.type === 'FileDescriptorVariable') {
      const { name } = redirect.descriptor;
      if (isHijackingName(name)) return [effect('hides', { because: 'assignment', detail: name })];
      scope.variables.set(name, null);
    }
    if (redirect.target === undefined) return [effect('unclear', 'a redirection without a target')];
    const target = expandSingle(redirect.target, scope);
    if (locate(target.value ?? target.start, scope.cwd, scope.context, target.isGlob).isSecret) scope.opened.add(target.text);
    const outer = scope.trace;
    scope.trace = null;
    const effects = classifyTarget(redirect.operator, target, scope);
    scope.trace = outer;
    const { cwd, isMaybe } = scope;
    outer?.push({ type: 'redirection', operator: redirect.operator, target, cwd, isMaybe, effects });
    return effects;
  });
}

function classifyTarget(operator: string, target: Argument, scope: Scope): readonly Effect[] {
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
      return [effect('unclear', `the redirection ${operator}`)];
  }
}

/** The kind of text that a command reads from a redirected file, as file names; undefined if it reads none. */
export function feedOfRedirects(redirects: readonly Redirection[], scope: Scope): Feed | undefined {
  return redirects.reduce<Feed | undefined>((feed, redirect) => wider(feed, feedOfRedirect(redirect, scope)), undefined);
}

function feedOfRedirect(redirect: Redirection, scope: Scope): Feed | undefined {
  if (redirect.type === 'HereDoc') return 'names';
  if (redirect.target === undefined) return undefined;
  if (redirect.type === 'HereString') return expandSingle(redirect.target, scope).feed ?? 'names';
  if (!redirect.operator.startsWith('<')) return undefined;
  const [part] = redirect.target.parts ?? [];
  if (part?.type !== 'ProcessSubstitution') return 'text';
  return (part.script && scope.feeds.get(part.script)) ?? 'names';
}

const OPEN_FILES = /^\/(?:dev\/(?:fd|std|[\w]*[*?[])|proc\/)/;

/** An open file with credentials that is read through its descriptor. */
export function classifyReadBack(words: readonly Argument[], redirects: readonly Redirection[], scope: Scope): readonly Effect[] {
  const [opened] = scope.opened;
  if (opened === undefined) return [];
  const inputs = redirects.flatMap((redirect) =>
    redirect.type === 'Redirect' && redirect.operator === '<' && redirect.target !== undefined
      ? [expandSingle(redirect.target, scope)]
      : [],
  );
  const isRead = [...words, ...inputs].some(({ value, start }) =>
    OPEN_FILES.test(locate(value ?? start, scope.cwd, scope.context).path ?? start),
  );
  return isRead ? [effect('secrets', opened)] : [];
}

/** Whether a command writes or reads files by redirection, which no rule covers. Copies of descriptors and `/dev/null` do not count. */
export function hasFiles(redirects: readonly Redirection[], scope: Scope): boolean {
  return redirects.some((redirect) => {
    if (redirect.type !== 'Redirect') return false;
    const target = redirect.target === undefined ? null : expandSingle(redirect.target, scope).value;
    if (target === null) return true;
    return !(/^(\d+-?|-)$/.test(target) && redirect.operator.endsWith('&')) && target !== '/dev/null';
  });
}

/** Whether a command prints nothing, so that its output file becomes empty. */
export function printsNothing([name, ...words]: readonly (string | null)[]): boolean {
  const { prints, passesOn, output } = findSpec(name ?? '') ?? {};
  if (words.length === 0 && prints === 'status') return true;
  if (passesOn === 'lines' && words.length > 0 && words.every((word) => word === '/dev/null')) return true;
  const known = words.flatMap((word) => word ?? []);
  return known.length === words.length && output?.(known, null) === '';
}

/** Files that a redirection without input empties. */
export function classifyEmptied(redirects: readonly Redirection[], scope: Scope): readonly Effect[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type !== 'Redirect' || redirect.target === undefined) return [];
    if (redirect.operator !== '>' && redirect.operator !== '>|' && redirect.operator !== '&>') return [];
    const target = expandSingle(redirect.target, scope);
    const { zone } = locate(target.value ?? target.start, scope.cwd, scope.context);
    return zone === 'null' || zone === 'stream' || zone === 'connection' ? [] : [effect('destroys', `empties ${target.text}`)];
  });
}
