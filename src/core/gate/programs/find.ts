import { type Argument, literal } from '../argument.ts';
import { find } from '../findings.ts';
import { readOptions } from '../options.ts';
import { usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import { applyRule, type Call, type ProgramRule, type RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';
import { readFindWord } from './find-words.ts';

const COMMANDS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);

const FD: ProgramRule = {
  short: 'HIuigaslpLE:t:e:d:S:o:c:j:0F1qx:X:',
  long: 'hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path list-details follow full-path print0 max-depth= min-depth= exact-depth= prune type= extension= exclude= size= changed-within= changed-before= owner= color= threads= max-results= quiet show-errors strip-cwd-prefix? one-file-system search-path= base-directory=',
  on: { 'x X': 'runs' },
  operands: 'name',
};

/** `find` and `fd`: searches that can delete, write and start programs. */
export const FIND: RuleTable = {
  find: { any: true, judge: (_, call) => judgeFind(call) },
  'fd fdfind': { any: true, judge: (_, call) => judgeFd(call) },
};

function judgeFind(call: Call): readonly Finding[] {
  const found: Finding[] = [];
  const starts: Argument[] = [];
  const { words } = call;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (word.value === null && !/^[^-(!]/.test(word.start)) {
      found.push(find('unclear', `${word.text} may be an action of find`));
      continue;
    }
    if (!/^[-(!),]/.test(word.start)) starts.push(word);
    else if (COMMANDS.has(word.start)) at = judgeExec(call, at + 1, starts, found);
    else if (word.start === '-delete') found.push(...judgeDelete(starts, call));
    else if (/^-f(printf?|print0|ls)$/.test(word.start)) {
      const file = words[at + 1];
      if (file !== undefined) found.push(...usePath(file, 'replace', call.scope));
      at += word.start === '-fprintf' ? 2 : 1;
    } else {
      const known = readFindWord(word.start);
      if (known === null) found.push(find('runs', `${word.text} of find is not known`));
      else at += known.words;
    }
  }
  return found;
}

/** Where nothing narrows the search, everything below its start goes. */
function judgeDelete(starts: readonly Argument[], call: Call): readonly Finding[] {
  const isNarrow = narrows(call.words);
  const roots = starts.length > 0 ? starts : [];
  const lost = roots
    .flatMap((root) => usePath(root, 'delete', call.scope))
    .filter((one) => !isNarrow || one.decision !== 'deny' || !isProjectRoot(roots, call));
  return lost.length > 0 ? lost : [find('destroys', 'what find finds')];
}

/** Every file is as good as the whole, and so is what any name fits. Folders go only where they are empty. */
function narrows(words: readonly Argument[]): boolean {
  return words.some(({ start }, at) => {
    const behind = words[at + 1]?.value ?? '';
    if (start === '-type') return !/^f(,[dlf])*$|^[dl](,[dlf])*,f/.test(behind);
    if (/^-i?(name|path|wholename)$/.test(start)) return !/^(\.\/)?[*?]*\*$/.test(behind);
    return NARROWS.test(start);
  });
}

function isProjectRoot(roots: readonly Argument[], { scope }: Call): boolean {
  return roots.every(({ value }) => value === '.' || value === './' || value === scope.ground.project);
}

/** A command reached this way is always asked, and judged for what it would do to what is found. */
function judgeExec(call: Call, from: number, starts: readonly Argument[], found: Finding[]): number {
  const { words } = call;
  const end = words.findIndex(
    (word, at) => at >= from && (word.value === ';' || (word.value === '+' && words[at - 1]?.value === '{}')),
  );
  judgeFoundBy(words.slice(from, end < 0 ? undefined : end), placeOf(starts, call), call);
  found.push(A_COMMAND);
  return end < 0 ? words.length : end;
}

/** How a command for each file is called, whatever it is: no rule for the search covers it. */
export const FOR_EACH = 'starts a command for each file that is found';

const A_COMMAND: Finding = { ...find('runs'), class: 'read-only', reason: FOR_EACH };

/** Judges a command for what a search finds: it lies somewhere below a place. */
function judgeFoundBy(command: readonly Argument[], place: string, call: Call): void {
  call.judgeCommand(
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
    call.judgeCommand(
      command.map((word) => (word.value === null ? word : literal(word.value.replaceAll('{}', () => place)))),
    );
}

const NARROWS =
  /^-(i?name|i?path|i?regex|empty|size|mtime|newer|type|mmin|user|atime|ctime|amin|cmin|perm|links|inum|maxdepth|i?wholename|i?lname)/;

/** Where what is found lies: the gravest of the places where the search begins, or something below it. */
function placeOf(starts: readonly Argument[], call: Call): string {
  return placeBelow(
    starts,
    call.words.some(({ start }) => NARROWS.test(start) && !/^-type/.test(start)),
    call,
  );
}

function placeBelow(starts: readonly Argument[], isNarrow: boolean, { scope }: Call): string {
  const known = starts.flatMap(({ value }) => value ?? []);
  const isInside = (path: string) => /^(project|temporary)$/.test(locate(path, scope.cwd, scope.ground).zone);
  const root = known.find((path) => !isInside(path)) ?? known[0] ?? (starts.length === 0 ? '.' : '');
  return isNarrow && root !== '' ? `${root.replace(/\/$/, '')}/x` : root;
}

/** `fd PATTERN -x COMMAND`: everything behind is the command. */
function judgeFd(call: Call): readonly Finding[] {
  const at = call.words.findIndex(({ value }) => /^(-x|-X|--exec|--exec-batch)$/.test(value ?? ''));
  const search = applyRule(FD, call, at < 0 ? call.words : call.words.slice(0, at));
  if (at < 0) return search;
  const end = call.words.findIndex(({ value }, index) => index > at && value === ';');
  const command = call.words.slice(at + 1, end < 0 ? undefined : end);
  const isFilled = command.some(({ value }) => value !== null && /\{[./]{0,2}\}/.test(value));
  const { operands, options } = readOptions(call.words.slice(0, at), FD);
  const based = options.flatMap(({ name, value }) => (/^(search-path|base-directory)$/.test(name) && value) || []);
  const place = placeBelow(
    [...operands.slice(1), ...based],
    /^\.?\*?$/.test(operands[0]?.value ?? '') === false || options.length > 0,
    call,
  );
  judgeFoundBy(isFilled ? command : [...command, literal('{}')], place, call);
  return [...search, A_COMMAND];
}
