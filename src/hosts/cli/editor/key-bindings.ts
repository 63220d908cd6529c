import type { Direction } from '../../../core/prompt/directories.ts';
import * as edit from './edit.ts';
import { LAST_ARGUMENT, type Line } from './line.ts';

/** The target of a key that moves the cursor or cuts. */
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

/** Keys that go to another directory where the line is empty. */
export const DIRECTIONS: Readonly<Record<string, Direction>> = { 'alt-left': 'back', 'alt-right': 'forward' };

/** Keys that change the text without filling the kill ring. */
export const CHANGES: Readonly<Record<string, (state: edit.EditState) => edit.EditState>> = {
  'ctrl-t': edit.transposeCharacters,
  'alt-t': edit.transposeWords,
  'alt-u': (state) => edit.changeWord(state, (word) => word.toUpperCase()),
  'alt-l': (state) => edit.changeWord(state, (word) => word.toLowerCase()),
  'alt-c': (state) => edit.changeWord(state, edit.capitalize),
  'alt-\\': edit.deleteBlanks,
};

/** Keys that run a command of the line. */
export const COMMANDS: Readonly<Record<string, (line: Line) => void>> = {
  enter: (line) => line.enter(),
  'alt-enter': (line) => line.buffer.type('\n'),
  'shift-enter': (line) => line.buffer.type('\n'),
  'ctrl-enter': (line) => line.buffer.type('\n'),
  backspace: (line) => line.buffer.delete('backward'),
  'shift-backspace': (line) => line.buffer.delete('backward'),
  delete: (line) => line.buffer.delete('forward'),
  'ctrl-c': (line) => line.interrupt(),
  'ctrl-d': (line) => line.deleteOrEnd(),
  'ctrl-l': (line) => line.clearScreen(),
  'ctrl-r': (line) => line.startSearch(),
  'ctrl-s': (line) => line.startSearch(),
  up: (line) => line.walk.step('up'),
  'ctrl-p': (line) => line.walk.step('up'),
  down: (line) => line.walk.step('down'),
  'ctrl-n': (line) => line.walk.step('down'),
  'page-up': (line) => line.walk.stepHistory('up'),
  'alt-p': (line) => line.walk.stepHistory('up'),
  'page-down': (line) => line.walk.stepHistory('down'),
  'alt-n': (line) => line.walk.stepHistory('down'),
  'ctrl-y': (line) => line.buffer.yank(),
  'alt-y': (line) => line.buffer.yankPop(),
  'ctrl-_': (line) => line.buffer.undo(),
  'ctrl-/': (line) => line.buffer.undo(),
  'ctrl-z': (line) => line.buffer.undo(),
  'alt-_': (line) => line.buffer.redo(),
  'ctrl-shift-z': (line) => line.buffer.redo(),
  'alt-/': (line) => line.buffer.redo(),
  'alt-r': (line) => line.buffer.revert(),
  'alt-#': (line) => line.comment(),
  'alt-e': (line) => line.editExternally(),
  'ctrl-@': (line) => line.buffer.type(' '),
  'alt-s': (line) => line.toggleSudo(),
  'alt-h': (line) => line.openManual(),
  [LAST_ARGUMENT]: (line) => line.insertLastArgument(),
  'ctrl-o': (line) => line.enterAndGetNext(),
  tab: (line) => line.openPlaceholder() || line.completing.ask(),
  'shift-tab': (line) => line.flip(),
};

/** Keys after Ctrl-X. */
export const AFTER_CTRL_X: Readonly<Record<string, (line: Line) => void>> = {
  'ctrl-e': (line) => line.editExternally(),
  'ctrl-u': (line) => line.buffer.undo(),
  'ctrl-r': (line) => line.buffer.redo(),
  backspace: (line) => line.buffer.kill(edit.cutTo(line.buffer.state, edit.lineStart(line.buffer.state)), 'before'),
};

/** Keys that cut text from the cursor into the kill ring. */
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
