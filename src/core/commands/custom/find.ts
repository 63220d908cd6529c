import { type Argument, literal, unknown } from '../argument.ts';
import { effectsOf } from '../effects.ts';
import type { FileChange } from '../file-change.ts';
import { readOptions } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import type { Call, CommandSpec } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';
import { type FindExpression, parseFind } from './find-expression.ts';

/** A command for each file, whatever it is: a rule for the search does not cover it. */
const A_COMMAND = effect('each');

/** Effects of a `find`: it deletes, writes, and starts commands for its results. */
export function classifyFind(call: Call): readonly Effect[] {
  const expression = parseFind(call.words);
  const { actions, roots, unclear, strange } = expression;
  const found: Effect[] = [
    ...unclear.map(({ text }) => effect('unclear', `${text} may be an action of find`)),
    ...strange.filter((word) => !roots.includes(word)).map(({ text }) => effect('runs', `${text} of find is not known`)),
  ];
  for (const { kind, words } of actions) {
    if (kind === 'delete') found.push(...classifyDelete(expression, call));
    else if (kind === 'file') found.push(...words.flatMap((file) => usePath(file, 'replace', call.scope)));
    else if (kind === 'command') {
      const isNarrow = expression.narrowing.some(({ name }) => name !== '-type');
      classifyFoundBy(words, placeBelow(roots, isNarrow, call), call);
      found.push(A_COMMAND);
    }
  }
  return found;
}

/** Without a test everything below the start is deleted. */
function classifyDelete(expression: FindExpression, call: Call): readonly Effect[] {
  const { roots } = expression;
  const isNarrow = expression.narrowing.some(narrows);
  const lost = roots
    .flatMap((root) => usePath(root, 'delete', call.scope))
    .filter((one) => !isNarrow || one.class !== 'destructive' || one.kind === 'destroys' || !isProjectRoot(roots, call));
  return lost.length > 0 ? lost : [effect('destroys', 'the files that it finds')];
}

/** Whether a test excludes anything: not if every name or every file matches. Folders are deleted only if empty. */
function narrows({ name, value }: FindExpression['narrowing'][number]): boolean {
  if (name === '-type') return !/^f(,[dlf])*$|^[dl](,[dlf])*,f/.test(value);
  return !/^-i?(name|path|wholename)$/.test(name) || !/^(\.\/)?[*?]*\*$/.test(value);
}

function isProjectRoot(roots: readonly Argument[], { scope }: Call): boolean {
  return roots.every(({ value }) => value === '.' || value === './' || value === scope.context.project);
}

/** Classifies a command for the results of a search, which lie below a place. */
function classifyFoundBy(command: readonly Argument[], place: string, call: Call): void {
  call.classifyCommand(
    command.map((word) =>
      word.value?.includes('{}')
        ? {
            ...word,
            value: null,
            start: word.value === '{}' ? place : word.start.slice(0, word.start.indexOf('{}')),
            isSplit: false,
            isFound: word.value === '{}',
          }
        : word,
    ),
  );
  const isScript = command.slice(1).some(({ value }) => value !== null && /\{\}/.test(value) && /\s/.test(value));
  if (isScript)
    call.classifyCommand(command.map((word) => (word.value === null ? word : literal(word.value.replaceAll('{}', () => place)))));
}

/** The place of the results: the most severe of the start folders, or a path below it. */
function placeBelow(starts: readonly Argument[], isNarrow: boolean, { scope }: Call): string {
  const known = starts.flatMap(({ value }) => value ?? []);
  const isInside = (path: string) => /^(project|temporary)$/.test(locate(path, scope.cwd, scope.context).zone);
  const root = known.find((path) => !isInside(path)) ?? known[0] ?? (starts.length === 0 ? '.' : '');
  return isNarrow && root !== '' ? `${root.replace(/\/$/, '')}/x` : root;
}

/** `fd PATTERN -x COMMAND`: all words after the option are the command. */
export function classifyFd(spec: CommandSpec, call: Call): readonly Effect[] {
  const at = call.words.findIndex(({ value }) => /^(-x|-X|--exec|--exec-batch)$/.test(value ?? ''));
  const search = effectsOf(spec, call, at < 0 ? call.words : call.words.slice(0, at));
  if (at < 0) return search;
  const end = call.words.findIndex(({ value }, index) => index > at && value === ';');
  const command = call.words.slice(at + 1, end < 0 ? undefined : end);
  const isFilled = command.some(({ value }) => value !== null && /\{[./]{0,2}\}/.test(value));
  const { operands, options } = readOptions(call.words.slice(0, at), spec);
  const based = options.flatMap(({ name, value }) => (/^(search-path|base-directory)$/.test(name) && value) || []);
  const place = placeBelow(
    [...operands.slice(1), ...based],
    /^\.?\*?$/.test(operands[0]?.value ?? '') === false || options.length > 0,
    call,
  );
  classifyFoundBy(isFilled ? command : [...command, literal('{}')], place, call);
  return [...search, A_COMMAND];
}

const FOUND: Argument = { ...unknown('what find finds'), isFound: true };

/** Effects of a `find` on files, and the meaning of `{}` in the command it starts. */
export function changesOfFind(words: readonly Argument[]): readonly FileChange[] {
  const expression = parseFind(words);
  const { actions, strange, unclear, prints } = expression;
  const [odd] = [...unclear, ...strange];
  if (odd !== undefined) return [{ do: 'unknown', what: `find with ${odd.text}` }];
  const commands = actions.filter(({ kind }) => kind === 'command');
  const [command] = commands;
  if (commands.length > 1) return [{ do: 'unknown', what: 'find with several commands' }];
  if (command?.isTest === true && actions.length > 1) return [{ do: 'unknown', what: 'find with a command as a test' }];
  const found = expression.searchFor(command ?? null);
  return [
    { do: 'search', found, prints: command === undefined ? prints : null },
    ...actions.flatMap((action): FileChange[] => {
      const { kind, words: given } = action;
      if (kind === 'file') return [{ do: 'write', targets: given, how: 'replace' }];
      if (kind !== 'delete') return [];
      const options = { recursive: false, folders: 'empty', parents: false, force: true } as const;
      return [{ do: 'delete', targets: [FOUND], ...options, found: expression.searchFor(action) }];
    }),
  ];
}
