import { expect, test } from 'bun:test';
import { PromptDesk, textOf } from '../../../test/support/prompt-desk.ts';

/** The keys kept for the line of a client after keys that came so long after a command began, and which of them gave a hint. */
function type(...keys: readonly (readonly [at: number, text: string])[]): { readonly kept: string; hints: boolean[] } {
  const desk = new PromptDesk('client');
  desk.running = 'command';
  desk.at = 5000;
  desk.send({ type: 'program-began', callId: '1', at: desk.at });
  const hints = keys.map(([at, text]) => {
    desk.at = 5000 + at;
    const { length } = desk.done;
    desk.state = { ...desk.state, lease: { ...desk.state.lease, isHinted: false } };
    desk.press(text);
    return desk.done.slice(length).includes('tell-lease');
  });
  let kept = '';
  desk.onEffect = (effect) => {
    if (effect.type === 'insert-typed') kept = textOf(effect.bytes);
  };
  desk.send({ type: 'program-ended', glance: desk.glance() });
  expect([desk.got, desk.state.typed.forLine.length, desk.state.typed.later.length]).toEqual([[], 0, 0]);
  return { kept, hints };
}

test('a line that was entered in the moment a command began is kept, Enter and all', () => {
  expect(type([5, 'echo of-client\r'])).toEqual({ kept: 'echo of-client\r', hints: [false] });
  expect(type([5, 'one\r'], [90, 'two\r'])).toEqual({ kept: 'one\rtwo\r', hints: [false, false] });
});

test('anyone who types on without a pause is still at that line', () => {
  const keys = [...'echo slowly\r'].map((key, at) => [(at + 1) * 300, key] as const);
  expect(type(...keys).kept).toBe('echo slowly\r');
});

test('after a pause letters are kept until a key shows that the program was meant, and nothing before them is lost', () => {
  expect(type([5, 'ls -'], [700, 'l'])).toEqual({ kept: 'ls -l', hints: [false, false] });
  expect(type([5, 'ls\r'], [1500, 'yes'], [1600, '\r'])).toEqual({ kept: 'ls\r', hints: [false, true, true] });
  expect(type([500, 'nothing\r'])).toEqual({ kept: '', hints: [true] });
  expect(type([500, 'é'], [600, '\u0085'])).toEqual({ kept: '', hints: [false, true] });
});

test('a client asks for the keyboard, has its keys reach the program, and gives it back, with one key', () => {
  const desk = new PromptDesk('client');
  desk.send({ type: 'program-began', callId: '1', at: desk.at });
  desk.press('\x1d');
  desk.send({ type: 'lease-changed', holder: 'me', isOurs: true });
  desk.press('q');
  desk.press('\x1d');
  desk.send({ type: 'lease-changed', holder: null, isOurs: false });
  desk.press('\x03', 2000);
  expect([desk.got, desk.done.filter((type) => /lease|interrupt/.test(type))]).toEqual([
    ['program:q'],
    ['lease-ask', 'lease-give-back', 'interrupt'],
  ]);
});

test('a client without the keyboard leaves with Ctrl-D, and a program with the keys of a client gets it', () => {
  const desk = new PromptDesk('client');
  desk.send({ type: 'program-began', callId: '1', at: desk.at });
  desk.press('\x04');
  desk.send({ type: 'lease-changed', holder: 'me', isOurs: true });
  desk.press('\x04');
  expect([desk.got, desk.done.filter((type) => type.includes('lease'))]).toEqual([['program:\x04'], ['lease-leave']]);
});

test('the owner lends the keyboard with one key, refuses it with Ctrl-C, and after a while without an answer', () => {
  for (const [answer, done] of [
    ['\x1d', ['lease-grant']],
    ['\x03', ['lease-refuse', 'tell-lease']],
    [null, ['lease-refuse', 'tell-lease']],
  ] as const) {
    const desk = new PromptDesk();
    desk.send({ type: 'lease-asked', client: 'pts/9' });
    expect(desk.timers.get('lease')).toBe(30_000);
    desk.press('l');
    const { length } = desk.done;
    if (answer === null) desk.expire('lease');
    else desk.press(answer);
    expect([desk.got, desk.done.slice(length), desk.state.lease.asking, desk.timers.size]).toEqual([['line:l'], [...done], null, 0]);
  }
});

test('while a client has the keyboard, the owner keys reach no program but Ctrl-C, and Ctrl-] takes it back', () => {
  const desk = new PromptDesk();
  desk.running = 'command';
  desk.send({ type: 'command-entered' });
  desk.send({ type: 'lease-changed', holder: 'pts/9', isOurs: false });
  for (const key of ['x', 'y', '\x03', 'z\x1d']) desk.press(key);
  desk.send({ type: 'lease-changed', holder: null, isOurs: false });
  desk.press('x');
  expect([desk.got, desk.done.filter((type) => type.includes('lease'))]).toEqual([
    ['program:\x03', 'program:x'],
    ['tell-lease', 'lease-take-back'],
  ]);
});

test('a client that is gone asks no more, and Ctrl-C means again what it did', () => {
  const desk = new PromptDesk();
  desk.send({ type: 'lease-asked', client: 'pts/9' });
  desk.send({ type: 'lease-withdrawn' });
  desk.text = 'typed';
  desk.press('\x03');
  expect([desk.got, desk.timers.size]).toEqual([['line:\x03'], 0]);
});
