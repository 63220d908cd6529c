import { describe, expect, test } from 'bun:test';
import type { FileChange } from '../commands/file-change.ts';
import { classifyLine } from '../policy/classify-line.ts';
import { formatUnexplained } from '../policy/messages.ts';
import { planLine } from './plan-line.ts';

const CONTEXT = { cwd: '/home/me/project', home: '/home/me', project: '/home/me/project' };

/** Changes as what is done, with the words it is done to. */
function show(line: string): readonly string[] {
  return planLine(classifyLine(line, CONTEXT), CONTEXT).map(({ change, isMaybe }) =>
    `${isMaybe ? 'maybe ' : ''}${change.do} ${wordsOf(change)}`.trim(),
  );
}

function wordsOf(change: FileChange): string {
  if ('what' in change) return change.what;
  if (change.do === 'unexplained') return formatUnexplained(change.effect);
  if (change.do === 'host') return change.name;
  return 'targets' in change ? change.targets.map(({ pattern, value, text }) => pattern ?? value ?? `<${text}>`).join(' ') : '';
}

describe('the plan of a line', () => {
  test.each([
    ['cat a | grep b', []],
    ["rm -rf ~/x '*' *.log", ['delete /home/me/x * *.log']],
    ["rm '*'*", ['delete \\**']],
    ['sudo env A=1 timeout 5 rm x', ['delete x', 'note']],
    ['unshare -r rm x', ['delete x', 'note']],
    ['unshare -R /x rm y', ['delete y', 'unexplained unshare -R /x: needs more rights than you have']],
    ['chroot /x rm y', ['unexplained chroot /x rm: needs more rights than you have']],
    ['rm $X', ['delete <$X>']],
    ['rm --shred x', ['unknown rm with the option --shred']],
    ['false || rm x', ['maybe delete x']],
    ['rm -i x', ['maybe delete x']],
    ['if a=1; then rm x; fi', ['maybe delete x']],
    ['echo 2>&1 >log', ['write log']],
    ['curl -so out https://api.example.org/v1', ['write out', 'host api.example.org']],
    ['scp a ada@box:/srv', ['unexplained scp a ada@box:/srv: opens a connection', 'host box']],
    ['scp box:a .', ['unexplained scp box:a .: opens a connection', 'host box']],
    ['curl -s example.org:8080/x', ['host example.org:8080']],
    ['ping -c1 box', ['host box']],
    ['dig @8.8.8.8 example.org', ['host 8.8.8.8']],
    ['docker pull web:1.2', ['unexplained docker pull web:1.2: opens a connection']],
    ['rm --help', []],
    ['frob x', ['unexplained frob x: runs code that is not visible in the command: frob is not known']],
    ['GIT_DIR=x git clean -f', ['git', 'unexplained hides what it runs: sets GIT_DIR']],
    ['for f in *.md; do rm "$f"; done', ['delete *.md']],
    ['for f in *.md; do rm "$f.bak"; done', ['delete <"$f.bak">']],
  ] as const)('%s', (line, changes) => {
    expect(show(line)).toEqual(changes);
  });

  test('a name with another meaning in the shell is not what it looks', () => {
    const context = { ...CONTEXT, redefined: new Set(['rm']) };
    const plan = planLine(classifyLine('rm x', context), context);
    expect(plan.map(({ change }) => change.do)).toEqual(['unknown', 'delete']);
  });
});
