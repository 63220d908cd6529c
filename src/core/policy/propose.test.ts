import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { classifyLine } from './classify-line.ts';
import { proposeRules } from './propose.ts';
import { ruleLine } from './rules.ts';

const context = { cwd: '/home/u/p', home: '/home/u', project: '/home/u/p' };

function proposed(line: string, approved: readonly string[] = []): string | null {
  const rules = proposeRules(classifyLine(line, context), approved, context);
  return rules === null ? null : rules.map(({ prefix, class: ceiling }) => `${prefix}: ${ceiling}`).join('; ');
}

test.each([
  ['git log -3', 'git log: read-only'],
  ['git stash list', 'git stash list: read-only'],
  ['git commit -m "a message"', 'git commit: mutating'],
  ['git fetch origin', 'git fetch: network'],
  ['npm run build -- --watch', 'npm run build: mutating'],
  ['make test', 'make test: mutating'],
  ['docker compose ps', 'docker compose ps: read-only'],
  ['cargo build --release', 'cargo build: mutating'],
  ['grep -rn foo src', 'grep: read-only'],
  ['cat notes.txt', 'cat: read-only'],
  ['timeout 5 cat notes.txt', 'cat: read-only'],
  ["bash -c 'git log | cat'", 'git log: read-only; cat: read-only'],
])('for %s the rule %s is proposed: no options, no operands', (line, expected) => {
  expect(proposed(line)).toBe(expected);
});

test.each([
  'git -C elsewhere log',
  'rm -rf build',
  'git push --force',
  'sudo ls',
  'python script.py',
  'bash -lc ls',
  'exec ls',
  'xargs cat',
  '$CMD x',
  'cat .env',
  'ls > out',
  'FOO=1 ls',
  'ls &',
  './run.sh',
  'mytool /etc',
  'mytool',
  'mytool build',
  'git push',
  'git rebase main',
  'vim notes.txt',
  'tar xzf a.tgz',
  'printenv',
  'curl https://example.com',
  'npm install left-pad',
  'docker run -it alpine',
  'git log --output=x',
])('for %s no rule is proposed', (line) => {
  expect(proposed(line)).toBeNull();
});

test('a pipeline needs one rule for each part, and none for what is covered', () => {
  expect([proposed('git log | head -5'), proposed('git log | head -5', ['head']), proposed('git log | rm x')]).toEqual([
    'git log: read-only; head: read-only',
    'git log: read-only',
    null,
  ]);
});

test('what is proposed covers the line it is proposed for, and nothing graver', () => {
  const lines = ['git log -3', 'git stash', 'npm run build', 'git log | head', 'cd src && npm test', 'echo $(date)'];
  for (const line of lines) {
    const approve = (proposeRules(classifyLine(line, context), [], context) ?? []).map(({ prefix }) => prefix);
    const decide = (cmd: string) => ruleLine('ask', { approve }, cmd, context).decision;
    expect([line, decide(line)]).toEqual([line, 'allow']);
    for (const graver of [`${line} && rm -rf src`, `${line} > .git/config`, `sudo ${line}`, `${line}; git stash drop`])
      expect([graver, decide(graver)]).not.toEqual([graver, 'allow']);
  }
});

test('a name that the shell gives another meaning gets no rule', () => {
  const classification = classifyLine('git log', { ...context, redefined: new Set(['git']) });
  expect(proposeRules(classification, [], context)).toBeNull();
});

/** Lines with what they are and whether they may run with nobody watching. */
function readLines(name: string): readonly { readonly cmd: string; readonly class: string; readonly decision: string }[] {
  const path = join(import.meta.dir, '../../../test/fixtures/safety', name);
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

test('who says always to everything that is offered has let nothing dangerous run', () => {
  const lines = [...readLines('definitions.jsonl'), ...readLines('adversarial.jsonl')];
  const offered = lines.flatMap(({ cmd }) => proposeRules(classifyLine(cmd, context), [], context) ?? []);
  const approve = [...new Set(offered.map(({ prefix }) => prefix))];
  expect(approve.length).toBeGreaterThan(100);
  const grave = new Set(['destructive', 'privileged', 'unparseable']);
  const ran = lines
    .filter((line) => line.decision === 'deny' || grave.has(line.class))
    .filter(({ cmd }) => ruleLine('ask', { approve }, cmd, context).decision === 'allow');
  expect(ran).toEqual([]);
});
