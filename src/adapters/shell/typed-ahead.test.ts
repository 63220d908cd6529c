import { describe, expect, test } from 'bun:test';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openTestShell } from '../../../test/support/test-shell.ts';

/** Letters and Enter in an order that shows any that is missing, doubled or out of its place. */
function robotText(length: number): string {
  return Array.from({ length }, (_, at) => (at % 7 === 6 ? '\r' : String.fromCharCode(97 + (at % 26)))).join('');
}

const once = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe.each(['bash', 'zsh'] as const)('what a robot types byte by byte into %s', (program) => {
  test('over the ends of many commands comes back exactly as it was typed, and none of it runs', async () => {
    await using t = openTestShell(program);
    await t.ready();
    const text = robotText(10_000);
    let typed = 0;
    const outputs: string[] = [];
    while (typed < text.length) {
      const running = t.run('printf "%s" "$((40 + 2))"');
      let isOver = false;
      void running.then(() => {
        isOver = true;
      });
      while (!isOver && typed < text.length) {
        t.shell.write(Buffer.from(text.charAt(typed++)));
        await once();
      }
      outputs.push((await running).output);
    }
    await t.ready();
    expect(t.typedAhead()).toBe(text);
    expect(t.outside()).toBe('');
    expect(outputs.map((output) => output.replace(/[a-z\n]/g, ''))).toEqual(outputs.map(() => '42'));
  });

  test('while a program reads a part of it comes back from where the program stopped', async () => {
    await using t = openTestShell(program);
    await t.ready();
    const text = robotText(600);
    const running = t.run('read -r one; read -r two; echo "[$one$two]"');
    let isOver = false;
    void running.then(() => {
      isOver = true;
    });
    for (const letter of text) {
      t.shell.write(Buffer.from(letter));
      if (!isOver) await once();
    }
    const record = await running;
    await t.ready();
    const lines = text.split('\r');
    expect(record.output).toContain(`[${lines[0]}${lines[1]}]`);
    expect(t.typedAhead()).toBe(lines.slice(2).join('\r'));
  });

  test('more than the terminal holds comes back whole', async () => {
    await using t = openTestShell(program);
    await t.run('mkfifo gate');
    await t.ready();
    const running = t.run('stty raw; read -r x <gate');
    // Opens when the shell does.
    const gate = openSync(join(t.home, 'gate'), 'w');
    const text = robotText(100_000);
    t.shell.write(Buffer.from(text));
    writeSync(gate, 'go\n');
    closeSync(gate);
    await running;
    await t.ready();
    expect(t.typedAhead()).toBe(text);
  });

  test('the key that ends a text comes back as itself', async () => {
    await using t = openTestShell(program);
    await t.run('mkfifo gate');
    await t.ready();
    const running = t.run('read -r x <gate');
    const gate = openSync(join(t.home, 'gate'), 'w');
    t.shell.write(Buffer.from('ls\r\x04'));
    writeSync(gate, 'go\n');
    closeSync(gate);
    await running;
    await t.ready();
    expect(t.typedAhead()).toBe('ls\r\x04');
  });
});
