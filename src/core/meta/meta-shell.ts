import type { MetaEntry } from './meta-entry.ts';

/** The meta-commands about directories. Without the colon they work where the shell has no command of the name. */
export const SHELL_COMMANDS: readonly MetaEntry[] = [
  {
    name: 'z',
    usage: '[words]',
    summary: 'go to the directory that you use most and whose path contains the words',
    detail:
      'The last word must be in the last name of the path. aish counts the directories of your commands and of the ' +
      "model's commands in the history, recent ones more. z works without the colon, if your shell has no z of its own. " +
      ':z alone goes to your home directory.',
    required: 0,
    arguments: ['directory'],
    takesLine: true,
    build: ([words]) => (words === undefined ? { name: 'z' } : { name: 'z', words }),
  },
  {
    name: 'cdh',
    usage: '[n]',
    summary: 'list the directories of this session, and go to one',
    detail:
      'The directory that you left last is number 1. Alt-Left and Alt-Right at an empty line go back and forward. cdh works ' +
      'without the colon, if your shell has no cdh of its own.',
    required: 0,
    arguments: ['words'],
    build: ([number]) => {
      if (number === undefined) return { name: 'cdh' };
      return /^[1-9]\d{0,3}$/.test(number) ? { name: 'cdh', number: Number(number) } : null;
    },
  },
];
