import { expect, test } from 'bun:test';
import { openTerminal } from './terminal.ts';

const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', PS1: '$ ' };

test('text typed into a program shows on the screen', async () => {
  await using terminal = openTerminal({ command: '/bin/bash', args: ['--norc', '--noprofile', '-i'], env });
  await terminal.waitFor('$');
  terminal.type('echo $((40+2))\n');
  await terminal.waitFor(/^42$/m);
  terminal.type('exit 7\n');
  expect(await terminal.exited).toBe(7);
});

test('the emulator answers what programs ask a terminal', async () => {
  const ask = String.raw`stty raw -echo min 0 time 50; printf '\e[c'; dd bs=1 count=5 2>/dev/null | od -An -c; printf '\e]11;?\a\e[?2026$p'; dd bs=1 count=35 2>/dev/null | od -An -c; stty sane`;
  await using terminal = openTerminal({ command: '/bin/bash', args: ['-c', ask], env });
  await terminal.exited;
  const answers = terminal.history().replace(/\s+/g, '');
  expect(answers).toContain('033[?');
  expect(answers).toContain(']11;rgb:0000/0000/0000');
  expect(answers).toContain('033[?2026');
});

test('a resize reaches the program and the screen', async () => {
  await using terminal = openTerminal({ command: '/bin/bash', args: ['--norc', '--noprofile', '-i'], env });
  await terminal.waitFor('$');
  terminal.resize(100, 30);
  terminal.type('stty size\n');
  await terminal.waitFor('30 100');
  terminal.press('ctrl-d');
  expect(await terminal.exited).toBe(0);
});

test('a wait that ends with the program says what was on the screen', async () => {
  await using terminal = openTerminal({ command: '/bin/echo', args: ['hello'], env });
  expect(terminal.waitFor('goodbye')).rejects.toThrow(/the program ended waiting for goodbye; the screen:\nhello/);
  await terminal.exited;
});
