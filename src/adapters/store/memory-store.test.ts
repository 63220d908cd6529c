import { afterEach, expect, test } from 'bun:test';
import { appendFileSync, chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import type { FactLine } from '../../protocol/memory.ts';
import { MEMORY_NAME, MemoryStore } from './memory-store.ts';

const FACT: FactLine = {
  text: 'The tests need Docker.',
  scope: 'everywhere',
  place: '',
  at: 1,
  by: 'user',
  confirmed: 1,
};

const homes: Home[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home[Symbol.dispose]();
});

function openStore() {
  const home = new Home();
  homes.push(home);
  return { home, store: new MemoryStore({ state: home.state, cwd: home.work, home: home.home }) };
}

test('only the user can read the file, also if it was open to others', () => {
  const { home, store } = openStore();
  const path = join(home.state, MEMORY_NAME);
  mkdirSync(home.state, { recursive: true });
  writeFileSync(path, '');
  chmodSync(path, 0o644);
  store.append([FACT]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a torn end is left out, and swallows no later line', () => {
  const { home, store } = openStore();
  store.append([FACT]);
  appendFileSync(join(home.state, MEMORY_NAME), '{"text":"half a li');
  expect(store.read().facts.map(({ id }) => id)).toEqual(['1']);
  store.append([{ ...FACT, text: 'Later.' }]);
  expect(store.read().facts.map(({ id, text }) => [id, text])).toEqual([
    ['1', FACT.text],
    ['3', 'Later.'],
  ]);
});

test('lines of two processes stay whole, and each fact has its number', async () => {
  const { home, store } = openStore();
  const script = `
    const { MemoryStore } = await import(${JSON.stringify(join(import.meta.dir, 'memory-store.ts'))});
    const store = new MemoryStore(${JSON.stringify({ state: home.state, cwd: home.work, home: home.home })});
    for (let at = 0; at < 20; at += 1) store.append([{ ...${JSON.stringify(FACT)}, text: process.argv.at(-1) + at }]);`;
  const runs = ['a', 'b'].map(
    (name) => Bun.spawn([process.execPath, '-e', script, name], { stderr: 'inherit' }).exited,
  );
  expect(await Promise.all(runs)).toEqual([0, 0]);
  const { facts } = store.read();
  expect(facts.map(({ id }) => id)).toEqual(facts.map((_, at) => String(at + 1)));
  expect(new Set(facts.map(({ text }) => text)).size).toBe(40);
});

test('a memory that cannot be written is an error, and the stamp changes with every change', () => {
  const { home, store } = openStore();
  const stamps = [store.stamp];
  store.append([FACT]);
  stamps.push(store.stamp);
  store.append([{ mark: 'withdrawn', of: ['1'], at: 2 }]);
  stamps.push(store.stamp);
  expect(new Set(stamps).size).toBe(3);
  const blocked = new MemoryStore({ state: join(home.state, MEMORY_NAME), cwd: home.work, home: home.home });
  expect(() => blocked.append([FACT])).toThrow('cannot write');
});

test('the facts that count here are read once, until another process adds one', () => {
  const { home, store } = openStore();
  store.append([FACT]);
  const read = store.read('here');
  expect(store.read('here')).toBe(read);
  new MemoryStore({ state: home.state, cwd: home.work, home: home.home }).append([{ ...FACT, text: 'Another.' }]);
  expect(store.read('here').facts.map(({ text }) => text)).toEqual([FACT.text, 'Another.']);
});
