import { expect, test } from 'bun:test';
import { type InterruptDeps, Interrupts, type InterruptView } from './interrupts.ts';
import { Command } from './shell-options.ts';

const SHELL = 1;

/** A terminal that a command gets after so many looks at who has it. */
function openTerminal(looksBefore: number) {
  let looks = 0;
  let sent = 0;
  const twice = Promise.withResolvers<void>();
  const pty: InterruptDeps['pty'] = {
    pid: SHELL,
    isOwnerWaiting: false,
    get foreground() {
      looks += 1;
      return looks > looksBefore ? SHELL + 1 : SHELL;
    },
    interrupt() {
      sent += 1;
      if (sent === 2) twice.resolve();
    },
  };
  return { pty, sentTwice: twice.promise };
}

function interruptsOf(pty: InterruptDeps['pty'], view: InterruptView): Interrupts {
  return new Interrupts({ pty, health: { interruptHooks() {}, noteInterrupt() {} }, dropsHooks: false, view });
}

test('a Ctrl-C as a command starts is sent again when the command has the terminal, however long that takes', async () => {
  const current = new Command('sleep 60', { driver: 'user' }, () => {});
  const { pty, sentTwice } = openTerminal(3);
  const interrupts = interruptsOf(pty, { phase: 'running', current, isSourced: true });
  interrupts.takeEarly();
  expect(interrupts.send()).toBe(true);
  await sentTwice;
});

test('a Ctrl-C before a command starts is sent again, however long the way of its line into the shell took', async () => {
  const current = new Command('sleep 60', { driver: 'user' }, () => {});
  Object.defineProperty(current, 'age', { value: 5000 });
  const { pty, sentTwice } = openTerminal(0);
  const view = { phase: 'injecting' as InterruptView['phase'], current, isSourced: true };
  const interrupts = interruptsOf(pty, view);
  expect(interrupts.send()).toBe(false);
  view.phase = 'running';
  expect([interrupts.takeEarly(), interrupts.send()]).toEqual([true, true]);
  await sentTwice;
});
