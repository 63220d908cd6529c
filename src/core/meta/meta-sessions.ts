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
  {
    name: 'norris',
    needs: 'owner',
    usage: "['goal' until 'command' …] | receipt | undo",
    summary: 'let the model work alone, under a contract, until commands exit with 0',
    detail:
      "Example: :norris 'make the tests pass' until 'npm test' within 20 steps, 15 min, 200k tokens only src. aish shows " +
      'the contract and begins after you type yes. Then it asks nothing: a change outside the named paths, of a test or of ' +
      'a setting of the checks ends the run, and so do the limits. Commands run on a copy of the project without network. ' +
      ':norris receipt shows every call and change of the last run, and :norris undo undoes them all.',
    required: 0,
    arguments: ['line'],
    takesLine: true,
    build: ([line]) => {
      if (line === undefined) return { name: 'norris' };
      return line === 'receipt' || line === 'undo' ? { name: 'norris', action: line } : { name: 'norris', contract: line };
    },
  },
];
