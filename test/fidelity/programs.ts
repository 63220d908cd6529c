import { join, resolve } from 'node:path';
import type { Home } from '../support/aish.ts';

/** A program that has the terminal for a while. */
export interface ForegroundProgram {
  readonly name: string;
  /** The program that must be installed. */
  readonly needs?: string;
  readonly line: string;
  /** On the screen as soon as the program reads keys. */
  readonly stands: RegExp;
  /** Keys that put it in the background; absent where it cannot be stopped. */
  readonly suspend?: string;
  /** On the screen again after `fg`, where that is something else. */
  readonly standsAgain?: RegExp;
  /** Keys pressed after `fg` so that the program shows where it is. */
  readonly wake?: string;
  /** Keys that end it. */
  readonly leave: string;
  /** The text in the terminal afterwards. */
  readonly leaves?: RegExp;
}

const CTRL_Z = '\x1a';
const PICKER = resolve(import.meta.dir, '../fixtures/programs/picker.py');

/** The programs users live in, each as it is used. The home has a repository with one commit. */
export function foregroundPrograms(home: Home): readonly ForegroundProgram[] {
  const python = Bun.which('python3') ?? 'python3';
  return [
    {
      name: 'vim',
      needs: 'vim',
      line: 'vim -Nu NONE -i NONE new.txt',
      stands: /^~ *$/m,
      suspend: CTRL_Z,
      leave: 'iby vim\x1b:wq\r',
    },
    { name: 'less', needs: 'less', line: 'less numbers', stands: /\n20\n/, suspend: CTRL_Z, leave: 'Gq' },
    {
      name: 'less behind a pipe',
      needs: 'less',
      line: 'seq 500 | less',
      stands: /\n20\n/,
      suspend: CTRL_Z,
      leave: 'Gq',
    },
    { name: 'top', needs: 'top', line: 'top', stands: /PID USER/, suspend: CTRL_Z, leave: 'q' },
    {
      name: 'nano',
      needs: 'nano',
      line: 'nano --ignorercfiles note.txt',
      stands: /GNU nano/,
      // nano stops on Ctrl-Z behind Ctrl-T only.
      suspend: `\x14${CTRL_Z}`,
      leave: 'by nano\x0f\r\x18',
    },
    {
      name: 'python3',
      needs: 'python3',
      line: `${python} -q`,
      stands: />>>$/,
      suspend: CTRL_Z,
      wake: '\r',
      leave: 'print("seen", 6 * 7)\rexit()\r',
      leaves: /^seen 42$/m,
    },
    {
      name: 'a password prompt of sudo',
      line: 'sudo true',
      stands: /\[sudo\] password for tester: /,
      leave: 'walrus-9\r',
      leaves: /^got 8$/m,
    },
    {
      name: 'read -s',
      line: 'printf "sec%s: " ret; read -rs hidden; echo; echo "length ${#hidden}"',
      stands: /^secret: /m,
      leave: 'walrus-10\r',
      leaves: /^length 9$/m,
    },
    {
      name: 'git commit with an editor',
      needs: 'vim',
      line: 'git add -A && GIT_EDITOR="vim -Nu NONE -i NONE" git commit',
      stands: /# Please enter the commit message/,
      suspend: CTRL_Z,
      leave: 'iA commit by hand\x1b:wq\r',
      leaves: /A commit by hand/,
    },
    {
      name: 'git add -p',
      line: 'echo more >>README && git add -p',
      stands: /Stage this hunk \[.*\]\?$/,
      suspend: CTRL_Z,
      wake: '?\r',
      leave: 'y\r',
    },
    {
      name: 'a picker in raw mode',
      needs: 'python3',
      line: `seq 11 15 | ${python} ${PICKER} >choice; cat choice`,
      stands: /pick one$/,
      leave: '\x1b[B\r',
      leaves: /^12$/m,
    },
    {
      name: 'a picker that is stopped',
      needs: 'python3',
      line: `${python} ${PICKER} <${join(home.work, 'choice')}`,
      stands: /pick one$/,
      suspend: CTRL_Z,
      leave: '\r',
      leaves: /^12$/m,
    },
  ];
}

/** ssh to this machine, with a shell at the other end. */
export function sshProgram(config: string): ForegroundProgram {
  return {
    name: 'ssh',
    needs: 'ssh',
    line: `ssh -F ${config} loopback`,
    stands: /remote\$$/,
    suspend: `\r~${CTRL_Z}`,
    wake: '\r',
    leave: 'echo "far $((40 + 2))"; exit 5\r',
    leaves: /^far 42$/m,
  };
}
