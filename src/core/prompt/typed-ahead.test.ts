import { expect, test } from 'bun:test';
import { PromptDesk } from '../../../test/support/prompt-desk.ts';

/** A desk at which the user's own command has the keys. */
function running(): PromptDesk {
  const desk = new PromptDesk();
  desk.isRead = false;
  desk.send({ type: 'command-entered' });
  return desk;
}

const end = (desk: PromptDesk) => desk.send({ type: 'program-ended', glance: desk.glance() });
const next = (desk: PromptDesk) => desk.send({ type: 'next-line' });

test('entered lines run one by one behind the command, and what follows the last Enter stands in the line', () => {
  const desk = running();
  for (const piece of ['ls', '\r', '\recho a\nech', 'oo\x7f b']) desk.leftUnread(piece);
  end(desk);
  expect([desk.state.ahead.lines, desk.text]).toEqual([['ls', 'echo a'], 'echo b']);
  expect([next(desk), next(desk), next(desk)]).toEqual([
    [{ type: 'run-line', text: 'ls', isAhead: true }],
    [{ type: 'run-line', text: 'echo a', isAhead: true }],
    [],
  ]);
});

test('from the first key that only the editor can carry out, all stands in the line', () => {
  const desk = running();
  for (const piece of ['ls\recho', '\x1b[D', 'x\r']) desk.leftUnread(piece);
  expect([desk.state.ahead.lines, desk.text, desk.got]).toEqual([['ls'], 'echo', ['line:\x1b[D', 'line:x\r']]);
  end(desk);
  desk.send({ type: 'command-entered' });
  desk.leftUnread('pwd\r');
  expect(desk.state.ahead.lines).toEqual(['ls', 'pwd']);
});

test('what a command of the model leaves unread enters nothing', () => {
  const desk = running();
  desk.send({ type: 'program-began', callId: 'c', at: desk.at });
  desk.leftUnread('y\r');
  expect([desk.state.ahead.lines, desk.got]).toEqual([[], ['line:y\r']]);
});

test('a command that is stopped brings the lines behind it back', () => {
  const desk = running();
  desk.leftUnread('one\rtwo\r');
  end(desk);
  desk.send({ type: 'command-stopped', glance: desk.glance() });
  expect([desk.text, desk.state.returned.lines, desk.state.ahead.lines, next(desk)]).toEqual(['one', ['one', 'two'], [], []]);
});

test('a line that is entered behind the command, before the next one is read, runs as those entered during it', () => {
  const desk = running();
  desk.leftUnread('ex');
  end(desk);
  desk.press('it\rl');
  expect([desk.state.ahead.lines, desk.text]).toEqual([['exit'], 'l']);
  expect(next(desk)).toEqual([{ type: 'run-line', text: 'exit', isAhead: true }]);
  desk.press('s\r');
  desk.send({ type: 'command-entered' });
  end(desk);
  expect([desk.text, next(desk), next(desk)]).toEqual(['', [{ type: 'run-line', text: 'ls', isAhead: true }], []]);
  // Once a line is read, or where no command has ended, Enter is a key of the editor.
  desk.press('pwd\r');
  expect([desk.state.ahead.lines, desk.got]).toEqual([[], ['line:pwd\r']]);
});
