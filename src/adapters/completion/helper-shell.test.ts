import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HAS_PROCESS_TABLE, survivors } from '../../../test/support/processes.ts';
import { hasProgram } from '../../../test/support/programs.ts';
import type { HelperMatch } from './helper-protocol.ts';
import { HelperShell } from './helper-shell.ts';

setDefaultTimeout(60_000);

let home: string;
const opened: HelperShell[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'helper-test-'));
  mkdirSync(join(home, 'work', 'a folder'), { recursive: true });
});

afterEach(() => {
  for (const helper of opened.splice(0)) helper.close();
  rmSync(home, { recursive: true, force: true });
});

function open(shell: string, options: { limitMs?: number; idleMs?: number } = {}): HelperShell {
  const helper = new HelperShell({
    program: Bun.which(shell) ?? shell,
    runtimeDir: join(home, 'run'),
    cacheFolder: join(home, 'cache'),
    env: { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    limitMs: 30_000,
    ...options,
  });
  opened.push(helper);
  return helper;
}

function ask(helper: HelperShell, line: string, options: { signal?: AbortSignal; exportsFile?: string } = {}) {
  const { signal = new AbortController().signal, exportsFile = null } = options;
  return helper.ask({ line, cwd: join(home, 'work'), exportsFile }, { signal });
}

async function texts(asked: Promise<readonly HelperMatch[] | null>): Promise<readonly string[] | null> {
  return (await asked)?.map(({ text }) => text) ?? null;
}

const BASHRC = `
alias dp='deploy --fast'
_deploy() {
  COMPREPLY=($(compgen -W 'staging production' -- "$2"))
  compopt -o nospace
}
complete -F _deploy deploy
complete -W 'red green blue' paint
_late() { complete -W 'loaded' late; return 124; }
complete -F _late late
_described() { COMPREPLY=('get      (read it)' 'set      (write it)'); }
complete -F _described described
_hang() { sleep 600; }
complete -F _hang hang
_die() { kill -9 $$; }
complete -F _die die
_seen() { COMPREPLY=("$EXPORTED" "$PWD" "$COMP_LINE" "$COMP_POINT" "$COMP_CWORD"); }
complete -o nosort -F _seen seen
_words() { COMPREPLY=("$2" "$3" "$COMP_LINE" "$COMP_POINT" "$COMP_CWORD" "${'$'}{COMP_WORDS[@]}"); }
complete -o nosort -F _words words
_files() { compopt -o filenames; COMPREPLY=('a folder'); }
complete -F _files files
complete -W '--size= b A --size=' mixed
alias ls=false cd=false complete=false
echo noise; echo noise >&2
`;

describe.skipIf(!hasProgram('bash'))('bash', () => {
  beforeEach(() => writeFileSync(join(home, '.bashrc'), BASHRC));

  test('completes by functions, word lists, specs loaded late, and aliases', async () => {
    const helper = open('bash');
    expect([
      await ask(helper, 'deploy st'),
      await texts(ask(helper, 'paint ')),
      await texts(ask(helper, 'late ')),
      await texts(ask(helper, 'dp pro')),
      await ask(helper, 'files a'),
    ]).toEqual([
      [{ text: 'staging', start: 7, isPath: false, isQuoted: true, suffix: '' }],
      ['blue', 'green', 'red'],
      ['loaded'],
      ['production'],
      [{ text: 'a folder', start: 6, isPath: true, isQuoted: false }],
    ]);
  });

  test('offers each match once and in order, as the line editor of bash does', async () => {
    expect(await texts(ask(open('bash'), 'mixed '))).toEqual(['--size=', 'A', 'b']);
  });

  test('tells descriptions apart that stand in the match', async () => {
    const matches = await ask(open('bash'), 'described ');
    expect(matches?.map(({ text, description }) => [text, description])).toEqual([
      ['get', 'read it'],
      ['set', 'write it'],
    ]);
  });

  test('passes on where the live shell is, what it exports, and the line', async () => {
    const exportsFile = join(home, 'exports');
    writeFileSync(exportsFile, 'declare -x EXPORTED="from the live shell"\n\0declare -x EXPORTED="older"\n');
    const seen = await texts(ask(open('bash'), 'seen a b', { exportsFile }));
    expect(seen).toEqual(['from the live shell', join(home, 'work'), 'seen a b', '8', '2']);
  });

  test('passes on what stands behind the cursor', async () => {
    const request = { line: 'words -x a', rest: ' b c=d', cwd: home, exportsFile: null };
    const seen = await texts(open('bash').ask(request, { signal: new AbortController().signal }));
    expect(seen).toEqual(['a', '-x', 'words -x a b c=d', '10', '2', 'words', 'b', 'c', '=', 'd']);
  });

  test.skipIf(!HAS_PROCESS_TABLE)('what hangs is no answer, and is ended with the helper', async () => {
    const helper = open('bash', { limitMs: 100 });
    await ask(open('bash'), 'paint ');
    expect(await ask(helper, 'hang ')).toBeNull();
    const { pid } = helper;
    helper.close();
    expect(await survivors(pid === null ? [] : [pid])).toEqual([]);
    expect(readdirSync(join(home, 'run'))).toHaveLength(1);
  });

  test('a helper that ends is no error, and the next question starts another', async () => {
    const helper = open('bash');
    expect([await ask(helper, 'die '), await texts(ask(helper, 'paint r'))]).toEqual([null, ['red']]);
  });

  test('a shell that is not there is no error', async () => {
    const asked = ask(open('/nowhere/bash'), 'paint ');
    expect([await asked, readdirSync(join(home, 'run'))]).toEqual([null, []]);
  });

  test('startup files that never end leave the answer to us, and are left away the next time', async () => {
    writeFileSync(join(home, '.bashrc'), 'exit 3\n');
    const helper = open('bash');
    expect([await ask(helper, 'paint '), await ask(helper, 'cd ')]).toEqual([null, expect.anything()]);
  });

  test('who does not want the answer any more gets none at once', async () => {
    const stop = new AbortController();
    const asked = ask(open('bash'), 'hang ', { signal: stop.signal });
    stop.abort();
    expect(await asked).toBeNull();
  });

  test.skipIf(!HAS_PROCESS_TABLE)('ends by itself when nobody asks', async () => {
    const helper = open('bash', { idleMs: 1 });
    await ask(helper, 'paint ');
    const { pid } = helper;
    expect([await survivors(pid === null ? [] : [pid]), helper.pid]).toEqual([[], null]);
  });
});

const ZSHRC = `
autoload -Uz compinit; compinit -u -d ~/dump
_deploy() { local -a places; places=('staging:try it here' 'production:careful'); _describe place places }
compdef _deploy deploy
_seen() { compadd -- "$EXPORTED" "$PWD" }
compdef _seen seen
_grouped() { _arguments '(-a --all)'{-a,--all}'[take  everything there is, whatever it may be that is there at the time when you ask]' }
compdef _grouped grouped
_words() { compadd -- "$words[*]" "$CURRENT" }
compdef _words words
alias dp='deploy --fast'
HISTFILE=~/history SAVEHIST=100
print noise
`;

describe.skipIf(!hasProgram('zsh'))('zsh', () => {
  beforeEach(() => writeFileSync(join(home, '.zshrc'), ZSHRC));

  test('completes as the user set it up, with descriptions', async () => {
    const helper = open('zsh');
    expect([await ask(helper, 'deploy st'), await texts(ask(helper, 'dp pro'))]).toEqual([
      [{ text: 'staging', start: 7, isPath: false, isQuoted: false, description: 'try it here' }],
      ['production'],
    ]);
  });

  test('passes on what stands behind the cursor', async () => {
    const request = { line: 'words -x ', rest: ' b c', cwd: home, exportsFile: null };
    const seen = await texts(open('zsh').ask(request, { signal: new AbortController().signal }));
    expect(seen).toEqual(['words -x  b c', '3']);
  });

  test('tells of each option what it does, whole, also of two that do the same', async () => {
    const matches = await ask(open('zsh'), 'grouped -');
    const told = 'take everything there is, whatever it may be that is there at the time when you ask';
    expect(matches?.map(({ text, description }) => [text, description])).toEqual([
      ['-a', told],
      ['--all', told],
    ]);
  });

  test('passes on where the live shell is and what it exports', async () => {
    const exportsFile = join(home, 'exports');
    writeFileSync(exportsFile, "export EXPORTED='from the live shell'\n");
    expect(await texts(ask(open('zsh'), 'seen ', { exportsFile }))).toEqual([
      'from the live shell',
      join(home, 'work'),
    ]);
  });

  test.skipIf(!HAS_PROCESS_TABLE)('is gone when closed, and has written no history', async () => {
    const helper = open('zsh');
    await ask(helper, 'deploy ');
    const { pid } = helper;
    helper.close();
    expect([await survivors(pid === null ? [] : [pid]), existsSync(join(home, 'history'))]).toEqual([[], false]);
  });
});

describe.skipIf(!hasProgram('fish'))('fish', () => {
  test("the user's completions answer, with descriptions, in the place and with the exports of the live shell", async () => {
    mkdirSync(join(home, '.config', 'fish', 'completions'), { recursive: true });
    const rule = `complete -c deploy -f -a 'prod\\t"To everybody" test\\t"To us"'\ncomplete -c deploy -l $FLAG -d 'Long'\n`;
    writeFileSync(join(home, '.config', 'fish', 'completions', 'deploy.fish'), rule);
    const exportsFile = join(home, 'exports');
    writeFileSync(exportsFile, `export FLAG='dry'\nexport PATH='${join(home, 'bin')}:${process.env.PATH}'\n`);
    // fish loads no completion of a program that is not there.
    mkdirSync(join(home, 'bin'));
    writeFileSync(join(home, 'bin', 'deploy'), '#!/bin/sh\n', { mode: 0o755 });
    const helper = open('fish');
    const found = await ask(helper, 'deploy pr', { exportsFile });
    expect(found).toEqual([{ text: 'prod', start: 7, isPath: false, isQuoted: false, description: 'To everybody' }]);
    expect(await ask(helper, 'deploy --d', { exportsFile })).toEqual([
      { text: '--dry', start: 7, isPath: false, isQuoted: false, description: 'Long' },
    ]);
    expect((await ask(helper, 'ls a'))?.map(({ text }) => text)).toEqual(['a folder/']);
    expect(await ask(helper, 'deploy zzz', { exportsFile })).toBeNull();
  });
});
