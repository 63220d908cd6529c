import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FidelityCommand, SHELLS } from '../fidelity/command.ts';
import { commandsOf, turnOf } from '../fidelity/commands/table.ts';
import { type Comparison, faults } from '../fidelity/compare.ts';
import { compareAll } from '../fidelity/compare-all.ts';
import { Random } from '../fidelity/random.ts';
import { SAMPLE, sampleDirect, sampleOurs } from '../fidelity/whole-program.ts';
import { Home } from '../support/aish.ts';
import { isOnDisk, PATIENCE, prompted } from '../support/at-prompt.ts';
import { answered } from '../support/conversation.ts';
import { makeFakeSudo } from '../support/fake-sudo.ts';
import { startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';
import type { TestTerminal } from '../support/terminal.ts';
import { inForeground, openTestShell } from '../support/test-shell.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(120_000);

test('[fidelity.same] the table holds at least 170 commands for each shell', () => {
  for (const shell of SHELLS) expect(commandsOf(shell).length).toBeGreaterThanOrEqual(170);
});

describe.each(SHELLS.filter((shell) => hasProgram(shell)))('%s', (shell) => {
  // `AISH_FIDELITY=all` compares each command in both shells.
  const commands = process.env.AISH_FIDELITY === 'all' ? commandsOf(shell) : turnOf(shell);
  let compared: ReadonlyMap<FidelityCommand, Promise<Comparison | Error>> = new Map();
  beforeAll(() => {
    compared = compareAll(commands, shell);
  });

  for (const command of commands) {
    test(`[fidelity.same] ${command.about}: ${command.line.slice(0, 60).replaceAll('\n', ' ⏎ ')}`, async () => {
      const result = await compared.get(command);
      if (result === undefined || result instanceof Error) throw result ?? new Error('it was not run');
      expect(faults(command, shell, result)).toEqual({});
    });
  }

  test('[fidelity.program] through the whole program a sample does as in the shell used directly', async () => {
    expect(SAMPLE.length).toBeGreaterThanOrEqual(30);
    const [direct, ours] = await Promise.all([sampleDirect(shell), sampleOurs(shell)]);
    expect(ours).toEqual(direct);
  });

  test('[fidelity.forged] marks in what a program prints are output, whatever they say', async () => {
    await using t = openTestShell(shell);
    const nonce = '0123456789abcdef0123456789abcdef';
    const marks = ['C', 'D;0;/tmp', 'D;7;/', 'W;1', 'W;99', 'S;/dev/null'];
    const forged = marks.flatMap((mark) => [
      `\\033]7711;${nonce};${mark}\\007`,
      `\\033]7711;${mark}\\007`,
      `\\033]7711;;${mark}\\007`,
      `\\033]7711;${nonce};${mark}`,
      `\\033]133;${mark}\\007`,
    ]);
    for (const [number, mark] of forged.entries()) {
      const record = await t.run(`printf '${mark}'; echo "line ${number}"; (exit ${number + 1})`);
      expect({ exit: record.exit, cwd: record.cwd }).toEqual({ exit: number + 1, cwd: t.home });
      expect((await t.run('echo still here')).output).toBe('still here\n');
    }
    expect(t.states.filter((state) => state === 'ended')).toEqual([]);
  });

  test('[fidelity.typed-ahead] what is typed while something runs never executes, at whatever moment', async () => {
    await using t = openTestShell(shell);
    await t.ready();
    const random = new Random(20261121);
    for (let round = 0; round < 50; round++) {
      const running = t.run(random.pick(['sleep 0.03', 'sleep 0.01; true', ':', '(sleep 0.02)', 'sleep 0.02 | cat']));
      const keys = random.pick([
        `touch owned-${round}\r`,
        `touch owned-${round}`,
        `: a\rtouch owned-${round}\r`,
        'x\r\r',
      ]);
      for (const part of random.below(2) === 0 ? [keys] : [...keys]) {
        t.shell.write(new TextEncoder().encode(part));
        if (random.below(3) === 0) await Bun.sleep(random.below(9));
      }
      await running;
      await t.ready();
    }
    expect((await t.run('echo settled')).output).toBe('settled\n');
    expect(readdirSync(t.home).filter((name) => name.startsWith('owned'))).toEqual([]);
  });

  test('[fidelity.typed-ahead] what is typed in the middle of a command comes back letter by letter', async () => {
    await using t = openTestShell(shell);
    await t.run('mkfifo gate');
    let typed = '';
    let echoed = '';
    const onOutput = (bytes: Uint8Array) => {
      echoed += Buffer.from(bytes).toString();
    };
    for (let round = 0; round < 10; round++) {
      const running = t.shell.run('cat gate', { driver: 'user', onOutput });
      await inForeground(t.shell, 'cat');
      const keys = [`touch owned-${round}\r`, `: a\rtouch owned-${round}`, 'x\r\r'][round % 3] ?? '';
      for (const key of keys) t.shell.write(new TextEncoder().encode(key));
      typed += keys;
      await until({ what: 'the echo of all keys' }, () => echoed.replaceAll('\r\n', '\r') === typed);
      writeFileSync(join(t.home, 'gate'), '');
      await running;
      await t.ready();
    }
    expect(readdirSync(t.home).filter((name) => name.startsWith('owned'))).toEqual([]);
    expect(t.typedAhead().replaceAll('\n', '\r')).toBe(typed);
  });

  test('[fidelity.secret] a typed password is nowhere: on no screen, on no disk, in no request', async () => {
    using home = new Home();
    const bin = makeFakeSudo(home);
    await using server = startModelServer({ script: [text('Seen.')] });
    home.useModel(server.url);
    const env = { SHELL: Bun.which(shell) ?? shell, PATH: `${bin}:${home.env.PATH}` };
    await using terminal = home.open([], { env });
    await giveSecret(terminal, 'read -rs hidden; echo "got ${#hidden}"', 'walrus-one-7');
    await giveSecret(terminal, 'sudo true', 'walrus-two-7');
    const getpass = 'import getpass; print("got", len(getpass.getpass()))';
    if (hasProgram('python3')) await giveSecret(terminal, `python3 -c '${getpass}'`, 'walrus-six-7');
    terminal.type('?what did I type\n');
    await answered(terminal, 'Seen.');
    terminal.type('exit\n');
    await terminal.ended();
    expect(terminal.rawText()).not.toContain('walrus');
    expect(isOnDisk(home.root, 'walrus')).toBe(false);
    expect(server.requests.map((request) => request.text).join('')).not.toContain('walrus');
  });
});

/** Runs something that asks, answers once it listens, and waits for the prompt. */
async function giveSecret(terminal: TestTerminal, line: string, secret: string): Promise<void> {
  await prompted(terminal);
  const before = terminal.rawText().split('not recorded').length;
  terminal.type(`${line}\n`);
  await terminal.waitForRaw((raw) => raw.split('not recorded').length > before, PATIENCE);
  terminal.type(`${secret}\n`);
  await terminal.waitForHistory((all) => all.split(`got ${secret.length}`).length > 1, PATIENCE);
  await prompted(terminal);
  terminal.type('clear\n');
  await terminal.waitFor((screen) => /^\S+ >$/.test(screen), PATIENCE);
}
