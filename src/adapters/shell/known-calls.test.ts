import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KnownCalls } from './known-calls.ts';

let root = '';
const at = (name: string): string => join(root, name);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-known-'));
  for (const folder of ['home', 'work', 'work/.git']) mkdirSync(at(folder));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const known = async (calls: readonly string[]): Promise<boolean[]> => {
  const asked = new KnownCalls(at('home'));
  asked.has('', at('work'));
  await asked.settled();
  return calls.map((call) => asked.has(call, at('work')));
};

test('targets of a Makefile are calls, variables and patterns of its own are not', async () => {
  writeFileSync(
    at('work/Makefile'),
    'CC := gcc\nlove war: dep\n\techo hi\n.PHONY: love\n# old: gone\nbuild/x.o: x.c\n',
  );
  expect(await known(['make love', 'make war', 'make build/x.o', 'make CC', 'make old', 'make .PHONY'])).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('scripts of a package and recipes of a justfile are calls', async () => {
  writeFileSync(at('work/package.json'), '{"scripts":{"dev":"x","lint:fix":"y"}}');
  writeFileSync(at('work/justfile'), 'version := "1"\ndeploy env: build\n  ./x\n');
  expect(await known(['npm run dev', 'pnpm lint:fix', 'npm run nope', 'just deploy', 'just version'])).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
});

test('aliases of git are calls, from the user and from the repository', async () => {
  writeFileSync(at('home/.gitconfig'), '[user]\n\tname = x\n[alias]\n\trecent = log -5\n[core]\n\teditor = vi\n');
  writeFileSync(at('work/.git/config'), '[alias]\n  st = status\n');
  expect(await known(['git recent', 'git st', 'git editor'])).toEqual([true, true, false]);
});

test('a file that is no text of its kind, or is gone again, names nothing', async () => {
  writeFileSync(at('work/package.json'), '{"scripts":');
  expect(await known(['npm run dev'])).toEqual([false]);
  writeFileSync(at('work/Makefile'), 'love:\n');
  const asked = new KnownCalls(at('home'));
  const answer = async (): Promise<boolean> => {
    asked.has('make love', at('work'));
    await asked.settled();
    return asked.has('make love', at('work'));
  };
  expect(await answer()).toBe(true);
  rmSync(at('work/Makefile'));
  asked.expire();
  expect(await answer()).toBe(false);
});

test('what is defined is read behind the question, which counts as news when it comes', async () => {
  writeFileSync(at('work/Makefile'), 'love:\n');
  const asked = new KnownCalls(at('home'));
  expect([asked.has('make love', at('work')), asked.news]).toEqual([false, 0]);
  await asked.settled();
  expect([asked.has('make love', at('work')), asked.news, asked.settled()]).toEqual([true, 1, null]);
});
