import { describe, expect, test } from 'bun:test';
import { keyOf, type Step } from './plan.ts';
import { planLine } from './plan-line.ts';

const GROUND = { cwd: '/home/me/project', home: '/home/me', project: '/home/me/project' };

/** Steps as what is done, with the words it is done to. */
function tell(line: string): readonly string[] {
  return planLine(line, GROUND).steps.map(({ step, isMaybe }) =>
    `${isMaybe ? 'maybe ' : ''}${step.do} ${wordsOf(step)}`.trim(),
  );
}

function wordsOf(step: Step): string {
  if ('reason' in step) return step.reason;
  return 'targets' in step
    ? step.targets.map(({ pattern, path, text }) => pattern ?? path ?? `<${text}>`).join(' ')
    : '';
}

describe('the plan of a line', () => {
  test.each([
    ['cat a | grep b', []],
    ["rm -rf ~/x '*' *.log", ['delete /home/me/x * *.log']],
    ["rm '*'*", ['delete \\**']],
    ['sudo env A=1 timeout 5 rm x', ['note', 'delete x']],
    ['rm $X', ['delete <$X>']],
    ['false || rm x', ['maybe delete x']],
    ['if a=1; then rm x; fi', ['maybe delete x']],
    ['echo 2>&1 >log', ['write log']],
    ['ssh far rm x', ['host', 'unknown what rm x does on far']],
    ['export A=b; cd src', ['enter']],
    ['ssh far', ['host', 'unknown what is typed on far']],
    ['ssh -J me@gate:22,ssh://inner far', ['host', 'host', 'host', 'unknown what is typed on far']],
    ['ssh -o ProxyJump=gate far', ['host', 'host', 'unknown what is typed on far']],
    [
      'npm install',
      ['registry', 'unknown npm install: which files it installs or changes, and what install scripts of packages do'],
    ],
    ['npm view x', ['registry', 'unknown npm view x: opens a connection']],
    ['rm --help', []],
    ['frob x', ['unknown frob x: runs code that the line does not show: frob is not known']],
    ['GIT_DIR=x git clean -f', ['git', 'unknown hides what runs: sets GIT_DIR']],
  ] as const)('%s', (line, steps) => {
    expect(tell(line)).toEqual(steps);
  });

  test('a loop waits for what its pattern matches, and goes through it then', () => {
    const line = 'for f in *.md; do rm "$f"; done';
    const { wanted } = planLine(line, GROUND);
    expect(wanted).toEqual([{ pattern: '*.md', cwd: GROUND.cwd }]);
    const matches = new Map(wanted.map((one) => [keyOf(one), ['a b.md', 'c.md']]));
    const { steps } = planLine(line, GROUND, { matches });
    expect(steps.map(({ step }) => wordsOf(step))).toEqual(['a b.md', 'c.md']);
  });

  test('a name with another meaning in the shell is not what it looks', () => {
    const { steps } = planLine('rm x', { ...GROUND, redefined: new Set(['rm']) });
    expect(steps.map(({ step }) => step.do)).toEqual(['unknown', 'delete']);
  });
});
