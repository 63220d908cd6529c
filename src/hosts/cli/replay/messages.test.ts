import { expect, test } from 'bun:test';
import { END_OF_SESSION, formatReplayStart, PAUSED, STOPPED } from './messages.ts';

test('every message', () => {
  const starts = [formatReplayStart('fix the build', false), formatReplayStart('fix the build', true)];
  expect(`\n${[...starts, PAUSED, END_OF_SESSION, STOPPED].join('\n')}\n`).toMatchInlineSnapshot(`
    "
    Replay of "fix the build": Space pauses, → skips a wait, Ctrl-C exits
    Replay of "fix the build": → shows the next event, Ctrl-C exits
    paused: Space resumes, → shows the next event
    End of the session.
    The replay was stopped.
    "
  `);
});
