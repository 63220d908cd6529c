import { parseAbbrRequest, parseApproveRequest, parseDiffRequest, parseHistoryRequest, parseUndoRequest } from './meta-arguments.ts';
import { type MetaCommand, type MetaEntry, plain, THEME_CHOICES } from './meta-entry.ts';
import { MCP_COMMANDS, MODEL_COMMANDS, SESSION_COMMANDS } from './meta-groups.ts';
import { parseHandle } from './meta-line.ts';

/** The meta-commands that work without their colon where the shell has no command of the name. */
export const SHELL_COMMANDS: readonly MetaEntry[] = [
  {
    name: 'z',
    usage: '[words]',
    summary: 'go to the directory that you use most and whose path contains the words',
    detail:
      'The last word must be in the last name of the path. aish counts the directories of your commands and of the ' +
      "model's commands in the history, recent ones more. z works without the colon, if your shell has no z of its own. " +
      ':z alone goes to your home directory.',
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
    arguments: ['words'],
    build: ([number]) => {
      if (number === undefined) return { name: 'cdh' };
      return /^[1-9]\d{0,3}$/.test(number) ? { name: 'cdh', number: Number(number) } : null;
    },
  },
  {
    name: 'aish',
    usage: '[words]',
    summary: 'run this program as a command of your shell, such as aish config trust',
    detail: 'aish works without the colon, if your shell finds no aish in your PATH.',
    arguments: ['line'],
    takesLine: true,
    build: ([words = '']) => ({ name: 'aish', words }),
  },
];

/** All meta-commands of this release, in the order help lists them. */
export const META_COMMANDS: readonly MetaEntry[] = [
  {
    name: 'help',
    usage: '[command | keys]',
    summary: 'list the commands, explain one command, or list the keys',
    arguments: ['topic'],
    build: ([topic]) => (topic === undefined ? { name: 'help' } : { name: 'help', topic }),
  },
  ...MCP_COMMANDS,
  ...MODEL_COMMANDS,
  {
    name: 'undo',
    usage: '[n | id] [path…]',
    summary: 'undo the last change, the last n changes, or the change with this id',
    detail:
      'aish restores a file only if nobody has edited it since. If a file was edited, aish shows both versions and ' +
      'asks you about each file; until then it touches nothing. With paths alone, :undo takes the newest change to ' +
      'those paths. :redo reverses an undo. A first word like c12 is an id, and a number is a count of changes; for a ' +
      'file of that name, write ./c12.',
    arguments: ['checkpoint', 'path'],
    repeats: true,
    build: (words) => toUndo('undo', words),
  },
  {
    name: 'redo',
    usage: '[n | id] [path…]',
    summary: 'reverse the last undo, the last n undos, or one undo',
    detail: 'Files get back the content that they had just before the undo, including your own edits. Arguments are those ' + 'of :undo.',
    arguments: ['checkpoint', 'path'],
    repeats: true,
    build: (words) => toUndo('redo', words),
  },
  {
    name: 'checkpoints',
    needs: (command) => command.name === 'checkpoints' && command.words?.[0] === 'prune',
    usage: '[list | usage | prune]',
    summary: 'list the changes that you can undo, show their disk usage, or delete old checkpoints',
    detail:
      'Newest first: the id, the time, the author, the number of files added (+), changed (~) and removed (-), and ' +
      'whether the change is undone. :checkpoints usage shows the disk usage, here and in folders without a ' +
      'repository. :checkpoints prune deletes checkpoints over the limits. The options are those of aish checkpoints, ' +
      'such as --keep 20 or --all.',
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
    summary: 'show changes since a checkpoint, or between two outputs',
    detail:
      'Without an id, :diff starts at the newest checkpoint. --step shows only the changes of that checkpoint, and ' +
      'paths narrow the diff. A long diff opens in $PAGER, or in less. :diff %12 %15 compares the output of two ' +
      'commands.',
    arguments: ['checkpoint', 'output', 'path'],
    repeats: true,
    build: toDiff,
  },
  {
    name: 'output',
    usage: '[%N]',
    summary: 'list the outputs of commands, or show one output',
    detail:
      'The line %12 shows output 12 too, unless your shell has a job %12. %12 | grep x pipes the output into a ' +
      'command. A long output opens in $PAGER, or in less.',
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
    summary: 'run a command on a copy of the project, then apply or discard its changes',
    detail:
      'The dry run has no network, and your project stays unchanged until you apply the changes. aish applies a ' +
      'change only if nobody has edited that part of the project since the dry run started. :undo undoes applied ' +
      'changes. At an approval prompt, press r for a dry run.',
    arguments: ['line'],
    takesLine: true,
    build: ([line]) => (line === undefined ? null : { name: 'dry-run', line }),
  },
  plain(
    'context',
    'show how full the context window of the model is',
    'The numbers are those of the model server, if it reports any. aish keeps the space reserved for the answer free.',
  ),
  plain(
    'cost',
    'show tokens, speed and cost of the last turn, this session and today',
    'The numbers are those of the model server. A model on this machine or your network costs nothing. aish cost shows the last days.',
  ),
  {
    name: 'compact',
    usage: '[focus]',
    summary: 'summarise the older part of the conversation',
    detail:
      'The fast model of the configuration writes the summary, or the current model if no fast model is configured. ' +
      'Text after :compact says what the summary must keep. Your own messages, failures, and changed files with their ' +
      'checkpoints stay. The log keeps everything. aish also compacts automatically when the context window fills up.',
    arguments: ['line'],
    takesLine: true,
    build: ([focus]) => (focus === undefined ? { name: 'compact' } : { name: 'compact', focus }),
  },
  {
    name: 'private',
    needs: 'owner',
    usage: '[command]',
    summary: 'keep a command, or all commands from now on, out of the log, the history and the model',
    detail:
      'Alone, :private turns private mode on or off, and the prompt shows the mode. A space before a command makes ' +
      'that command private. If a private command leaves a background process running, the output of that process can ' +
      'appear in the output of later commands.',
    arguments: ['line'],
    takesLine: true,
    build: ([line]) => (line === undefined ? { name: 'private' } : { name: 'private', line }),
  },
  {
    name: 'history',
    usage: '[words] [-n N] [--here] [--failed] [--ai]',
    summary: 'show, search, delete or import history',
    detail:
      'Words find lines that contain all of them. --here finds lines of this directory, --failed finds failed ' +
      'commands, and --ai finds commands that the model ran. !12 puts line 12 into the editor. :history delete 12, ' +
      '12-15 or TEXT deletes lines permanently, and :history clear deletes all lines. :history import ' +
      '[bash|zsh|fish|FILE] imports the history of another shell.',
    arguments: ['history'],
    repeats: true,
    build: (words) => {
      const request = parseHistoryRequest(words);
      return request === null ? null : { name: 'history', request };
    },
  },
  {
    name: 'route',
    usage: '[line]',
    summary: 'explain where a line would go, or list the routes that you chose',
    detail:
      'A line with ! or ? in front is a choice: from then on the same line goes there without the mark, and so does a ' +
      'similar line that could be either. Your choices are lines of the history, so :history delete 12 forgets one.',
    arguments: ['line'],
    takesLine: true,
    build: ([line]) => (line === undefined ? { name: 'route' } : { name: 'route', line }),
  },
  ...SHELL_COMMANDS,
  {
    name: 'abbr',
    usage: '[name] [text] | -d name',
    summary: 'list, add or remove abbreviations that aish expands while you type',
    detail:
      ":abbr gco 'git checkout' holds for this session and prints the lines that keep it. Space or Enter expands an abbreviation " +
      'in the place of a command, so you see what runs. Ctrl-Z brings the abbreviation back, and Ctrl-Space types a blank ' +
      'without expanding.',
    arguments: ['words'],
    repeats: true,
    build: (words) => {
      const request = parseAbbrRequest(words);
      return request === null ? null : { name: 'abbr', request };
    },
  },
  ...SESSION_COMMANDS,
  { ...plain('new', 'start a new session'), needs: 'owner' },
  plain('skills', 'list the skills that the model may read'),
  plain('config', 'show the configuration and the origin of each value'),
  {
    name: 'approve',
    needs: (command) => command.name === 'approve' && !/^(?:list|why|save)$/.test(command.request.type),
    usage: '[mode|command|why|revoke RULE|save RULE]',
    summary: 'show or change what the model may run without asking',
    detail:
      "Modes: ask runs no tool without asking; read-only runs aish's own tools that only read; all runs every tool " +
      'call that can be undone. Each mode ends a halt. Commands need a rule, or run in the sandbox if they only read. ' +
      ':approve git log makes a rule for this session: it allows commands that start with these words and are not ' +
      'more dangerous. :approve lists the rules and their origin. :approve revoke and :approve save take the number ' +
      'or the words of a rule; save prints the lines for the configuration. :approve why explains the last approval ' +
      'prompt, and :approve why 2 the prompt before it.',
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
    summary: 'trust the content that the model has read so far, or list it',
    detail:
      'After the model reads untrusted content, aish asks before a command uses the network, leaves the project or ' +
      'gets a secret, even if a rule allows it. Untrusted content comes from an MCP server, the network or a file ' +
      'outside the project. :trust list shows it. After :trust your rules apply again, until the model reads more ' +
      'untrusted content.',
    arguments: ['list'],
    build: ([word]) => {
      if (word === undefined) return { name: 'trust' };
      return word === 'list' ? { name: 'trust', list: true } : null;
    },
  },
  {
    name: 'impact',
    usage: '<command>',
    summary: 'estimate the effects of a command without running it',
    detail:
      'Shows the files that the command would delete, overwrite, create, move or change. It marks files that undo ' +
      'cannot restore and files outside the project. It names the hosts that the command reaches and the parts with ' +
      'an unknown effect. Every approval prompt shows the same preview.',
    arguments: ['line'],
    takesLine: true,
    build: ([line]) => (line === undefined ? null : { name: 'impact', line }),
  },
  {
    name: 'sandbox',
    needs: (command) => command.name === 'sandbox' && command.on !== undefined,
    usage: '[on|off]',
    summary: 'run approved commands in a sandbox instead of your shell',
    detail:
      'In the sandbox a command can change only the project, but not .git or files that decide which programs run. It ' +
      'has no network and leaves no trace in your shell. Commands that a rule allows still run in your shell. If the ' +
      'sandbox was in the way, aish asks again.',
    arguments: ['switch'],
    build: ([word]) => {
      if (word === undefined) return { name: 'sandbox' };
      return word === 'on' || word === 'off' ? { name: 'sandbox', on: word === 'on' } : null;
    },
  },
  {
    name: 'theme',
    usage: '[auto|light|dark|none]',
    summary: 'show or change the colour theme',
    detail: 'auto follows the background of the terminal. To keep a theme, set theme under [ui] in the configuration.',
    arguments: ['theme'],
    build: ([word]) => {
      if (word === undefined) return { name: 'theme' };
      const theme = THEME_CHOICES.find((known) => known === word);
      return theme === undefined ? null : { name: 'theme', theme };
    },
  },
  { ...plain('demo', 'play a demo session with a scripted model'), needs: 'owner' },
  plain(
    'halt',
    'stop the model now; from then on aish asks before everything that no rule allows',
    'Ends the answer, the approval prompt, and the running tool call with every process it started. ' +
      'Queued lines come back to the prompt. Ctrl-\\ does the same, even while a command of the model uses the screen. ' +
      'From then on aish asks before everything that no rule of yours allows. ' +
      ':approve ask lets read-only commands run in the sandbox without asking again. ' +
      ':approve read-only and :approve all also let tools run without asking.',
  ),
  { ...plain('keyboard', 'take the keyboard of a running program, or give it back'), needs: 'client' },
  plain('quit', 'quit aish; an attached client leaves the session running'),
];

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
