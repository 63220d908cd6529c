import type { MetaEntry } from './meta-entry.ts';

/** The meta-commands about sessions as such. */
export const SESSION_COMMANDS: readonly MetaEntry[] = [
  {
    name: 'sessions',
    usage: '[words]',
    summary: 'list the sessions, or search them for words',
    detail:
      'The search covers messages, commands and their output. "Words in quotes" must follow each other, and the start of the last ' +
      'word is enough. aish sessions can also export, replay and remove sessions.',
    required: 0,
    arguments: ['words'],
    takesLine: true,
    build: ([words]) => (words === undefined ? { name: 'sessions' } : { name: 'sessions', words }),
  },
  {
    name: 'resume',
    needs: 'owner',
    usage: '[id]',
    summary: 'resume an earlier session',
    detail:
      'Without an id, aish shows a list: type a part of the name or the first words, or the start of the directory or id. ' +
      'Enter resumes the session, and Escape closes the list.',
    required: 0,
    arguments: ['session'],
    build: ([id]) => (id === undefined ? { name: 'resume' } : { name: 'resume', id }),
  },
  {
    name: 'name',
    usage: '<name>',
    summary: 'rename this session',
    required: 1,
    arguments: ['words'],
    takesLine: true,
    build: ([text]) => (text === undefined ? null : { name: 'name', text }),
  },
  {
    name: 'why',
    usage: '[turn[.request]]',
    summary: 'show the model requests, tool calls and decisions of a turn',
    detail:
      'Without a number, :why explains the last turn. aish rebuilds each request from the log and compares it with the request it sent. ' +
      ':why 3.2 shows the bytes of the second request of turn 3.',
    required: 0,
    arguments: ['words'],
    build: ([which]) => (which === undefined ? { name: 'why' } : { name: 'why', which }),
  },
];
