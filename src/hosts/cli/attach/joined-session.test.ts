import { expect, test } from 'bun:test';
import { ShownCommands } from './joined-session.ts';

const output = (text: string) => ({ type: 'output', bytes: Buffer.from(text) }) as const;

function collect(): { write(bytes: Uint8Array): void; text(): string } {
  let text = '';
  const write = (bytes: Uint8Array): void => {
    text += Buffer.from(bytes).toString();
  };
  return { write, text: () => text };
}

test('what a command shows is shown from its beginning to its end, whichever way is faster', async () => {
  const shown = new ShownCommands();
  const screen = collect();
  shown.push(output('of nobody'));
  shown.push({ type: 'began', seq: 4 });
  shown.push(output('one '));
  const first = shown.show(4, screen.write, { isOn: false });
  shown.push(output('two'));
  shown.push({ type: 'ended', seq: 4 });
  shown.push({ type: 'began', seq: 9 });
  shown.push(output(' three'));
  await first;
  expect(screen.text()).toBe('one two');
  shown.push({ type: 'ended', seq: 9 });
  await shown.show(9, screen.write, { isOn: false });
  expect(screen.text()).toBe('one two three');
});

test('of a command that had begun before, all is shown that comes; a lost connection ends it', async () => {
  const shown = new ShownCommands();
  const screen = collect();
  shown.push(output('late'));
  const done = shown.show(2, screen.write, { isOn: true });
  shown.close();
  await done;
  expect(screen.text()).toBe('late');
});
