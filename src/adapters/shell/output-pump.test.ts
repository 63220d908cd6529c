import { expect, test } from 'bun:test';
import { OutputPump } from './output-pump.ts';

/** A pump that nobody reads but a watcher, and the pieces that it saw. */
function open() {
  const pump = new OutputPump({ terminal: null, calls: null, setFlow: () => {} });
  const seen: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  pump.watch = (bytes) => {
    seen.push(Buffer.from(bytes).toString());
    resolve();
  };
  return { pump, seen, first: promise };
}

test('what leads goes out in one piece with what comes next', () => {
  const { pump, seen } = open();
  pump.lead(Buffer.from('begin '));
  pump.write(Buffer.from('output'));
  pump.write(Buffer.from(' and more'));
  expect(seen).toEqual(['begin output', ' and more']);
});

test('what leads goes out by itself where nothing comes next', async () => {
  const { pump, seen, first } = open();
  pump.lead(Buffer.from('begin'));
  expect(seen).toEqual([]);
  await first;
  expect(seen).toEqual(['begin']);
});

test('what leads twice is kept in order', () => {
  const { pump, seen } = open();
  pump.lead(Buffer.from('one '));
  pump.lead(Buffer.from('two '));
  pump.write(Buffer.from('three'));
  expect(seen).toEqual(['one ', 'two three']);
});

test('what leads is forgotten with the pump', () => {
  const { pump, seen } = open();
  pump.lead(Buffer.from('begin'));
  pump.close();
  pump.write(Buffer.from(''));
  expect(seen).toEqual([]);
});
