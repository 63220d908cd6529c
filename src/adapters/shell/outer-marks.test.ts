import { expect, test } from 'bun:test';
import { formatCommandEnd, formatOutputBegin, takesMarks, toOuterTerminal } from './outer-marks.ts';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');

test('terminals that would show marks get none, nor does GNU screen; tmux reads them itself', () => {
  expect([
    takesMarks({ TERM: 'xterm-256color' }),
    takesMarks({ TERM: 'tmux-256color', TMUX: '/tmp/tmux-0/default,1,0' }),
    takesMarks({ TERM: 'screen', TMUX: '/tmp/tmux-0/default,1,0', STY: '1.outer' }),
    takesMarks({ TERM: 'screen.xterm-256color', STY: '1.host' }),
    takesMarks({ TERM: 'linux' }),
    takesMarks({ TERM: 'dumb' }),
    takesMarks({}),
  ]).toEqual([true, true, true, false, false, false, false]);
});

test('without marks nothing but the cursor is seen to, and on a dumb terminal not even that', () => {
  const outer = toOuterTerminal({ TERM: 'linux' });
  expect(text(formatOutputBegin(outer))).toBe('');
  expect(text(formatCommandEnd(1, '/tmp', { isAlternate: false, ...outer }))).toBe('\x1b[?25h');
  expect(text(formatCommandEnd(1, '/tmp', { isAlternate: true, ...toOuterTerminal({ TERM: 'dumb' }) }))).toBe('');
});

test('a directory with odd characters is a proper address', () => {
  expect(text(formatCommandEnd(0, '/a b/ü;#', { isAlternate: false, marks: true, sequences: true }))).toContain(
    '/a%20b/%C3%BC%3B%23\x07',
  );
});
