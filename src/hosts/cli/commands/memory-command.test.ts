import { afterEach, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../../test/support/aish.ts';
import { EventLog, logPath } from '../../../adapters/store/event-log.ts';
import { MemoryStore } from '../../../adapters/store/memory-store.ts';
import type { FactLine, MarkLine } from '../../../protocol/memory.ts';
import { runMemory } from './memory-command.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 28);

const homes: Home[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home[Symbol.dispose]();
});

function openMemory(...lines: readonly (FactLine | MarkLine)[]) {
  const home = new Home();
  homes.push(home);
  const store = new MemoryStore({ state: home.state, cwd: home.work, home: home.home });
  store.append(lines);
  const run = (words: string, cwd = home.work) =>
    runMemory(words.split(' '), {
      setup: { paths: { state: home.state, config: '', cache: '' }, env: home.env },
      cwd,
      redact: (text) => text.replace('s3cret', '⟨secret:password⟩'),
      source: {},
      now: NOW,
    });
  return { home, store, run };
}

const FACT: FactLine = {
  text: 'The dev port is 3000.',
  scope: 'everywhere',
  place: '',
  at: 1,
  by: 'user',
  confirmed: NOW,
};
const PROPOSED: FactLine = {
  ...FACT,
  text: 'The dev port is 4000.',
  by: 'model',
  session: '0abc',
  turn: 2,
  confirmed: undefined,
};

test('a fact counts in the project, or in the scope that an option names, and options end with the text', () => {
  const { home, store, run } = openMemory();
  mkdirSync(join(home.root, 'elsewhere'));
  expect(run('add the tests need Docker')).toBe(`aish keeps this as fact 1 (project ${home.work}).`);
  expect(run('add --everywhere --for 30d use --no-verify never')).toBe('aish keeps this as fact 2 (everywhere).');
  expect(run('add only here', join(home.root, 'elsewhere'))).toBe(
    `aish keeps this as fact 3 (directory ${home.root}/elsewhere).`,
  );
  expect(store.read().facts.map(({ text, expires }) => [text, expires])).toEqual([
    ['the tests need Docker', undefined],
    ['use --no-verify never', NOW + 30 * DAY],
    ['only here', undefined],
  ]);
  expect(run('add The tests need docker')).toBe('aish keeps this already, as fact 1.');
  expect(() => run('add --everywhere --host x')).toThrow('choose one of');
  expect(() => run('add --for soon x')).toThrow('12h, 7d or 2w');
  expect(() => run(`add ${'x'.repeat(401)}`)).toThrow('at most 400 characters');
});

test('a secret is kept as its placeholder', () => {
  const { store, run } = openMemory();
  expect(run('add the password is s3cret')).toContain('The text had a secret');
  expect(store.read().facts[0]?.text).toBe('the password is ⟨secret:password⟩');
});

test('a fact that may contradict another one says so, and both stay until the user decides', () => {
  const { run } = openMemory(FACT);
  expect(run('add --everywhere The dev port is 4000.')).toMatch(
    /^aish keeps this as fact 2 .*\nIt may contradict fact 1: The dev port is 3000\.\n/,
  );
  expect(run('list')).toBe(
    '1  everywhere  The dev port is 3000.\n2  everywhere  The dev port is 4000. (may contradict fact 1)',
  );
  expect(run('edit 2 The dev port is 5000.')).toBe('Fact 3 replaces fact 2.');
  expect(run('search ports')).toContain('3  everywhere  The dev port is 5000. (may contradict fact 1)');
  run('forget 1');
  expect(run('list')).toBe('3  everywhere  The dev port is 5000.');
});

test('a forgotten fact names the sessions and turns that had it', () => {
  const used = (session: string, turn: number) => ({ mark: 'used', of: ['1'], at: NOW, session, turn }) as const;
  const { home, run } = openMemory(FACT, used('0gone', 3), used('0abc', 2));
  const log = EventLog.create(logPath(home.state, '0abc'));
  log.append(
    [1, 2, 3].map((turn) => ({ type: 'turn.started', turn, text: 'x' })),
    NOW,
  );
  log.close();
  expect(run('list')).toBe('1  everywhere  The dev port is 3000. (used in 2 sessions, last on 2026-11-28)');
  expect(run('forget 1')).toBe(
    [
      'Fact 1 is in no later request: The dev port is 3000.',
      '  It was in session 0abc, turns 2 to 3',
      '  It was in session 0gone, from turn 3 on; its log is gone',
    ].join('\n'),
  );
  expect(() => run('forget 1')).toThrow('there is no fact 1');
  expect(run('list')).toBe('aish keeps no facts. To add one: :remember the tests need Docker');
});

test('the inbox shows proposals as a diff with their source, and facts that nothing used; the user keeps some', async () => {
  const old = { ...FACT, text: 'Old.', confirmed: NOW - 200 * DAY };
  const { store, run } = openMemory(
    FACT,
    { ...PROPOSED, supersedes: '1', untrusted: ['https://example.org'] },
    PROPOSED,
    old,
  );
  const inbox = run('inbox');
  if (typeof inbox === 'string') throw new Error(inbox);
  expect(inbox.show(80)).toBe(
    [
      '  1: The dev port is 3000.',
      '    stays, marked as older',
      '+ 2: The dev port is 4000.',
      '    everywhere; proposed in session 0abc, turn 2',
      '    ! The model had read untrusted content before: https://example.org',
      '+ 3: The dev port is 4000.',
      '    everywhere; proposed in session 0abc, turn 2',
      '? 4: Old.',
      '    not used since 2026-05-12',
    ].join('\n'),
  );
  expect(await inbox.answer('perhaps')).toBe('Nothing changed: the facts stay in the inbox.');
  expect(await inbox.answer('2 4')).toBe('aish keeps: 2, 4');
  const next = run('inbox');
  expect(typeof next === 'string' ? next : await next.answer('no')).toBe('aish keeps none of them.');
  expect(run('inbox')).toBe('The inbox is empty.');
  expect(store.read().facts.map(({ withdrawn }) => withdrawn !== undefined)).toEqual([false, false, true, false]);
  run('edit 2 The dev port is 4001.');
  expect(store.read().facts.at(-1)?.untrusted).toEqual(['https://example.org']);
});
