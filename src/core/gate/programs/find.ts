import type { Argument } from '../argument.ts';
import { find } from '../findings.ts';
import { usePath } from '../path-use.ts';
import type { Call, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';
import { readFindWord } from './find-words.ts';

const COMMANDS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** `find` and `fd`: searches that can delete, write and start programs. */
export const FIND: RuleTable = {
  find: { any: true, judge: (_, call) => judgeFind(call) },
  'fd fdfind': {
    short: 'HIuigaslpLE:t:e:d:S:o:c:j:0F1qx:X:',
    long: 'hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path list-details follow full-path print0 max-depth= min-depth= exact-depth= prune type= extension= exclude= size= changed-within= changed-before= owner= color= threads= max-results= quiet show-errors strip-cwd-prefix? one-file-system',
    on: { 'x X': 'runs' },
    operands: 'name',
  },
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
    else if (COMMANDS.has(word.start)) at = judgeExec(call, at + 1, found);
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
  const isNarrow = call.words.some(({ start }) =>
    /^-(i?name|i?path|i?regex|empty|size|mtime|newer|type|mmin|user)/.test(start),
  );
  const roots = starts.length > 0 ? starts : [];
  const lost = roots
    .flatMap((root) => usePath(root, 'delete', call.scope))
    .filter((one) => !isNarrow || one.decision !== 'deny' || !isProjectRoot(roots, call));
  return lost.length > 0 ? lost : [find('destroys', 'what find finds')];
}

function isProjectRoot(roots: readonly Argument[], { scope }: Call): boolean {
  return roots.every(({ value }) => value === '.' || value === './' || value === scope.ground.project);
}

/** A command reached this way is always asked, and judged for what it would do to what is found. */
function judgeExec({ words, judgeCommand }: Call, from: number, found: Finding[]): number {
  const end = words.findIndex(
    (word, at) => at >= from && (word.value === ';' || (word.value === '+' && words[at - 1]?.value === '{}')),
  );
  const command = words.slice(from, end < 0 ? undefined : end);
  found.push(find('runs', 'a command for each file that find finds'));
  judgeCommand(
    command.map((word) =>
      word.value?.includes('{}')
        ? {
            ...word,
            value: null,
            start: word.start.slice(0, word.start.indexOf('{}')),
            isSplit: false,
            isFound: word.value === '{}',
          }
        : word,
    ),
  );
  return end < 0 ? words.length : end;
}
