import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from '../../../test/support/programs.ts';
import { KnownCalls } from '../shell/known-calls.ts';
import { NO_DIRECTORIES } from '../shell/shell-directories.ts';
import { completeShell } from './complete-shell.ts';
import { HelperShell } from './helper-shell.ts';

setDefaultTimeout(60_000);

let home: string;
let helper: HelperShell;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'complete-shell-'));
  writeFileSync(join(home, '.bashrc'), "complete -W '--dir --recursive staging production' deploy\n");
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

/** What the line becomes with each completion. */
async function lines(text: string): Promise<readonly string[]> {
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
  const found = await completeShell({ text, cursor: text.length, signal: new AbortController().signal }, live, helper);
  return found.map((one) => text.slice(0, one.start) + one.text);
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
