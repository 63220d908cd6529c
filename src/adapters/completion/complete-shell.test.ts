import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from '../../../test/support/programs.ts';
import type { Completion } from '../../core/completion/completion.ts';
import { KnownCalls } from '../shell/known-calls.ts';
import { NO_DIRECTORIES } from '../shell/lookup.ts';
import { completeShell } from './complete-shell.ts';
import { HelperShell } from './helper-shell.ts';
import { OptionTexts } from './option-texts.ts';

setDefaultTimeout(60_000);

let home: string;
let helper: HelperShell;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'complete-shell-'));
  writeFileSync(
    join(home, '.bashrc'),
    "complete -W '--dir --recursive staging production' deploy\ncomplete -W '--verbose' tar\n",
  );
  helper = new HelperShell({
    program: Bun.which('bash') ?? 'bash',
    runtimeDir: join(home, 'run'),
    cacheFolder: join(home, 'cache'),
    env: { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8' },
    limitMs: 30_000,
  });
});

afterAll(() => {
  helper.close();
  rmSync(home, { recursive: true, force: true });
});

/** The line after each completion. */
async function lines(text: string): Promise<readonly string[]> {
  return (await complete(text)).map((one) => text.slice(0, one.start) + one.text);
}

async function complete(text: string, optionTexts: OptionTexts | null = null): Promise<readonly Completion[]> {
  const live = {
    cwd: home,
    home,
    commands: async () => new Map(),
    aliases: new Map([['d', 'deploy --dir x']]),
    variables: [],
    directories: NO_DIRECTORIES,
    options: [],
    jobs: [],
    calls: new KnownCalls(home),
    exportsFile: null,
    env: {},
  };
  const { signal } = new AbortController();
  return completeShell({ text, cursor: text.length, signal }, live, { helper, optionTexts });
}

describe.skipIf(!hasProgram('bash'))('a line of the shell', () => {
  const table: readonly (readonly [string, string, readonly string[]])[] = [
    ['is completed as the helper tells', 'deploy st', ['deploy staging']],
    ['is completed by letters where nothing begins so', 'deploy --rcv', ['deploy --recursive']],
    ['keeps an option of one letter', 'deploy -d', []],
    ['is no option behind two dashes', 'deploy -- -d', []],
    ['is completed behind an alias made since', 'true; d pro', ['true; d production']],
  ];
  for (const [title, line, wanted] of table)
    test(`${title}: ${line}`, async () => expect(await lines(line)).toEqual(wanted));
});

describe.skipIf(!hasProgram('bash') || !hasProgram('tar'))('descriptions of options that bash does not have', () => {
  const table: readonly (readonly [name: string, shells: readonly string[]])[] = [
    ['fish', ['fish']],
    ['zsh', ['zsh']],
    ['the help of the program', []],
  ];
  for (const [name, shells] of table) {
    test.skipIf(!shells.every((shell) => hasProgram(shell)))(`come from ${name}`, async () => {
      const env = { PATH: process.env.PATH ?? '', HOME: home, LC_ALL: 'C.UTF-8', TERM: 'xterm' };
      const places = { runtimeDir: join(home, 'run'), cacheFolder: mkdtempSync(join(home, 'cache-')) };
      const texts = new OptionTexts({ program: 'bash', ...places, env, shells, limitMs: 30_000 });
      try {
        expect(await complete('tar --verb', texts)).toMatchObject([
          { text: '--verbose', description: expect.any(String) },
        ]);
        // Those that bash does not offer at all are offered, too.
        expect(await complete('ls --rever', texts)).toMatchObject([
          { text: '--reverse', description: expect.any(String) },
        ]);
        const own = await complete('deploy --d', texts);
        expect(own.map(({ text, description }) => [text, description])).toEqual([['--dir', undefined]]);
      } finally {
        texts.close();
      }
    });
  }
});
