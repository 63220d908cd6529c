import { parseApproveRequest, parseDiffRequest, parseHandle, parseHistoryRequest, parseUndoRequest } from './meta-arguments.ts';
import { type MetaCommand, type MetaEntry, THEME_CHOICES } from './meta-entry.ts';
import { SESSION_COMMANDS } from './meta-sessions.ts';

/** All meta-commands of this release, in the order help lists them. */
export const META_COMMANDS: readonly MetaEntry[] = [
  {
    name: 'help',
    usage: '[command | keys]',
    summary: 'list the commands, explain one, or list the keys',
    required: 0,
    arguments: ['topic'],
    build: ([topic]) => (topic === undefined ? { name: 'help' } : { name: 'help', topic }),
  },
  {
    name: 'mcp',
    action: 'connect',
    needs: 'owner',
    usage: '<url> [alias]',
    summary: 'connect to an MCP server over HTTP',
    detail: 'Its tools are then offered to the model as alias.tool. Without an alias one is made from the host name.',
    required: 1,
    arguments: ['url', 'alias'],
    build: ([url, alias]) => {
      if (url === undefined || !/^https?:\/\/[^/]/.test(url)) return null;
      if (alias === undefined) return { name: 'mcp', action: 'connect', url };
      return { name: 'mcp', action: 'connect', url, alias };
    },
  },
  {
    name: 'mcp',
    action: 'disconnect',
    needs: 'owner',
    usage: '<alias>',
    summary: 'disconnect a server',
    required: 1,
    arguments: ['server'],
    build: ([alias]) => (alias === undefined ? null : { name: 'mcp', action: 'disconnect', alias }),
  },
  {
    name: 'mcp',
    action: 'list',
    usage: '',
    summary: 'show the servers and how they are',
    required: 0,
    arguments: [],
    build: () => ({ name: 'mcp', action: 'list' }),
  },
  {
    name: 'mcp',
    action: 'tools',
    usage: '',
    summary: 'show the tools of all servers',
    required: 0,
    arguments: [],
    build: () => ({ name: 'mcp', action: 'tools' }),
  },
  {
    name: 'mcp',
    action: 'tool',
    usage: '<alias.name>',
    summary: 'show one tool with its arguments',
    required: 1,
    arguments: ['tool'],
    build: ([tool]) => (tool === undefined ? null : { name: 'mcp', action: 'tool', tool }),
  },
  {
    name: 'mcp',
    action: 'review',
    needs: 'owner',
    usage: '[alias]',
    summary: 'review the tool descriptions of a server',
    detail:
      'Every tool is shown in full, or word by word what changed since you looked. Once you have said yes, ' +
      'the descriptions are no text of ' +
      'others any more, and a tool that changes or comes is held back until you have looked at it.',
    required: 0,
    arguments: ['server'],
    build: ([alias]) => ({ name: 'mcp', action: 'review', ...(alias === undefined ? {} : { alias }) }),
  },
  {
    name: 'mcp',
    action: 'unreview',
    needs: 'owner',
    usage: '<alias>',
    summary: 'take back a review',
    required: 1,
    arguments: ['server'],
    build: ([alias]) => (alias === undefined ? null : { name: 'mcp', action: 'unreview', alias }),
  },
  {
    name: 'model',
    needs: (command) => command.name === 'model' && command.model !== undefined,
    usage: '[name]',
    summary: 'show the model, or take another',
    detail: 'Names are those of [models] in the configuration; :models lists them.',
    required: 0,
    arguments: ['model'],
    build: ([model]) => (model === undefined ? { name: 'model' } : { name: 'model', model }),
  },
  plain('models', 'list the models that are configured'),
  {
    name: 'undo',
    usage: '[n | id] [path…]',
    summary: 'take back what the last step changed, the last n steps, or one of them',
    detail:
      'A file goes back where it still holds what the step left in it; where it changed since you see both ' +
      'versions and choose, and nothing is ' +
      'touched before. With paths alone the newest step that changed them is meant. :redo brings all of it back. ' +
      'A first word like c12 is an id, one like 3 a number of steps; write ./c12 for a file of such a name.',
    required: 0,
    arguments: ['checkpoint', 'path'],
    repeats: true,
    build: (words) => toUndo('undo', words),
  },
  {
    name: 'redo',
    usage: '[n | id] [path…]',
    summary: 'do once more what was undone last, the last n, or one of them',
    detail: 'Files come to hold what they held just before the undo, be it of the step or of yours. All else is as for :undo.',
    required: 0,
    arguments: ['checkpoint', 'path'],
    repeats: true,
    build: (words) => toUndo('redo', words),
  },
  {
    name: 'checkpoints',
    needs: (command) => command.name === 'checkpoints' && command.words?.[0] === 'prune',
    usage: '[list | usage | prune]',
    summary: 'list the steps that can be undone, tell what they take on the disk, or let some go',
    detail:
      'Newest first: its id, when, by whom, how many files it added (+), changed (~) and removed (-), and whether it is undone. ' +
      ':checkpoints usage tells what the steps take, here and in folders without a repository; ' +
      ':checkpoints prune lets go what is over the limits. ' +
      'The options are those of aish checkpoints, such as --keep 20 or --all.',
    required: 0,
    arguments: ['usage', 'words'],
    repeats: true,
    build: ([word = 'list', ...options]) => {
      if (word === 'list' && options.length === 0) return { name: 'checkpoints' };
      const isKnown = word === 'list' || word === 'usage' || word === 'prune';
      return isKnown ? { name: 'checkpoints', words: [word, ...options] } : null;
    },
  },
  {
    name: 'diff',
    usage: '[--step] [id] [path…] | %N %N',
    summary: 'show what changed since a step, or between two outputs',
    detail:
      'Without an id it is what changed since the newest step began; with --step what the step alone changed. Paths narrow it down. ' +
      'What does not fit the screen opens in $PAGER, else less. :diff %12 %15 compares what two commands printed.',
    required: 0,
    arguments: ['checkpoint', 'output', 'path'],
    repeats: true,
    build: toDiff,
  },
  {
    name: 'output',
    usage: '[%N]',
    summary: 'list the outputs of commands, or show one',
    detail:
      'A line that is only %12 shows it too, unless it is a job of the shell; %12 | grep x hands its text to a command. ' +
      'It opens in $PAGER, else less, when it does not fit the screen.',
    required: 0,
    arguments: ['output'],
    build: ([word]) => {
      const handle = word === undefined ? undefined : parseHandle(word);
      if (handle === undefined) return { name: 'output' };
      return handle === null ? null : { name: 'output', handle };
    },
  },
  {
    name: 'dry-run',
    short: 'dry',
    usage: '<command>',
    summary: 'try a command in a dry run, then apply all, some or none of its changes',
    detail:
      'The dry run has no network, and the project stays as it is until you apply changes. aish applies a change only if the ' +
      'project has not changed there since the dry run began. :undo takes applied changes back. At an approval prompt, r does the same.',
    required: 1,
    arguments: ['line'],
    takesLine: true,
    build: ([line]) => (line === undefined ? null : { name: 'dry-run', line }),
  },
  plain(
    'context',
    'show what fills the context of the model, and how much it can hold',
    'Counted as the server counts, as far as it says so. What is reserved for the answer is never filled.',
  ),
  {
    name: 'compact',
    usage: '[focus]',
    summary: 'summarise the older part of the conversation now',
    detail:
      'The fast model of the configuration writes the summary, else the one you talk to; words behind ' +
      ':compact say what to keep above all. Your own ' +
      'words, failures and changed files with their checkpoints are kept beside it. The log keeps ' +
      'everything. It happens by itself when the context fills.',
    required: 0,
    arguments: ['line'],
    takesLine: true,
    build: ([focus]) => (focus === undefined ? { name: 'compact' } : { name: 'compact', focus }),
  },
  {
    name: 'private',
    needs: 'owner',
    usage: '[command]',
    summary: 'keep a command, or all from here on, from the model, the history and the disk',
    detail:
      'Alone it turns this on and off; the prompt shows it. A blank before a command does the same for that one. ' +
      'What a private command leaves running in the background prints into the outputs of others.',
    required: 0,
    arguments: ['line'],
    takesLine: true,
    build: ([line]) => (line === undefined ? { name: 'private' } : { name: 'private', line }),
  },
  {
    name: 'history',
    usage: '[words] [-n N] [--here] [--failed] [--ai]',
    summary: 'show the lines typed before; delete, clear, import',
    detail:
      'With words only lines that hold them all; --here those of this directory, --failed those that ended with an error, --ai those ' +
      'the model ran. !12 takes line 12 into the editor. :history delete 12, 12-15 or TEXT removes lines for good, :history clear all ' +
      'of them. :history import [bash|zsh|fish|PATH] takes over what another shell remembers.',
    required: 0,
    arguments: ['history'],
    repeats: true,
    build: (words) => {
      const request = parseHistoryRequest(words);
      return request === null ? null : { name: 'history', request };
    },
  },
  ...SESSION_COMMANDS,
  { ...plain('new', 'begin a new session'), needs: 'owner' },
  plain('config', 'show the configuration and where each value comes from'),
  {
    name: 'approve',
    needs: (command) => command.name === 'approve' && !/^(?:list|why|save)$/.test(command.request.type),
    usage: '[mode|command|why|revoke|save]',
    summary: 'show or set what runs without asking',
    detail:
      'Modes are ask: no tool. read-only: tools that only look. all: every tool call that can be undone. ' +
      'Any of them ends a halt. Commands run without asking ' +
      'by rules, or in a sandbox where they only look: :approve git log makes a rule for this session, for ' +
      'whatever begins so and does no more than ' +
      'the bare words would, or than they are for. :approve lists the ' +
      'rules with where they come from; revoke and save take their number or words, and save prints what to put into the configuration. ' +
      ':approve why tells what the last question was asked for, :approve why 2 the one before it.',
    required: 0,
    arguments: ['approve'],
    takesLine: true,
    build: ([line = '']) => {
      const request = parseApproveRequest(line);
      return request === null ? null : { name: 'approve', request };
    },
  },
  {
    name: 'trust',
    needs: (command) => command.name === 'trust' && command.list === undefined,
    usage: '[list]',
    summary: 'trust the content that the model has read so far',
    detail:
      'After the model reads untrusted content, aish asks before a command connects, leaves the project or gets a secret, even if a ' +
      'rule approves it. Untrusted content comes from an MCP server, the network or a file outside the project. :trust list shows it. ' +
      ':trust means that you have looked at it: your rules apply again until the model reads more.',
    required: 0,
    arguments: ['list'],
    build: ([word]) => {
      if (word === undefined) return { name: 'trust' };
      return word === 'list' ? { name: 'trust', list: true } : null;
    },
  },
  {
    name: 'impact',
    usage: '<command>',
    summary: 'estimate what a command would change, without running it',
    detail:
      'Shows the files that it would delete, overwrite, create, move or change, what of that undo cannot ' +
      'restore, what lies outside the project, ' +
      'the machines it reaches, and the parts whose effect is unknown. Every approval prompt shows the same.',
    required: 1,
    arguments: ['line'],
    takesLine: true,
    build: ([line]) => (line === undefined ? null : { name: 'impact', line }),
  },
  {
    name: 'sandbox',
    needs: (command) => command.name === 'sandbox' && command.on !== undefined,
    usage: '[on|off]',
    summary: 'run in a sandbox what you allow the model to run, or in your shell',
    detail:
      'In there only the project can be changed, and of it neither .git nor what governs; there is no ' +
      'network, and nothing lasts in your shell. ' +
      'What a rule allows runs in your shell all the same. Where the sandbox is in the way, you are asked once more.',
    required: 0,
    arguments: ['switch'],
    build: ([word]) => {
      if (word === undefined) return { name: 'sandbox' };
      return word === 'on' || word === 'off' ? { name: 'sandbox', on: word === 'on' } : null;
    },
  },
  {
    name: 'theme',
    usage: '[auto|light|dark|none]',
    summary: 'show or set the colours',
    detail: 'auto asks the terminal for its background. For good, set theme under [ui] in the configuration.',
    required: 0,
    arguments: ['theme'],
    build: ([word]) => {
      if (word === undefined) return { name: 'theme' };
      const theme = THEME_CHOICES.find((known) => known === word);
      return theme === undefined ? null : { name: 'theme', theme };
    },
  },
  { ...plain('demo', 'see the whole loop with a scripted model'), needs: 'owner' },
  plain(
    'halt',
    'stop all that the model does, at once, and ask about everything from then on',
    'The answer, a question, a call, a command with all it has started, the sandbox: nothing begins ' +
      'after it, and lines that wait come back. ' +
      'Ctrl-\\ does the same, also while a command of the model has the screen. :approve ask ends that, ' +
      'with what ran without asking before; so do the other modes.',
  ),
  { ...plain('keyboard', 'ask the owner of the session for the keyboard, or give it back'), needs: 'client' },
  plain('quit', 'leave aish; at an attached client the session goes on'),
];

function plain(
  name: 'context' | 'models' | 'new' | 'config' | 'demo' | 'halt' | 'keyboard' | 'quit',
  summary: string,
  detail?: string,
): MetaEntry {
  const told = detail === undefined ? {} : { detail };
  return { name, usage: '', summary, ...told, required: 0, arguments: [], build: () => ({ name }) };
}

function toUndo(name: 'undo' | 'redo', words: readonly string[]): MetaCommand | null {
  const request = parseUndoRequest(words);
  return request === null ? null : { name, ...request };
}

function toDiff(words: readonly string[]): MetaCommand | null {
  if (!words.some((word) => word.startsWith('%'))) return { name: 'diff', ...parseDiffRequest(words) };
  const [one, other] = words.map(parseHandle);
  if (one === undefined || one === null || other === undefined || other === null || words.length > 2) return null;
  return { name: 'diff', outputs: [one, other] };
}
