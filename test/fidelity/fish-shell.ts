import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fish } from '../../src/adapters/shell/integration/fish.ts';
import { prepareForFish } from '../support/fish-home.ts';
import { openTestShell } from '../support/test-shell.ts';

/** The result of a line: its bytes, and the shell's knowledge of itself afterwards. */
export interface FishSeen {
  readonly line: string;
  readonly output: string;
  /** Statuses, directory, variables, exports, functions, abbreviations and handlers. */
  readonly state: string;
}

const BEGUN = '<begun-7f3a>';
const DONE = '<done-7f3a>';
const READY = '<ready-7f3a>';

/** Both shells read this; only the one used directly writes marks. */
const CONFIG = `set -g fish_greeting
function probe
    set -l seen $status $pipestatus
    begin
        echo status $seen
        pwd
        for name in (set -n | string match -rv '^(__aish.*|__fish.*|_|seen|name|argv|history|CMD_DURATION|cmd_duration|fish_pid|last_pid|AISH|DIRECT|status|pipestatus|fish_killring|SHLVL|COLUMNS|LINES|status_generation|hostname|umask|PROBE|XDG.*|__.*)$')
            echo $name $$name
        end
        set -nx | string match -rv '^(AISH|DIRECT|PROBE|SHLVL|__.*)$'
        functions -n | string split , | string match -rv '^(probe|marks?_.*)$'
        abbr --show
        functions --handlers | string match -rv 'aish|marks_|bracketed_paste|__fish'
        umask
    end >$PROBE 2>&1
end
if set -q DIRECT
    function marks_begun --on-event fish_preexec; printf '${BEGUN}' >/dev/tty; end
    function marks_done --on-event fish_postexec; printf '${DONE}' >/dev/tty; end
    function marks_ready --on-event fish_prompt; printf '${READY}' >/dev/tty; end
end
`;

const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'one\ntwo\nthree\n',
  'b.txt': 'two\n',
  'dir/inner.txt': 'inner\n',
  'run.sh': '#!/bin/sh\necho "ran with $# arguments"\nexit 4\n',
  'plain.sh': '#!/bin/sh\necho never\n',
  '.config/fish/config.fish': CONFIG,
};

function lay(home: string): void {
  prepareForFish('fish', home);
  for (const folder of ['dir', '.config/fish']) mkdirSync(join(home, folder), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(home, name), text);
  chmodSync(join(home, 'run.sh'), 0o755);
}

/** Runs the lines one after the other in one fish as a user without aish has it. */
export async function runDirectly(program: string, lines: readonly string[]): Promise<readonly FishSeen[]> {
  const home = mkdtempSync(join(tmpdir(), 'fish-direct-'));
  const scratch = mkdtempSync(join(tmpdir(), 'fish-probe-'));
  lay(home);
  const terminal = new FishTerminal(program, home, { ...environment(home, scratch), DIRECT: '1' });
  try {
    await terminal.until(READY);
    const seen: FishSeen[] = [];
    for (const line of lines) {
      const shown = await terminal.run(line);
      await terminal.run(' probe');
      seen.push(toSeen(line, shown, { home, scratch }));
    }
    return seen;
  } finally {
    await terminal.close();
    for (const folder of [home, scratch]) rmSync(folder, { recursive: true, force: true });
  }
}

/** The same lines in one fish through aish. */
export async function runThroughAish(program: string, lines: readonly string[]): Promise<readonly FishSeen[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'fish-probe-'));
  const files = { '.config/fish/config.fish': CONFIG };
  const runtimeDir = join(scratch, 'runtime');
  await using t = openTestShell(program, { files, runtimeDir, env: { PROBE: join(scratch, 'probe'), ...COLOURS } });
  try {
    lay(t.home);
    const seen: FishSeen[] = [];
    for (const line of lines) {
      const parts: Uint8Array[] = [];
      const { exit } = await t.shell.run(line, { driver: 'user', onOutput: (bytes) => parts.push(bytes.slice()) });
      await t.ready();
      await t.shell.run(' probe', { driver: 'user' });
      await t.ready();
      const found = toSeen(line, Buffer.concat(parts), { home: t.home, scratch });
      const isAgreed = found.state.startsWith(`status ${exit} `);
      seen.push(isAgreed ? found : { ...found, state: `aish says ${exit}\n${found.state}` });
    }
    return seen;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** fish's `ls` sets this variable when it first runs, which is not always in the same line. */
const COLOURS = { LS_COLORS: 'di=01;34' };

function environment(home: string, scratch: string): Record<string, string> {
  const env = { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...COLOURS };
  return { ...env, PROBE: join(scratch, 'probe') };
}

function toSeen(line: string, output: Uint8Array, { home, scratch }: { home: string; scratch: string }): FishSeen {
  const neutral = (text: string): string =>
    text
      .replaceAll(home, '~home')
      .replaceAll(scratch, '~scratch')
      .replace(/\/tmp\/\.psub\.\w+|^\d+\t\d+\t/gm, '');
  const state = readFileSync(join(scratch, 'probe'), 'utf8');
  return {
    line,
    output: neutral(Buffer.from(output).toString('latin1')),
    state: neutral(state).replace(/^SHELL.*\n/gm, ''),
  };
}

/** A fish on a terminal of its own, typed to as a user types. */
class FishTerminal {
  readonly #process: Bun.Subprocess;
  #received = Buffer.alloc(0);
  #look: () => void = () => undefined;

  constructor(program: string, cwd: string, env: Record<string, string>) {
    this.#process = Bun.spawn([program, '-i'], {
      cwd,
      env,
      terminal: {
        cols: 80,
        rows: 24,
        data: (_terminal, bytes) => {
          this.#received = Buffer.concat([this.#received, bytes]);
          this.#look();
        },
      },
    });
  }

  /** Types a line; the answer is what was shown between its beginning and its end. */
  async run(line: string): Promise<Buffer> {
    this.#received = Buffer.alloc(0);
    this.#process.terminal?.write(`${line.replaceAll('\n', '\r')}\r`);
    await this.until(READY);
    const begun = this.#received.indexOf(BEGUN);
    const done = this.#received.indexOf(DONE);
    if (begun < 0 || done < begun) return Buffer.alloc(0);
    const shown = this.#received.subarray(begun + BEGUN.length, done).toString('latin1');
    const own = shown.replace(fish.editor?.lead ?? '', '').replace(/\x1b\]133;[^\x07]*\x07/g, '');
    return Buffer.from(own, 'latin1');
  }

  async until(text: string): Promise<void> {
    while (!this.#received.includes(text)) {
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
  }

  async close(): Promise<void> {
    this.#process.terminal?.close();
    this.#process.kill('SIGKILL');
    await this.#process.exited;
  }
}
