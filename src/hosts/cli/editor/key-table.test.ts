import { expect, test } from 'bun:test';
import { AFTER_CTRL_X, commands, moves } from '../../../core/editor/emacs-keys.ts';
import { parseVi } from '../../../core/editor/vi-commands.ts';
import { KEY_GROUPS, VI_KEYS } from '../../../core/meta/help-text.ts';

/** Other names of keys that the table has already. */
const OTHER_NAMES = ['shift-backspace'];
/** Keys of the prompt during work. */
const WORK_KEYS = ['enter', 'up', 'alt-up', 'ctrl-s', 'ctrl-enter', 'ctrl-\\'];
/** Keys that begin something with the next key; the editor keeps them apart from its tables. */
const BEGINNINGS = ['ctrl-]', 'ctrl-alt-]', 'ctrl-v', 'ctrl-q', 'alt-1'];

const bound = [
  ...[moves(), commands()].flatMap((table) => [...table.keys()]),
  ...Object.keys(AFTER_CTRL_X).map((key) => `ctrl-x ${key}`),
];
const told = KEY_GROUPS.flatMap(({ rows }) => rows.flatMap(({ keys }) => keys));

test('every key that the editor knows is told by help', () => {
  expect(bound.filter((key) => !told.includes(key) && !OTHER_NAMES.includes(key))).toEqual([]);
});

test('help tells of no key that does nothing', () => {
  expect(told.filter((key) => !bound.includes(key) && !BEGINNINGS.includes(key) && !WORK_KEYS.includes(key))).toEqual(
    [],
  );
});

const viKeys = VI_KEYS.flatMap(([keys]) => keys.split(' '));

test("help tells of no key of vi's that means nothing", () => {
  const isKnown = (key: string) => parseVi(key) !== 'unknown' || parseVi(`d${key}`) !== 'unknown';
  expect(viKeys.filter((key) => !isKnown(key))).toEqual([]);
});

test("every key of vi's that means something is told by help", () => {
  const letters = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at));
  const known = letters.filter((key) => !/[1-9]/.test(key) && parseVi(key) !== 'unknown');
  expect(known.filter((key) => key !== 'g' && !viKeys.includes(key))).toEqual([]);
});
