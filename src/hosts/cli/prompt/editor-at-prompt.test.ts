import { expect, test } from 'bun:test';
import type { LineEditor } from '../editor/line-editor.ts';
import type { Setup } from '../setup/setup.ts';
import { KeyMode } from './editor-at-prompt.ts';

/** How often keys were given to an editor under that configuration, after the shell had told each of these options. */
async function switches(keys: 'emacs' | 'vi', ...told: readonly (readonly string[])[]): Promise<number[]> {
  let count = 0;
  const editor = { useKeys: () => void count++ } as unknown as LineEditor;
  const mode = new KeyMode(editor, {
    setup: { loaded: { config: { ui: { keys } } } } as unknown as Setup,
    shell: () => null,
  });
  const seen: number[] = [];
  for (const options of told) {
    await mode.follow(options);
    seen.push(count);
  }
  return seen;
}

test('the keys follow the shell: an option that is on, or what the user typed last', async () => {
  expect(await switches('emacs', ['vi'], ['vi', 'keys='], ['vi', 'keys=none'], ['keys=vi'], ['keys=emacs'])).toEqual([
    1, 1, 2, 3, 4,
  ]);
});

test('vi keys of the configuration stay', async () => {
  expect(await switches('vi', [], ['keys=emacs'])).toEqual([1, 1]);
});

test('keys that change back while the module of the others loads stay', async () => {
  const used: unknown[] = [];
  const editor = { useKeys: (make: (...of: unknown[]) => unknown) => used.push(make({}, 'plain')) };
  const setup = { loaded: { config: { ui: { keys: 'emacs' } } } };
  const mode = new KeyMode(editor as unknown as LineEditor, { setup: setup as unknown as Setup, shell: () => null });
  await Promise.all([mode.follow(['vi']), mode.follow([])]);
  expect(used).toEqual(['plain']);
});
