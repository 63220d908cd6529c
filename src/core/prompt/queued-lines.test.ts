import { expect, test } from 'bun:test';
import { PromptDesk } from '../../../test/support/prompt-desk.ts';

/** A desk where work goes on and nobody waits for the line. */
function working(): PromptDesk {
  const desk = new PromptDesk();
  desk.isRead = false;
  desk.send({ type: 'work-began' });
  return desk;
}

const interrupt = (desk: PromptDesk) => desk.send({ type: 'interrupt', glance: desk.glance() });

test('keys are taken only while work goes on, and the line is on the screen then', () => {
  const desk = new PromptDesk();
  desk.isShown = false;
  expect(desk.enter('before')).toBe(false);
  desk.send({ type: 'work-began' });
  expect([desk.isShown, desk.enter('meanwhile'), desk.text]).toEqual([true, true, '']);
  desk.send({ type: 'work-ended' });
  expect(desk.enter('after')).toBe(false);
});

test('work that begins while an approval prompt is open shows the line when the prompt has closed', () => {
  const desk = new PromptDesk();
  desk.isRead = false;
  desk.isShown = false;
  desk.ask();
  desk.send({ type: 'work-began' });
  expect(desk.isShown).toBe(false);
  desk.send({ type: 'approval-closed', glance: desk.glance() });
  expect(desk.isShown).toBe(true);
});

test('a prompt that draws nothing, as that of a running dry run, leaves the line to work that begins', () => {
  const desk = new PromptDesk();
  desk.isRead = false;
  desk.isShown = false;
  desk.send({ type: 'approval-shown', at: desk.at, isBlank: true });
  desk.send({ type: 'work-began' });
  expect(desk.isShown).toBe(true);
});

test('queued lines run in the order they were entered, those that are sent now before the others', () => {
  const desk = working();
  for (const line of ['one', 'two']) desk.enter(line);
  for (const line of ['now', 'then']) desk.enter(line, 'ctrl-s');
  expect(desk.state.queue).toEqual({ lines: ['now', 'then', 'one', 'two'], urgent: 2 });
  for (let count = 0; count < 5; count++) desk.send({ type: 'next-line' });
  expect([desk.ran, desk.state.queue]).toEqual([['now', 'then', 'one', 'two'], { lines: [], urgent: 0 }]);
});

test('a line about an autonomous run does not wait for its end, nor does a message that is sent now', () => {
  const desk = working();
  expect([desk.enter(':pause'), desk.text]).toEqual([true, '']);
  desk.enter(':norris plan add x', 'ctrl-s', { isRun: true });
  desk.enter('?use awk', 'ctrl-s', { isRun: true });
  expect(desk.now).toEqual([':pause', ':norris plan add x', '?use awk']);
  for (const line of ['?later', ':norris resume']) desk.enter(line, 'enter', { isRun: true });
  desk.enter('ls', 'ctrl-s', { isRun: true });
  desk.enter('', 'ctrl-s', { isRun: true });
  expect([desk.state.queue.lines, desk.done.includes('send-now')]).toEqual([['?later', ':norris resume', 'ls'], false]);
});

test('an undo or redo does not wait for a turn to end, and its line is kept', () => {
  const desk = working();
  expect([desk.enter(':undo 2'), desk.text, desk.state.queue.lines]).toEqual([true, ':undo 2', []]);
  expect([desk.enter(':redo'), desk.enter(':undone')]).toEqual([true, true]);
  expect(desk.done.filter((type) => type === 'refuse-line')).toHaveLength(2);
  desk.enter(':undo', 'enter', { hasTurn: false });
  expect(desk.state.queue.lines).toEqual([':undone', ':undo']);
});

test('an empty line waits for nothing, and an open one begins another line', () => {
  const desk = working();
  expect([desk.enter('  '), desk.enter('echo \\')]).toEqual([true, false]);
  expect(desk.state.queue.lines).toEqual([]);
});

test('a line that only the shell can classify is queued when it is found whole, unless more was typed', () => {
  const desk = working();
  expect(desk.enter('echo x', 'enter', { whole: 'asked' })).toBe(false);
  desk.send({ type: 'line-is-whole', asked: 'echo x', text: 'echo x\nmore' });
  expect(desk.state.queue.lines).toEqual([]);
  desk.send({ type: 'line-is-whole', asked: 'echo x', text: 'echo x\n' });
  expect(desk.state.queue.lines).toEqual(['echo x']);
});

test('what a program left of its input enters nothing', () => {
  const desk = working();
  const effects = desk.leftUnread('rm -rf x\r');
  expect(effects).toEqual([{ type: 'to-line', bytes: new TextEncoder().encode('rm -rf x\r'), mayEnter: false }]);
});

test('sending now ends the turn once there is something to say, and on an empty line sends what waits', () => {
  const desk = working();
  desk.enter('', 'ctrl-s');
  expect(desk.done).not.toContain('send-now');
  desk.enter('later');
  desk.enter('', 'ctrl-s');
  desk.enter('now', 'ctrl-enter');
  expect(desk.done.filter((type) => type === 'send-now')).toHaveLength(2);
  expect(desk.state.queue.lines).toEqual(['later', 'now']);
});

test('where there is no turn the line waits like any other', () => {
  const desk = working();
  desk.enter('now', 'ctrl-s', { hasTurn: false });
  expect([desk.done.includes('send-now'), desk.state.queue]).toEqual([false, { lines: ['now'], urgent: 0 }]);
});

test('a turn that is broken off gives back what waits, each line by itself; one that ends for a line goes on with it', () => {
  const desk = working();
  desk.enter('one');
  desk.enter('two');
  desk.text = 'typed';
  desk.send({ type: 'work-broken-off', glance: desk.glance() });
  expect([desk.text, desk.state.queue.lines, desk.state.returned.lines]).toEqual(['one', [], ['one', 'two', 'typed']]);
  desk.enter('instead', 'ctrl-s');
  desk.send({ type: 'work-broken-off', glance: desk.glance() });
  expect(desk.state.queue.lines).toEqual(['instead']);
});

test('Ctrl-C brings queued lines back as lines of their own, and each goes when it is entered or given up', () => {
  const desk = working();
  for (const line of ['one', 'two', 'one']) desk.enter(line);
  interrupt(desk);
  expect([desk.text, desk.state.returned.lines]).toEqual(['one', ['one', 'two', 'one']]);
  desk.send({ type: 'work-ended' });
  desk.isRead = true;
  desk.send({ type: 'line-entered', text: 'two' });
  expect(desk.state.returned.lines).toEqual(['one', 'one']);
  desk.text = 'one';
  desk.press('\x03');
  expect([desk.state.returned.lines, desk.got]).toEqual([['one'], ['line:\x03']]);
  desk.send({ type: 'line-entered', text: 'something else' });
  expect(desk.state.returned.lines).toEqual(['one']);
});

test('one line alone comes back into the empty line, as if it had been typed', () => {
  const desk = working();
  desk.enter('only');
  interrupt(desk);
  expect([desk.text, desk.state.returned.lines]).toEqual(['only', []]);
});

test('lines that come back one after another keep their order, before what was typed', () => {
  const desk = new PromptDesk('client');
  for (const line of ['one', 'two', 'three']) desk.send({ type: 'line-returned', line, glance: desk.glance() });
  expect([desk.text, desk.state.returned.lines]).toEqual(['one', ['one', 'two', 'three']]);
  desk.press('x');
  desk.text = 'x';
  desk.send({ type: 'line-returned', line: 'later', glance: desk.glance() });
  expect(desk.state.returned.lines).toEqual(['later', 'x', 'one', 'two', 'three']);
});

test('Up edits the last queued line from an empty line only, Alt-Up always, and nothing is merged', () => {
  const desk = working();
  for (const line of ['one', 'two']) desk.enter(line);
  expect([desk.enter('typed', 'up'), desk.text]).toEqual([false, 'typed']);
  expect([desk.enter('typed', 'alt-up'), desk.text, desk.state.returned.lines]).toEqual([true, 'two', ['two', 'typed']]);
  expect([desk.enter('', 'up'), desk.text]).toEqual([true, 'one']);
  desk.press('x');
  expect(desk.enter('', 'up')).toBe(false);
});

test(':halt stops everything at once, and what waits comes back', () => {
  const desk = working();
  desk.enter('one');
  desk.enter(':halt');
  expect([desk.done.at(-1), desk.text, desk.state.queue.lines]).toEqual(['halt', 'one', []]);
});

test('the line comes back to the screen only while work goes on or somebody reads it', () => {
  const desk = working();
  const pause = (): unknown => desk.send({ type: 'screen-wanted' });
  pause();
  expect(desk.isShown).toBe(false);
  desk.closeApproval();
  expect(desk.isShown).toBe(true);
  pause();
  desk.send({ type: 'work-ended' });
  desk.closeApproval();
  expect(desk.isShown).toBe(false);
  desk.isRead = true;
  desk.closeApproval();
  expect(desk.isShown).toBe(true);
});

test('leaving with jobs is held back once, and again after something else was done', () => {
  const desk = new PromptDesk();
  const leave = (jobs: number) => desk.send({ type: 'leave', jobs }).map(({ type }) => type);
  expect([leave(0), leave(2), leave(2)]).toEqual([['leave'], ['warn-of-jobs'], ['leave']]);
  desk.send({ type: 'other-command' });
  expect(leave(1)).toEqual(['warn-of-jobs']);
});
