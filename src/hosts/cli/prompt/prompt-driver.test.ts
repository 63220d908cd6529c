import { expect, test } from 'bun:test';
import { MemoryHistory } from '../../../../test/support/memory-history.ts';
import type { ReadResult } from '../../../core/editor/line-editor-options.ts';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import { KeyPrompt, type KeyPromptDeps } from '../approvals/key-prompt.ts';
import { LineEditor } from '../editor/line-editor.ts';
import { withReturned } from './editor-at-prompt.ts';
import { type HostEffect, PromptDriver, toTypedText } from './prompt-driver.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A prompt with a real editor, whose session is as the test says. */
function openPrompt() {
  const effects: HostEffect['type'][] = [];
  const program: string[] = [];
  const clock = { at: 10_000 };
  const session = { running: 'nothing', waitsForSnapshot: false } as const;
  const editor: LineEditor = new LineEditor({
    write: () => {},
    size: () => ({ columns: 80, rows: 24 }),
    prompt: () => '$ ',
    history: withReturned(new MemoryHistory(['older']), () => driver.state.returned.lines),
    complete: () => [],
    routeMark: () => '',
    isComplete: () => true,
    keyAtWork: (key) => driver.takeWorkKey(key),
    interrupted: () => driver.send({ type: 'interrupt' }),
  });
  const driver: PromptDriver = new PromptDriver({
    line: editor,
    now: () => clock.at,
    program: () => ({ write: (keys) => program.push(new TextDecoder().decode(keys)) }),
    session: () => session,
    carryOut: ({ type }) => effects.push(type),
  });
  return { editor, driver, effects, program, clock };
}

test('what a program left unread stands in the line and runs nothing, even while the line is read', async () => {
  const { editor, driver } = openPrompt();
  const reading = editor.read();
  driver.send({ type: 'left-unread', bytes: bytes('rm -rf x\r'), text: 'rm -rf x\r' });
  driver.feed(bytes('!'));
  expect([editor.isReading, editor.text.replace(/\n/g, '⏎')]).toEqual([true, 'rm -rf x⏎!']);
  editor.close();
  expect((await reading).type).toBe('eof');
});

test('queued lines come back each by itself: Up and Down go through them, and an entered one is gone', async () => {
  const { editor, driver, effects } = openPrompt();
  await driver.during(async () => {
    for (const line of ['one', 'two']) driver.feed(bytes(`${line}\r`));
    for (const key of ['t', 'y']) driver.feed(bytes(key));
    driver.feed(bytes('\x03'));
  });
  expect([editor.text, effects.filter((type) => type !== 'draw-queue')]).toEqual([
    'one',
    ['bring-returned', 'interrupt'],
  ]);
  const seen: string[] = [];
  for (const key of ['\x1b[A', '\x1b[A', '\x1b[A', '\x1b[B', '\x1b[B']) {
    driver.feed(bytes(key));
    seen.push(editor.text);
  }
  expect(seen).toEqual(['two', 'ty', 'older', 'ty', 'two']);
  const reading = editor.read();
  driver.feed(bytes('\r'));
  const read: ReadResult = await reading;
  expect(read).toEqual({ type: 'line', text: 'two' });
  driver.send({ type: 'line-entered', text: 'two' });
  expect(driver.state.returned.lines).toEqual(['one', 'ty']);
  expect(driver.nextLine()).toBe(null);
});

interface YesOrNoDeps extends KeyPromptDeps {
  readonly driver: PromptDriver;
  readonly answers: string[];
}

/** An approval prompt with the keys of a real one. */
class YesOrNo extends KeyPrompt<'y' | 'n', YesOrNoDeps> {
  constructor(deps: YesOrNoDeps) {
    super(deps);
    this.offer({ lines: [], keys: ['y', 'n'] });
  }

  protected press(key: string): void {
    this.deps.answers.push(key);
  }

  protected interrupt(): void {
    this.deps.driver.send({ type: 'interrupt' });
  }
}

function openApproval(driver: PromptDriver, answers: string[]): void {
  const line = { print: () => {}, write: () => {}, size: () => ({ columns: 80, rows: 24 }), theme: PLAIN_THEME };
  driver.showApproval(new YesOrNo({ ...line, driver, answers }));
}

test('no paste answers an approval prompt, however it comes, and one key alone does', () => {
  const { driver, editor, clock, effects } = openPrompt();
  const answers: string[] = [];
  openApproval(driver, answers);
  for (const read of ['y\r', 'yyy', '\x1b[200~one \x1b[201~', '\x1b[200~', 'y', '\x1b[201~', 'y']) {
    clock.at += read === 'y' ? 0 : 2000;
    driver.feed(bytes(read));
  }
  expect([answers, editor.text]).toEqual([[], 'one yy']);
  clock.at += 2000;
  driver.feed(bytes('y'));
  driver.feed(bytes('\x03'));
  expect([answers, effects]).toEqual([['y'], ['program-keys', 'tell-paste', 'tell-paste', 'interrupt']]);
});

test('the keys come back from a borrower to the program that had them', () => {
  const { driver, program } = openPrompt();
  const borrowed: number[] = [];
  driver.send({ type: 'command-entered' });
  const giveBack = driver.lend({ feed: ({ length }) => borrowed.push(length) });
  driver.feed(bytes('abc'));
  giveBack();
  driver.feed(bytes('q'));
  expect([borrowed, program]).toEqual([[3], ['q']]);
});

test('anyone who waits for the screen goes on when what was begun elsewhere has ended', async () => {
  const { driver } = openPrompt();
  await driver.screenFree();
  driver.send({ type: 'began', what: 'command', isForeign: true });
  let isFree = false;
  const free = driver.screenFree().then(() => {
    isFree = true;
  });
  await Promise.resolve();
  expect(isFree).toBe(false);
  driver.send({ type: 'program-ended' });
  await free;
});

test('a wait is over when the line is called off, before or during it, until another line is read', async () => {
  const { driver } = openPrompt();
  const never = new Promise<void>(() => {});
  const waiting = driver.until(never);
  driver.send({ type: 'interrupt' });
  expect([await waiting, await driver.until(never), driver.signal.aborted]).toEqual([true, true, true]);
  driver.beginLine();
  expect(await driver.until(Promise.resolve())).toBe(false);
});

test.each([
  ['echo hi\r', 'echo hi'],
  ['one\rtwo\r', 'one\ntwo'],
  ['ehco\x7f\x7f\x7fcho hi\r', 'echo hi'],
  ['äö\x7f\b\x7f', ''],
])('keys %j leave the line %j', (keys, text) => {
  expect(toTypedText(new TextEncoder().encode(keys))).toBe(text);
});

test('Alt-. inserts the last word of a line that ran, and of no line that came back', async () => {
  const { editor, driver } = openPrompt();
  await driver.during(async () => {
    for (const line of ['queued word', 'another one']) driver.feed(bytes(`${line}\r`));
    driver.feed(bytes('\x03'));
  });
  const reading = editor.read();
  for (const key of ['\x15', '\x1b.']) driver.feed(bytes(key));
  expect([driver.state.returned.lines.length > 0, editor.text]).toEqual([true, 'older']);
  editor.close();
  await reading;
});
