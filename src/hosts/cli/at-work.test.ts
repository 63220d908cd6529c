import { expect, test } from 'bun:test';
import { AtWork } from './at-work.ts';
import { LineQueue } from './line-queue.ts';

/** A line somebody types into, as far as the queue goes. */
class Slate {
  text = '';
  isShown = false;
  take(): string {
    const { text } = this;
    this.text = '';
    return text;
  }
  replace(text: string): void {
    this.text = text;
  }
  show(): void {
    this.isShown = true;
  }
  hide(): void {
    this.isShown = false;
  }
  redraw(): void {}
}

function openWork(options: { readonly canSteer?: boolean } = {}) {
  const editor = new Slate();
  const queue = new LineQueue();
  const stops: string[] = [];
  const work = new AtWork({
    editor,
    queue,
    onQueue: () => {},
    isComplete: (text) => !text.endsWith('\\'),
    canSteer: () => options.canSteer ?? true,
    stopAfterStep: () => stops.push('stop'),
    halt: () => stops.push('halt'),
    refuse: (why) => stops.push(why),
  });
  const enter = (text: string, key = 'enter'): boolean => {
    editor.text = text;
    return work.takeKey(key);
  };
  return { editor, queue, work, stops, enter };
}

test('keys are taken only while somebody works, and the line is on the screen then', async () => {
  const { work, editor, enter } = openWork();
  expect(enter('before')).toBe(false);
  await work.during(async () => {
    expect([editor.isShown, enter('meanwhile'), editor.text]).toEqual([true, true, '']);
  });
  expect(enter('after')).toBe(false);
});

test('an undo or redo does not wait for a turn to end, and its line is kept', async () => {
  const { work, editor, queue, stops, enter } = openWork();
  await work.during(async () => {
    expect([enter(':undo 2'), editor.text, queue.isEmpty]).toEqual([true, ':undo 2', true]);
    expect([enter(':redo'), enter(':undone')]).toEqual([true, true]);
  });
  expect([stops.map((why) => why.split(' ')[0]), queue.takeAll()]).toEqual([[':undo', ':redo'], [':undone']]);
});

test('an empty line waits for nothing, and an open one begins another line', async () => {
  const { work, queue, enter } = openWork();
  await work.during(async () => {
    expect([enter('  '), enter('echo \\')]).toEqual([true, false]);
  });
  expect(queue.isEmpty).toBe(true);
});

test('what a program left of its input enters nothing', async () => {
  const { work, queue, editor, enter } = openWork();
  await work.during(async () => {
    work.withoutEntering(() => expect(enter('rm -rf x')).toBe(false));
  });
  expect([queue.isEmpty, editor.text]).toEqual([true, 'rm -rf x']);
});

test('steering stops after the step once there is something to say, and on an empty line sends what waits', async () => {
  const { work, queue, stops, enter } = openWork();
  await work.during(async () => {
    enter('', 'ctrl-s');
    expect(stops).toEqual([]);
    enter('later');
    enter('', 'ctrl-s');
    enter('now', 'ctrl-enter');
  });
  expect([stops, queue.takeAll()]).toEqual([
    ['stop', 'stop'],
    ['later', 'now'],
  ]);
});

test('where no turn can be stopped the line waits like any other', async () => {
  const { work, queue, stops, enter } = openWork({ canSteer: false });
  await work.during(async () => void enter('now', 'ctrl-s'));
  expect([stops, queue.takeAll()]).toEqual([[], ['now']]);
});

test('a turn that is broken off gives back what waits, before what is typed; one that was steered goes on with it', async () => {
  const { work, queue, editor, enter } = openWork();
  await work.during(async () => {
    enter('one');
    enter('two');
    editor.text = 'typed';
    work.brokenOff();
    expect([editor.text, queue.isEmpty]).toEqual(['one\ntwo\ntyped', true]);
    enter('instead', 'ctrl-s');
    work.brokenOff();
  });
  expect(queue.takeAll()).toEqual(['instead']);
});

test('Up takes a line back into an empty line only, Alt-Up always', async () => {
  const { work, editor, enter } = openWork();
  await work.during(async () => {
    enter('one');
    enter('two');
    expect([enter('typed', 'up'), editor.text]).toEqual([false, 'typed']);
    expect([enter('typed', 'alt-up'), editor.text]).toEqual([true, 'two\ntyped']);
    expect([enter('', 'up'), editor.text]).toEqual([true, 'one']);
    expect(enter('', 'up')).toBe(false);
  });
});

test('the line comes back to the screen only while somebody works', async () => {
  const { work, editor } = openWork();
  await work.during(async () => {
    work.pause();
    expect(editor.isShown).toBe(false);
    work.resume();
    expect(editor.isShown).toBe(true);
    work.pause();
  });
  work.resume();
  expect(editor.isShown).toBe(false);
});
