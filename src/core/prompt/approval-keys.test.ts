import { describe, expect, test } from 'bun:test';
import { PromptDesk } from '../../../test/support/prompt-desk.ts';
import type { Decision } from '../../protocol/op.ts';

test('a key that comes just after the approval prompt is no answer to it', () => {
  const desk = new PromptDesk();
  desk.press('m');
  desk.at += 450;
  desk.ask();
  desk.press('a', 20);
  desk.press('y', 500);
  expect(desk.got).toEqual(['line:m', 'line:a', 'approval:y']);
});

test('a key that comes just after more was shown under the approval prompt is no answer either', () => {
  const desk = new PromptDesk();
  desk.ask();
  desk.at += 2000;
  desk.send({ type: 'approval-extended', at: desk.at });
  desk.press('y', 250);
  desk.press('y', 450);
  expect(desk.got).toEqual(['line:y', 'approval:y']);
});

test('a key that is held down answers one approval prompt and not the next', () => {
  const desk = new PromptDesk();
  desk.ask();
  desk.press('y', 500);
  desk.ask();
  for (let count = 0; count < 20; count += 1) desk.press('y', 33);
  expect(desk.got.filter((entry) => entry.startsWith('approval'))).toEqual(['approval:y']);
});

test('a key that comes with a report of the terminal, or right behind one, is no answer', () => {
  const desk = new PromptDesk();
  desk.ask();
  desk.at += 2000;
  desk.send({ type: 'reported', at: desk.at });
  desk.press('y');
  desk.press('y', 100);
  desk.press('y', 500);
  expect(desk.got).toEqual(['line:y', 'line:y', 'approval:y']);
});

test('a key right behind a report that would be an answer is dropped, and no text of somebody who types is', () => {
  const desk = new PromptDesk();
  const askAndReport = (): void => {
    desk.ask();
    desk.at += 2000;
    desk.send({ type: 'reported', at: desk.at });
  };
  askAndReport();
  desk.press('y', 100);
  desk.press('y', 500);
  expect(desk.got).toEqual(['approval:y']);
  askAndReport();
  for (const key of 'yes') desk.press(key, 100);
  expect(desk.got.slice(1)).toEqual(['line:y', 'line:e', 'line:s']);
  askAndReport();
  desk.press('\x1b[200~yes\x1b[201~', 100);
  expect(desk.got.slice(4)).toEqual(['line:\x1b[200~yes\x1b[201~']);
});

test('a paste at an approval prompt waits in the line, in one read or several, and enters nothing', () => {
  const desk = new PromptDesk();
  const mayEnter: boolean[] = [];
  desk.onEffect = (effect) => {
    if (effect.type === 'to-line') mayEnter.push(effect.mayEnter);
  };
  desk.ask();
  desk.press('\x1b[200~make\ry', 1000);
  desk.press('y');
  desk.press('y\x1b[20', 500);
  desk.press('1~', 500);
  desk.press('\r', 100);
  expect(desk.got).toEqual(['line:\x1b[200~make\ry', 'line:y', 'line:y\x1b[20', 'line:1~', 'line:\r']);
  expect([mayEnter, desk.done]).toEqual([
    [false, false, false, false, false],
    ['program-keys', 'tell-paste'],
  ]);
  desk.press('y', 1000);
  expect(desk.got.at(-1)).toBe('approval:y');
});

test('a paste whose end never comes does not keep Ctrl-C from an approval prompt', () => {
  const desk = new PromptDesk();
  desk.ask();
  desk.press('\x1b[200~make', 1000);
  desk.press('\x03', 1000);
  desk.press('y', 1000);
  expect(desk.got.slice(1)).toEqual(['approval:\x03', 'approval:y']);
});

test('Ctrl-C reaches an approval prompt at once, however the terminal sends it', () => {
  const desk = new PromptDesk();
  desk.ask();
  for (const key of ['\x03', '\x1b[99;5u']) desk.press(key, 1);
  expect(desk.got).toEqual(['approval:\x03', 'approval:\x1b[99;5u']);
});

test('the reason for a refusal is typed at any speed', () => {
  const desk = new PromptDesk();
  desk.ask({ wantsText: true });
  desk.press('n', 1);
  desk.press('o', 1);
  expect(desk.got).toEqual(['approval:n', 'approval:o']);
});

test('keys go to the program while it has the keyboard, and go to it again after an approval', () => {
  const desk = new PromptDesk();
  desk.send({ type: 'command-entered' });
  desk.press('q');
  desk.ask();
  desk.closeApproval();
  desk.press('r', 1000);
  desk.send({ type: 'program-ended', glance: desk.glance() });
  desk.press('l');
  expect(desk.got).toEqual(['program:q', 'program:r', 'line:l']);
});

const ALWAYS: Decision = { type: 'allow-always', rule: 'fs.write_file' };

test.each([
  ['nothing was asked', null, ['e', 's', '\r'], 'es\r'],
  ['Enter alone', { type: 'allow' }, ['\r', 'ls\r'], 'ls\r'],
  ['the rest of yes', { type: 'allow' }, ['e', 's', '\r', 'l', 's'], 'ls'],
  ['the rest of no, at once', { type: 'deny' }, ['o\recho'], 'echo'],
  ['the rest of always', ALWAYS, ['lwa', 'ys\r'], ''],
  ['only the first Enter', { type: 'allow' }, ['\r', '\r'], '\r'],
  ['another word', { type: 'allow' }, ['e', 'c', 'h', 'o', '\r'], 'echo\r'],
  ['Ctrl-C in the middle', { type: 'allow' }, ['e', '\x03'], 'e\x03'],
  ['letters of other alphabets', { type: 'allow' }, ['e', 'é'], 'eé'],
  ['a reason, which had its own Enter', { type: 'deny', reason: 'no' }, ['\r'], '\r'],
] as const)('what follows an answer is taken out or passes whole: %s', (_, decision, keys, expected) => {
  const desk = new PromptDesk();
  if (decision !== null) desk.send({ type: 'approval-answered', decision, at: desk.at, glance: desk.glance() });
  for (const key of keys) desk.press(key);
  expect(desk.got.map((entry) => entry.slice('line:'.length)).join('')).toBe(expected);
});

test('what is held back passes after a while', () => {
  const desk = new PromptDesk();
  desk.send({ type: 'approval-answered', decision: { type: 'allow' }, at: desk.at, glance: desk.glance() });
  desk.press('es');
  expect([desk.got, desk.timers.get('answer-habit')]).toEqual([[], 1500]);
  desk.expire('answer-habit');
  expect([desk.got, desk.timers.size]).toEqual([['line:es'], 0]);
});

describe('a line that may be a command or a message', () => {
  const LINE = 'git merge older';
  const asked = (): PromptDesk => {
    const desk = new PromptDesk();
    desk.text = LINE;
    desk.send({ type: 'doubt-shown', line: LINE, at: desk.at });
    return desk;
  };

  test.each([
    ['\r', `!${LINE}`],
    ['\n', `!${LINE}`],
    ['\t', `?${LINE}`],
  ])('%j enters %j', (key, entered) => {
    const desk = asked();
    desk.press(key, 400);
    expect([desk.text, desk.got]).toEqual([entered, ['line:\r']]);
  });

  test('a key that comes before the question can be seen, or while somebody types, is dropped', () => {
    const desk = asked();
    desk.press('\r', 299);
    desk.press('\r', 399);
    expect([desk.text, desk.got]).toEqual([LINE, []]);
    desk.press('\r', 400);
    expect(desk.text).toBe(`!${LINE}`);
  });

  test('any other key, another line and a paste end the question', () => {
    for (const end of ['x', '\x1b[A', '\r\r', '\x1b[200~\r\x1b[201~']) {
      const desk = asked();
      desk.press(end, 900);
      desk.press('\t', 900);
      expect([desk.text, desk.got]).toEqual([LINE, [`line:${end}`, 'line:\t']]);
    }
    const desk = asked();
    desk.text = 'git merge';
    desk.press('\r', 900);
    expect([desk.text, desk.got]).toEqual(['git merge', ['line:\r']]);
  });

  test('an approval prompt has its own keys', () => {
    const desk = asked();
    desk.ask();
    desk.press('\r', 900);
    expect([desk.text, desk.got]).toEqual([LINE, ['approval:\r']]);
  });
});

describe('a line that is offered for one that was not found', () => {
  const offered = (): PromptDesk => {
    const desk = new PromptDesk();
    desk.send({ type: 'offer-shown', line: 'git status', at: desk.at });
    return desk;
  };
  const entered: string[] = [];
  const watched = (desk: PromptDesk): PromptDesk => {
    entered.length = 0;
    desk.onEffect = (effect) => effect.type === 'enter-line' && void entered.push(effect.text);
    return desk;
  };

  test('Tab enters it once, where nothing is typed', () => {
    const desk = watched(offered());
    desk.press('\t', 400);
    expect([entered, desk.got]).toEqual([['git status'], []]);
    desk.press('\t', 400);
    expect([entered, desk.got]).toEqual([['git status'], ['line:\t']]);
  });

  test('a Tab that comes before the offer can be seen is dropped', () => {
    const desk = watched(offered());
    desk.press('\t', 299);
    expect([entered, desk.got]).toEqual([[], []]);
    desk.press('\t', 400);
    expect(entered).toEqual(['git status']);
  });

  test('any other key, a line and an approval prompt end it', () => {
    for (const end of [
      (desk: PromptDesk) => void desk.press('x', 400),
      (desk: PromptDesk) => void desk.send({ type: 'line-entered', text: 'ls' }),
      (desk: PromptDesk) => void desk.ask(),
      (desk: PromptDesk) => void Object.assign(desk, { text: 'l' }),
      (desk: PromptDesk) => void Object.assign(desk, { isRead: false }),
    ]) {
      const desk = watched(offered());
      end(desk);
      desk.press('\t', 900);
      expect(entered).toEqual([]);
    }
  });
});
