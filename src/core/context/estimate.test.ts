import { expect, test } from 'bun:test';
import { attachmentRoom, outputRoom, resultRoom } from '../session/context-state.ts';
import { correctionOf, estimateTokens, shareOut } from './estimate.ts';
import { formatNotes, notesRoom } from './format-notes.ts';

test('scripts of their own count more tokens for each character than Latin ones', () => {
  expect([estimateTokens('a'.repeat(360)), estimateTokens('漢'.repeat(130))]).toEqual([100, 100]);
});

test("a server's count corrects the estimate, unless it must be of something else", () => {
  expect([correctionOf(1000, 1500), correctionOf(1000, 10), correctionOf(1000, 9000), correctionOf(0, 5)]).toEqual([1.5, null, null, null]);
});

test('a window is shared out so that an answer always has room', () => {
  expect([shareOut(8192, 80), shareOut(200_000, 95), shareOut(400, 80)]).toEqual([
    { window: 8192, reserve: 1024, most: 6553, target: 3276 },
    { window: 200_000, reserve: 8192, most: 190_000, target: 95_000 },
    { window: 400, reserve: 256, most: 144, target: 72 },
  ]);
});

test('a small window leaves less room for each text, and a large one not all there is', () => {
  const window = (tokens: number) => ({ model: 'm', tokens, origin: 'server' }) as const;
  expect([null, window(2048), window(1_000_000)].map((one) => [resultRoom(one), outputRoom(one), attachmentRoom(one)])).toEqual([
    [16_000, 4000, null],
    [2048, 512, 4096],
    [64_000, 16_000, 2_000_000],
  ]);
});

test('notes have their share of the window, the nearest ones first', () => {
  const notes = ['/a/AGENTS.md', '/a/b/AGENTS.md'].map((path) => ({
    path,
    text: 'n'.repeat(500),
    bytes: 500,
    read: 500,
  }));
  const held = formatNotes(notes, notesRoom(1024)) ?? '';
  expect([held.includes('n'.repeat(500)), held.indexOf('[/a/AGENTS.md]') < held.indexOf('[/a/b/AGENTS.md]'), held.length < 1000]).toEqual([
    true,
    true,
    true,
  ]);
});
