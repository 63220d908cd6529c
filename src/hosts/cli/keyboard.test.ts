import { expect, test } from 'bun:test';
import { Keyboard } from './keyboard.ts';

interface Desk {
  readonly keyboard: Keyboard;
  readonly got: string[];
  at: number;
}

function desk(): Desk {
  const got: string[] = [];
  const taker = (name: string): { feed(bytes: Uint8Array): void } => ({
    feed: (bytes) => got.push(`${name}:${Buffer.from(bytes).toString()}`),
  });
  const self: Desk = {
    got,
    at: 10_000,
    keyboard: new Keyboard({
      editor: taker('editor'),
      program: () => ({ write: (bytes) => got.push(`program:${Buffer.from(bytes).toString()}`) }),
      now: () => self.at,
    }),
  };
  return self;
}

function question(self: Desk, options: { wantsText: boolean } = { wantsText: false }): void {
  self.keyboard.toQuestion({
    ...options,
    feed: (bytes) => self.got.push(`question:${Buffer.from(bytes).toString()}`),
  });
}

function press(self: Desk, key: string, after: number): void {
  self.at += after;
  self.keyboard.feed(Buffer.from(key));
}

test('a key that comes just after the question is no answer to it', () => {
  const self = desk();
  press(self, 'm', 0);
  self.at += 450;
  question(self);
  press(self, 'a', 20);
  press(self, 'y', 500);
  expect(self.got).toEqual(['editor:m', 'editor:a', 'question:y']);
});

test('a key that comes just after more was told under the question is no answer either', () => {
  const self = desk();
  question(self);
  self.at += 2000;
  self.keyboard.toldMore();
  press(self, 'y', 250);
  press(self, 'y', 450);
  expect(self.got).toEqual(['editor:y', 'question:y']);
});

test('a key that is held down answers one question and not the next', () => {
  const self = desk();
  question(self);
  press(self, 'y', 500);
  question(self);
  for (let count = 0; count < 20; count += 1) press(self, 'y', 33);
  expect(self.got.filter((entry) => entry.startsWith('question'))).toEqual(['question:y']);
});

test('Ctrl-C reaches a question at once', () => {
  const self = desk();
  question(self);
  press(self, '\x03', 1);
  expect(self.got).toEqual(['question:\x03']);
});

test('the reason for a refusal is typed at any speed', () => {
  const self = desk();
  question(self, { wantsText: true });
  press(self, 'n', 1);
  press(self, 'o', 1);
  expect(self.got).toEqual(['question:n', 'question:o']);
});

test('keys go to the program while it has the keyboard', () => {
  const self = desk();
  self.keyboard.toProgram();
  press(self, 'q', 0);
  self.keyboard.toEditor();
  press(self, 'l', 0);
  expect(self.got).toEqual(['program:q', 'editor:l']);
});
