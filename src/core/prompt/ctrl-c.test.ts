import { expect, test } from 'bun:test';
import { PromptDesk } from '../../../test/support/prompt-desk.ts';
import { type CtrlC, type Moment, STOP_KEYS, toMoment, toSpecialKey } from './ctrl-c.ts';
import type { Glance, PromptRole, PromptState, Running } from './prompt-state.ts';
import { createPromptState } from './prompt-step.ts';

const RUNNING: readonly Running[] = ['nothing', 'command', 'model', 'tool'];
const LINES: readonly Glance['line'][] = ['unread', 'empty', 'text'];
const ROLES: readonly PromptRole[] = ['owner', 'client'];
const EITHER = [false, true];

/** Every state there is, as far as Ctrl-C goes by it. */
function* situations(): Generator<readonly [PromptState, Glance]> {
  for (const role of ROLES)
    for (const keys of ['line', 'program'] as const)
      for (const isLent of EITHER)
        for (const isAsked of EITHER)
          for (const hasApproval of EITHER)
            for (const isWorking of EITHER)
              for (const isOurs of EITHER)
                for (const waitsForSnapshot of EITHER)
                  for (const running of RUNNING)
                    for (const line of LINES) {
                      const state: PromptState = {
                        ...createPromptState(role),
                        ...{ keys, isLent, isWorking },
                        approval: hasApproval ? { shownAt: 0 } : null,
                        lease: { asking: isAsked ? 'pts/9' : null, holder: null, isOurs, isHinted: false },
                      };
                      yield [state, { running, waitsForSnapshot, line, text: '', wantsText: false }];
                    }
}

/** The visible result of each meaning: the effects of one press, and no others. */
const SEEN: Readonly<Record<CtrlC, readonly string[]>> = {
  'to-borrower': ['to-borrower'],
  'to-approval': ['to-approval'],
  'to-program': ['to-program'],
  'to-line': ['to-line'],
  'refuse-keyboard': ['stop-timer', 'lease', 'tell-lease'],
  interrupt: ['interrupt'],
};

test('Ctrl-C has exactly one meaning in every state, the one of its table, and never ends aish', () => {
  const seen = new Set<Moment>();
  for (const [state, glance] of situations()) {
    const desk = new PromptDesk();
    desk.state = state;
    const moment = toMoment(state, glance);
    seen.add(moment);
    const effects = desk.send({ type: 'keys', bytes: Uint8Array.of(3), at: 10_000, glance });
    expect([moment, effects.map(({ type }): string => type)]).toEqual([moment, [...SEEN[STOP_KEYS[moment].ctrlC]]]);
  }
  expect([...seen].sort()).toEqual((Object.keys(STOP_KEYS) as Moment[]).sort());
});

test('Ctrl-\\ halts in every state but where the keys are lent or the program is a command of the user', () => {
  const keys = new Set<Moment>();
  for (const [state, glance] of situations()) {
    const desk = new PromptDesk();
    desk.state = state;
    const effects = desk.send({ type: 'keys', bytes: Uint8Array.of(28), at: 10_000, glance });
    if (!effects.some(({ type }) => type === 'halt')) keys.add(toMoment(state, glance));
  }
  expect([...keys].sort()).toEqual(['keys-lent', 'own-program']);
});

test('the line goes before the answer, and an empty line lets what another client began be stopped', () => {
  const at = (line: Glance['line'], running: Running): Moment =>
    toMoment(createPromptState(), { line, running, waitsForSnapshot: false, text: '', wantsText: false });
  expect([at('text', 'model'), at('empty', 'model'), at('empty', 'tool'), at('empty', 'nothing')]).toEqual([
    'line',
    'answer',
    'call',
    'line',
  ]);
});

test('the keys are known however the terminal sends them, and nothing else passes for them', () => {
  const special = (text: string) => toSpecialKey(new TextEncoder().encode(text));
  expect(['\x03', '\x1b[99;5u', '\x1b[99;5:1u', '\x1b[1089::99;5u'].map(special)).toEqual(Array(4).fill('ctrl-c'));
  expect(['\x1c', '\x1b[92;5u', '\x1b[92;5:1u'].map(special)).toEqual(Array(3).fill('ctrl-\\'));
  expect(['\x1d', '\x1b[93;5u'].map(special)).toEqual(Array(2).fill('ctrl-]'));
  expect(['c', '\x1b', '\x1b[99;5:3u', '\x1b[99u', '\x1b[A', '\x03x', ''].map(special)).toEqual(Array(7).fill(null));
});

test('several in one read each count', () => {
  const desk = new PromptDesk();
  desk.send({ type: 'command-entered' });
  desk.foreground = { group: 42, name: 'stuck', isPlain: true };
  desk.press('\x03\x03\x03');
  expect([desk.got, desk.signals]).toEqual([Array(3).fill('program:\x03'), ['SIGINT', 'SIGINT']]);
  expect(desk.done).toContain('offer-signals');
  desk.press('\x1c\x1c');
  expect(desk.got.at(-1)).toBe('program:\x1c\x1c');
});

/** A command that ignores Ctrl-C. */
function stubborn(): PromptDesk {
  const desk = new PromptDesk();
  desk.send({ type: 'command-entered' });
  desk.foreground = { group: 42, name: 'stuck', isPlain: true };
  return desk;
}

test('the second Ctrl-C within a second goes to the whole group, the third offers more in words', () => {
  const desk = stubborn();
  for (let count = 0; count < 3; count++) desk.press('\x03', 200);
  expect(desk.signals).toEqual(['SIGINT', 'SIGINT']);
  expect(desk.done.filter((type) => type === 'offer-signals')).toHaveLength(1);
  desk.press('\x1bk', 200);
  expect([desk.signals.at(-1), desk.got]).toEqual(['SIGKILL', Array(3).fill('program:\x03')]);
});

test('presses far apart are each the first', () => {
  const desk = stubborn();
  for (let count = 0; count < 5; count++) desk.press('\x03', 1500);
  expect([desk.signals, desk.got]).toEqual([[], Array(5).fill('program:\x03')]);
});

test('a program that reads keys itself gets every Ctrl-C and nothing else', () => {
  const desk = stubborn();
  desk.foreground = { group: 42, name: 'vim', isPlain: false };
  for (let count = 0; count < 5; count++) desk.press('\x03', 200);
  desk.press('\x1bk', 200);
  expect([desk.signals, desk.got]).toEqual([[], [...Array(5).fill('program:\x03'), 'program:\x1bk']]);
});

test('the offer is for that program only, and not for long', () => {
  const desk = stubborn();
  for (let count = 0; count < 3; count++) desk.press('\x03', 200);
  desk.foreground = { group: 43, name: 'other', isPlain: true };
  desk.press('\x1bt', 200);
  desk.foreground = { group: 42, name: 'stuck', isPlain: true };
  desk.press('\x1bt', 11_000);
  expect([desk.signals, desk.got.slice(3)]).toEqual([
    ['SIGINT', 'SIGINT'],
    ['program:\x1bt', 'program:\x1bt'],
  ]);
});
