/** The first line of a replay, with its keys. */
export const formatReplayStart = (title: string, isStepped: boolean): string =>
  `Replay of "${title}": ${isStepped ? '→ shows the next event, Ctrl-C exits' : 'Space pauses, → skips a wait, Ctrl-C exits'}`;
export const PAUSED = 'paused: Space resumes, → shows the next event';
/** The last line of a replay. */
export const END_OF_SESSION = 'End of the session.';
export const STOPPED = 'The replay was stopped.';
