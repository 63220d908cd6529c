import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerRow } from '../../../test/lab/route.ts';

interface Row {
  readonly line: string;
  readonly route: 'shell' | 'ai' | 'meta' | 'either';
  readonly danger?: boolean;
  readonly text?: string;
  readonly env?: {
    readonly shell?: 'bash' | 'zsh';
    readonly commands?: readonly string[];
    readonly files?: readonly string[];
    readonly last_exit?: number;
    readonly branches?: readonly string[];
    readonly hosts?: readonly string[];
    readonly history?: readonly string[];
    readonly containers?: readonly string[];
  };
}

const FIXTURES = join(import.meta.dir, '../../../test/fixtures/routing');
const base = JSON.parse(readFileSync(join(FIXTURES, 'base-env.json'), 'utf8'));
const BASE_COMMANDS: readonly string[] = [...base.keywords, ...base.builtins, ...base.executables];

function readRows(name: string): readonly Row[] {
  const lines = readFileSync(join(FIXTURES, name), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line): Row => JSON.parse(line));
}

function answer({ line, env = {} }: Row): { readonly route: string; readonly text: string } {
  const { shell = 'bash', commands = [], files = [], last_exit = 0, ...rest } = env;
  return answerRow({ line, env: { shell, commands: [...BASE_COMMANDS, ...commands], files, last_exit, ...rest } });
}

const SETS = [
  'samples.jsonl',
  'ours.jsonl',
  'against.jsonl',
  'variations.jsonl',
  'fresh.jsonl',
  'clipped.jsonl',
  'commands.jsonl',
  'structure.jsonl',
  'calls.jsonl',
  'mixed.jsonl',
  'fresh-calls.jsonl',
  'fresh-mixed.jsonl',
  'unseen-mixed.jsonl',
  'unseen-mixed-2.jsonl',
  'unseen-calls.jsonl',
  'foreign.jsonl',
  'independent.jsonl',
];

test.each(SETS)('%s is routed right in at least 98 of 100 lines', (name) => {
  const scored = readRows(name).filter(({ route }) => route !== 'either');
  const wrong = scored.filter((row) => answer(row).route !== row.route);
  expect(wrong.length <= scored.length * 0.02 ? [] : wrong.map(({ line, route }) => `${route}: ${line}`)).toEqual([]);
});

test.each(SETS)('nothing dangerous of %s goes to the shell', (name) => {
  const rows = readRows(name).filter((row) => row.danger === true && answer(row).route === 'shell');
  expect(rows.map(({ line }) => line)).toEqual([]);
});

test.each(SETS)('%s is handed on as it says', (name) => {
  const wrong = readRows(name).filter((row) => row.text !== undefined && answer(row).text !== row.text);
  expect(wrong.map(({ line }) => line)).toEqual([]);
});

test('a file mentioned behind a word of a sentence makes it a message, and one that a command takes does not', () => {
  const files = ['shot.png', 'body.json', 'src/a.ts'];
  const lines = [
    ['look at @shot.png', 'ai'],
    ['look at @src/a.ts:10-20', 'ai'],
    ['look at @gone.png', 'shell'],
    ['echo look at @shot.png', 'shell'],
    ['curl -d @body.json localhost', 'shell'],
  ] as const;
  expect(lines.map(([line]) => answer({ line, route: 'ai', env: { files, commands: ['look', 'curl'] } }).route)).toEqual(
    lines.map(([, route]) => route),
  );
});

test('the name of a container is an operand, and a sentence about one is a sentence', () => {
  const lines = [
    ['docker stop that', 'shell'],
    ['docker rm older', 'shell'],
    ['podman logs -f inside', 'shell'],
    ['docker stop other', 'ai'],
    ['docker stop that because it leaks', 'ai'],
    ['docker rm older and what came before', 'ai'],
  ] as const;
  const env = { containers: ['that', 'older', 'inside'], commands: ['docker', 'podman'] };
  expect(lines.map(([line]) => answer({ line, route: 'ai', env }).route)).toEqual(lines.map(([, route]) => route));
});

test.each([
  'if [[ -d new ]] {',
  'if [[ -d new ]] { print yes } else {',
  'if [[ -d new ]] {\nprint yes\n}',
  'while (( i++ < 2 )) {',
  'for x (a b) {',
  'select x (a b) {',
  'repeat 2 {\nprint again',
  '{ make } always {',
])('%j is a block of zsh, open or closed', (line) => {
  expect(answer({ line, route: 'shell', env: { shell: 'zsh', commands: ['print', 'repeat'] } }).route).toBe('shell');
});

test.each([
  'if the test fails {',
  'for each file {',
  'while (true) {',
  'for (let i = 0; i < 3; i++) {',
  'if (x > 3) {\n  return;',
  'const x = {',
  'function list to me what foo() { does',
])('%j is no block of zsh', (line) => {
  expect(answer({ line, route: 'ai', env: { shell: 'zsh' } }).route).toBe('ai');
});
