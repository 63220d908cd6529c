import * as edit from './edit.ts';

/** Where a key moves the cursor, or how far it cuts. */
export type Offset = (state: edit.EditState) => number;

/** Keys that move the cursor. */
export const MOVES: Readonly<Record<string, Offset>> = {
  left: edit.leftOf,
  'ctrl-b': edit.leftOf,
  right: edit.rightOf,
  'ctrl-f': edit.rightOf,
  home: edit.lineStart,
  'ctrl-a': edit.lineStart,
  end: edit.lineEnd,
  'ctrl-e': edit.lineEnd,
  'ctrl-home': () => 0,
  'ctrl-end': ({ text }) => text.length,
  'alt-<': () => 0,
  'alt->': ({ text }) => text.length,
  'ctrl-left': edit.wordLeft,
  'alt-left': edit.wordLeft,
  'alt-b': edit.wordLeft,
  'ctrl-right': edit.wordRight,
  'alt-right': edit.wordRight,
  'alt-f': edit.wordRight,
};

/** Keys that change the text without filling the kill ring. */
export const CHANGES: Readonly<Record<string, (state: edit.EditState) => edit.EditState>> = {
  backspace: edit.deleteBackward,
  'shift-backspace': edit.deleteBackward,
  delete: edit.deleteForward,
  'ctrl-t': edit.transposeCharacters,
  'alt-t': edit.transposeWords,
};

/** Keys that cut from the cursor to somewhere and keep what they cut. */
export const KILLS: Readonly<Record<string, { readonly to: Offset; readonly direction: 'before' | 'after' }>> = {
  'ctrl-k': { to: endOrBreak, direction: 'after' },
  'ctrl-u': { to: startOrBreak, direction: 'before' },
  'ctrl-w': { to: edit.blankLeft, direction: 'before' },
  'alt-backspace': { to: edit.wordLeft, direction: 'before' },
  'ctrl-backspace': { to: edit.wordLeft, direction: 'before' },
  'alt-d': { to: edit.wordRight, direction: 'after' },
  'alt-delete': { to: edit.wordRight, direction: 'after' },
  'ctrl-delete': { to: edit.wordRight, direction: 'after' },
};

/** At the end of a line the line break is what is left to kill. */
function endOrBreak(state: edit.EditState): number {
  const end = edit.lineEnd(state);
  return end === state.cursor ? Math.min(end + 1, state.text.length) : end;
}

function startOrBreak(state: edit.EditState): number {
  const start = edit.lineStart(state);
  return start === state.cursor ? Math.max(start - 1, 0) : start;
}
