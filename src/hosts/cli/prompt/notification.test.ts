import { expect, test } from 'bun:test';
import { type FocusState, formatNotification, Notifier, type NotifyMode } from './notification.ts';

function openNotifier(mode: NotifyMode = 'bell') {
  const written: string[] = [];
  const clock = { now: 100_000 };
  const focus: { state: FocusState } = { state: 'unknown' };
  const waiting: (() => void)[] = [];
  const notifier = new Notifier({
    write: (text) => written.push(text),
    env: {},
    mode,
    afterMs: 10_000,
    focus,
    now: () => clock.now,
    later: (_milliseconds, run) => {
      waiting.push(run);
      return () => {};
    },
  });
  const told = (): string[] => {
    for (const run of waiting.splice(0)) run();
    return written.splice(0);
  };
  return { notifier, clock, focus, told };
}

test('long work is told to somebody who looks elsewhere, short work is not', () => {
  const { notifier, focus, told } = openNotifier();
  focus.state = 'out';
  notifier.ended('make has ended', 9_999);
  expect(told()).toEqual([]);
  notifier.ended('make has ended', 10_000);
  expect(told()).toEqual(['\x07']);
});

test('nothing is told to somebody who looks', () => {
  const { notifier, focus, told } = openNotifier();
  focus.state = 'in';
  notifier.ended('make has ended', 60_000);
  notifier.asked('fs.write waits for your answer');
  expect(told()).toEqual([]);
});

test('where the terminal tells nothing, a key of late or right after keeps a notification back', () => {
  const { notifier, clock, told } = openNotifier();
  notifier.keyPressed();
  clock.now += 9_999;
  notifier.ended('make has ended', 60_000);
  expect(told()).toEqual([]);
  clock.now += 1;
  notifier.ended('make has ended', 60_000);
  expect(told()).toEqual(['\x07']);
  notifier.ended('make has ended', 60_000);
  clock.now += 1;
  notifier.keyPressed();
  expect(told()).toEqual([]);
});

test('who wants none gets none', () => {
  const { notifier, focus, told } = openNotifier('off');
  focus.state = 'out';
  notifier.asked('fs.write waits for your answer');
  expect(told()).toEqual([]);
});

test('each terminal gets the form it shows', () => {
  const to = (env: Record<string, string>): string => formatNotification('done; \x1b[31mred\x07', 'auto', env);
  expect(to({ TERM_PROGRAM: 'iTerm.app' })).toMatch(/^\x1b\]9;aish: done, [^\x07\x1b]*red[^\x07\x1b]*\x07$/);
  expect(to({ TERM: 'foot' })).toMatch(/^\x1b\]777;notify;aish;done, [^\x07\x1b;]*\x07$/);
  expect(to({ TERM: 'xterm-256color', TMUX: '/tmp/tmux' })).toMatch(
    /^\x1bPtmux;\x1b\x1b\]9;aish: [^\x1b]*\x07\x1b\\\x07$/,
  );
  expect(to({ TERM: 'xterm-256color' })).toBe('\x07');
  expect(to({ TERM: 'screen', STY: '1.x', TERM_PROGRAM: 'WezTerm' })).toBe('\x07');
});
