import { expect, test } from 'bun:test';
import { openTerminal } from './terminal.ts';
import { useFolder } from './test-folder.ts';

const env = { PATH: process.env.PATH ?? '', HOME: useFolder('terminal'), PS1: '$ ' };

test('text typed into a program shows on the screen', async () => {
  await using terminal = openTerminal({ command: '/bin/bash', args: ['--norc', '--noprofile', '-i'], env });
  await terminal.waitFor(/^\$$/);
  terminal.type('echo $((40+2))\n');
  await terminal.waitFor(/^42\n\$$/m);
  terminal.type('exit 7\n');
  expect(await terminal.ended()).toBe(7);
});

test('the emulator answers what programs ask a terminal', async () => {
  const ask = String.raw`stty raw -echo min 0 time 50; printf '\e[c'; dd bs=1 count=5 2>/dev/null | od -An -c; printf '\e]11;?\a\e[?2026$p'; dd bs=1 count=35 2>/dev/null | od -An -c; stty sane`;
  await using terminal = openTerminal({ command: '/bin/bash', args: ['-c', ask], env });
  await terminal.ended();
  const answers = terminal.history().replace(/\s+/g, '');
  expect(answers).toContain('033[?');
  expect(answers).toContain(']11;rgb:0000/0000/0000');
  expect(answers).toContain('033[?2026');
});

test('a resize reaches the program and the screen', async () => {
  await using terminal = openTerminal({ command: '/bin/bash', args: ['--norc', '--noprofile', '-i'], env });
  await terminal.waitFor(/^\$$/);
  terminal.resize(100, 30);
  terminal.type('stty size\n');
  // Before its prompt is back the shell has not made the terminal raw, and the key would be lost in between.
  await terminal.waitFor(/^30 100\n\$$/m);
  terminal.press('ctrl-d');
  expect(await terminal.ended()).toBe(0);
});

test('a wait that ends with the program says what was on the screen', async () => {
  await using terminal = openTerminal({ command: '/bin/echo', args: ['hello'], env });
  await expect(terminal.waitFor('goodbye')).rejects.toThrow(
    /the program ended waiting for goodbye; the screen:\nhello/,
  );
  await terminal.ended();
});

test('a wait for what stood there before a key was answered waits for the answer', async () => {
  await using terminal = openTerminal({ command: '/bin/bash', args: ['--norc', '--noprofile', '-i'], env });
  await terminal.waitFor(/^\$$/);
  terminal.type('echo one\n');
  expect(await terminal.waitFor('$')).toContain('e');
  await terminal.waitFor(/^one\n\$$/m);
});

test('a program that ends has everything on the screen that it wrote, however busy the machine is', async () => {
  await using terminal = openTerminal({ command: '/bin/sh', args: ['-c', 'sleep 60 & seq 1 20000; exit 3'], env });
  expect(await terminal.ended()).toBe(3);
  expect(terminal.history()).toEndWith('\n19999\n20000');
});
