import type { MetaEntry } from './meta-entry.ts';

/** The meta-commands about sessions as such. */
export const SESSION_COMMANDS: readonly MetaEntry[] = [
  {
    name: 'sessions',
    usage: '[words]',
    summary: 'list the sessions, or those that hold all these words',
    detail:
      'What was said, typed and printed is searched. "Words in quotes" stand in a row, and the last word need not be typed to its end. ' +
      'aish sessions can do more: export, replay, remove.',
    required: 0,
    arguments: ['words'],
    takesLine: true,
    build: ([words]) => (words === undefined ? { name: 'sessions' } : { name: 'sessions', words }),
  },
  {
    name: 'resume',
    needs: 'owner',
    usage: '[id]',
    summary: 'go on with an earlier session',
    detail:
      'Without an id you choose one: type letters of its name or first words, or how its directory or id ' +
      'begins; Enter takes it, Escape none.',
    required: 0,
    arguments: ['session'],
    build: ([id]) => (id === undefined ? { name: 'resume' } : { name: 'resume', id }),
  },
  {
    name: 'name',
    usage: '<name>',
    summary: 'call this session something else',
    required: 1,
    arguments: ['words'],
    takesLine: true,
    build: ([text]) => (text === undefined ? null : { name: 'name', text }),
  },
  {
    name: 'why',
    usage: '[turn[.request]]',
    summary: 'show what was sent to the model in a turn, what decided its calls, and what they returned',
    detail:
      'Without a number the last turn is meant. Requests are made again from the log and compared with what was sent; :why 3.2 shows the ' +
      'bytes of the second request of turn 3.',
    required: 0,
    arguments: ['words'],
    build: ([which]) => (which === undefined ? { name: 'why' } : { name: 'why', which }),
  },
];
