import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { prompted, runLine } from '../support/at-prompt.ts';
import { written } from '../support/until.ts';
import type { ShellName } from './command.ts';
import { DirectShell, MORE, READY } from './direct-shell.ts';
import { probeLine, toObservation } from './observe.ts';

/** Lines typed one after the other at the prompt of the whole program, in bash and zsh alike. */
export const SAMPLE: readonly string[] = [
  'true',
  'false',
  'echo "status $?"',
  'pwd',
  'ls',
  'ls no-such-file',
  'mkdir deep && cd deep',
  'cd - >/dev/null; pwd',
  'cd deep; cd ..; pwd',
  'export COLOUR=red; echo $COLOUR',
  'greet() { echo "hello $1"; return 3; }',
  'greet world',
  "alias hi='echo aliased'",
  'hi x1',
  'seq 5 | sort -r | head -2',
  'echo one two | wc -w',
  'echo a >file; cat file; echo b >>file; wc -l <file',
  'cat no-such-file 2>/dev/null || echo caught',
  'for i in 1 2 3; do echo "item $i"; done',
  'echo $((6 * 7)) {a,b}{1,2}',
  'printf "%s-%s\\n" x y',
  'if [ -d deep ]; then echo folder; fi',
  '(cd /; pwd); pwd',
  'echo "$(echo nested)"',
  'grep -c b file',
  "sh -c 'exit 42'",
  "awk 'BEGIN { print 1 + 1 }'",
  'umask 027; umask',
  'read -r first rest <<<"x y z"; echo "$rest"',
  'unset COLOUR; echo "${COLOUR-unset}"',
  'git log --oneline | wc -l',
  './no-such-command-7',
  'echo "żółw 日本"',
];

/** aish's own text behind a command that was not found. */
const OFFER = 'Press Tab to ask the model';

/** The screen of each line, and the shell's knowledge at the end. */
export interface Sampled {
  readonly shown: readonly string[];
  readonly state: Record<string, string>;
}

/** The sample in the shell used directly. */
export async function sampleDirect(shell: ShellName): Promise<Sampled> {
  using home = new Home();
  const program = Bun.which(shell) ?? shell;
  const unset = shell === 'bash' ? '' : 'HISTSIZE=100\nunsetopt zle prompt_sp prompt_cr\n';
  writeFileSync(startupFile(home, shell), `unset HISTFILE\nPS1='${READY}' PS2='${MORE}'\n${unset}`);
  const args = shell === 'bash' ? ['--noediting', '-i'] : ['-i', '+Z'];
  const direct = new DirectShell({ program, args, cwd: home.work, env: { ...home.env, SHELL: program } });
  try {
    await direct.ready();
    const shown: string[] = [];
    for (const line of SAMPLE) {
      const { output } = await direct.run(line);
      shown.push(neutral(home, output.toString('utf8').replaceAll('\r', '').trimEnd()));
    }
    await direct.run(probeLine(shell, join(home.root, 'probe')));
    return { shown, state: readState(home) };
  } finally {
    await direct.close();
  }
}

/** The same typed at the prompt of aish. */
export async function sampleOurs(shell: ShellName): Promise<Sampled> {
  using home = new Home();
  const program = Bun.which(shell) ?? shell;
  writeFileSync(startupFile(home, shell), `unset HISTFILE\n${shell === 'zsh' ? 'HISTSIZE=100\n' : ''}`);
  // This address needs no model; without any model one line would report that.
  home.useModel('http://127.0.0.1:9');
  await using terminal = home.open([], { env: { SHELL: program }, columns: 500, rows: 40 });
  const shown: string[] = [];
  for (const line of SAMPLE) {
    await runLine(terminal, line);
    const lines = terminal.history().split('\n');
    const from = lines.findLastIndex((text) => text.endsWith(`$ ${line}`));
    const output = lines.slice(from + 1, -1).filter((text) => !text.startsWith(OFFER));
    shown.push(neutral(home, output.join('\n').trimEnd()));
  }
  await prompted(terminal);
  terminal.type(`!${probeLine(shell, join(home.root, 'probe'))}\n`);
  // The modes stand last.
  await written(join(home.root, 'probe'), /^= modes\n.+\n$/m);
  await prompted(terminal);
  return { shown, state: readState(home) };
}

function startupFile(home: Home, shell: ShellName): string {
  return join(home.home, shell === 'zsh' ? '.zshrc' : '.bashrc');
}

function neutral(home: Home, text: string): string {
  return text.replaceAll(home.root, '~root');
}

function readState(home: Home): Record<string, string> {
  const seen = { exit: null, ended: false, output: Buffer.alloc(0) };
  return { ...toObservation(seen, { home: home.root, scratch: home.root }) };
}
