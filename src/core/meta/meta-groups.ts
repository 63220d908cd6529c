/* The groups of meta-commands: about MCP servers, models and sessions. */
import { type McpAction, type McpLook, type MetaCommand, type MetaEntry, type NorrisAction, plain } from './meta-entry.ts';

/** The meta-commands about MCP servers. */
export const MCP_COMMANDS: readonly MetaEntry[] = [
  {
    name: 'mcp',
    action: 'connect',
    needs: 'owner',
    usage: '[alias=NAME] <url|command…>',
    summary: 'connect to an MCP server by its address, or start one',
    detail:
      'aish offers the tools of the server to the model as alias.tool. Without an alias, aish makes one from the host name or ' +
      'the program. An example with an alias: :mcp connect alias=fs server-fs .',
    arguments: ['url', 'alias'],
    repeats: true,
    build: parseConnect,
  },
  ofServer('disconnect', 'disconnect an MCP server'),
  {
    name: 'mcp',
    action: 'list',
    usage: '',
    summary: 'list the MCP servers and their state',
    arguments: [],
    build: () => ({ name: 'mcp', action: 'list' }),
  },
  {
    name: 'mcp',
    action: 'tools',
    usage: '[alias]',
    summary: 'list the tools of all MCP servers, or of one',
    arguments: ['server'],
    build: ([alias]) => ({ name: 'mcp', action: 'tools', ...(alias === undefined ? {} : { alias }) }),
  },
  {
    name: 'mcp',
    action: 'tool',
    usage: '<alias.name>',
    summary: 'show an MCP tool and its arguments',
    arguments: ['tool'],
    build: ([tool]) => (tool === undefined ? null : { name: 'mcp', action: 'tool', tool }),
  },
  {
    name: 'mcp',
    action: 'review',
    needs: 'owner',
    usage: '[alias]',
    summary: 'review the tool descriptions of an MCP server',
    detail:
      'Shows every tool in full, or the changes since your last review. After you type yes, the descriptions are no ' +
      'longer untrusted content, and aish holds back any new or changed tool until you review it.',
    arguments: ['server'],
    build: ([alias]) => ({ name: 'mcp', action: 'review', ...(alias === undefined ? {} : { alias }) }),
  },
  ofServer('unreview', 'withdraw the review of an MCP server'),
  {
    ...ofServer('login', 'log in to an MCP server'),
    usage: '<alias> [address]',
    detail:
      'Prints the address of the login page. If your browser runs on another machine, its last page cannot be shown: copy the ' +
      'address of that page and type :mcp login alias address.',
    arguments: ['server', 'words'],
    build: ([alias, pasted]) =>
      alias === undefined ? null : { name: 'mcp', action: 'login', alias, ...(pasted === undefined ? {} : { pasted }) },
  },
  ofServer('logout', 'forget the login to an MCP server'),
  ofServer('refresh', 'read the lists of an MCP server again'),
  ofServer('resources', 'list the resources of an MCP server'),
  ofServer('prompts', 'list the prompts of an MCP server'),
  ofServer('log', 'show the newest lines of the log of an MCP server'),
];

/** A command about one server; a command that changes something needs the owner. */
function ofServer(action: McpAction | McpLook, summary: string): MetaEntry {
  const reads = action === 'resources' || action === 'prompts' || action === 'log';
  return {
    name: 'mcp',
    action,
    ...(reads ? {} : { needs: 'owner' }),
    usage: '<alias>',
    summary,
    arguments: ['server'],
    build: ([alias]) => (alias === undefined ? null : { name: 'mcp', action, alias }),
  };
}

const ALIAS = /^alias=([\w-]+)$/;

/** An address with an alias behind it, or a command with an alias before it. */
function parseConnect(words: readonly string[]): MetaCommand | null {
  const named = ALIAS.exec(words[0] ?? '')?.[1];
  const [first, ...rest] = named === undefined ? words : words.slice(1);
  if (first === undefined || first === '') return null;
  if (/^[a-z][a-z0-9+.-]*:/i.test(first)) {
    if (!/^https?:\/\/[^/]/.test(first) || rest.length > 1) return null;
    const [alias = named] = rest;
    return { name: 'mcp', action: 'connect', url: first, ...(alias === undefined ? {} : { alias }) };
  }
  return { name: 'mcp', action: 'connect', command: [first, ...rest], ...(named === undefined ? {} : { alias: named }) };
}

/** The meta-commands about models. */
export const MODEL_COMMANDS: readonly MetaEntry[] = [
  {
    name: 'model',
    needs: (command) => command.name === 'model' && command.model !== undefined,
    usage: '[name]',
    summary: 'show the current model, or switch to another model',
    detail:
      '[models] in the configuration defines the names; :models lists them. PROVIDER:MODEL needs no configuration. ' +
      ':model auto chooses a model for each message by its difficulty; :why shows the score. @NAME in front of a ' +
      'message asks that model once.',
    arguments: ['model'],
    build: ([model]) => (model === undefined ? { name: 'model' } : { name: 'model', model }),
  },
  plain('models', 'list the models: configured, and found'),
  {
    name: 'doctor',
    needs: 'owner',
    usage: '[name]',
    summary: 'test a model and its server, and say what to change there',
    detail:
      'Without a name, :doctor tests the current model. It asks a few short questions, and Ctrl-C stops it. aish ' +
      'remembers what the server refuses. aish doctor looks at this machine.',
    arguments: ['model'],
    build: ([model]) => (model === undefined ? { name: 'doctor' } : { name: 'doctor', model }),
  },
  {
    name: 'cloud',
    needs: (command) => command.name === 'cloud' && command.on !== undefined,
    usage: '[on|off]',
    summary: 'allow this session to move from a local model to a cloud model',
    detail:
      'aish moves by itself only with :model auto or to a fallback. :cloud shows what would leave this network. A model ' +
      'that you name needs no permission.',
    arguments: ['switch'],
    build: ([word]) => {
      if (word === undefined) return { name: 'cloud' };
      return word === 'on' || word === 'off' ? { name: 'cloud', on: word === 'on' } : null;
    },
  },
];

const NORRIS_ACTIONS: readonly NorrisAction[] = ['receipt', 'undo', 'diff', 'apply', 'discard', 'stop'];

/** The meta-commands about sessions as such. */
export const SESSION_COMMANDS: readonly MetaEntry[] = [
  {
    name: 'sessions',
    usage: '[words]',
    summary: 'list the sessions, or search them for words',
    detail:
      'The search covers messages, commands and their output. "Words in quotes" must follow each other, and the start of the last ' +
      'word is enough. aish sessions can also export, replay and remove sessions.',
    arguments: ['words'],
    takesLine: true,
    build: ([words]) => (words === undefined ? { name: 'sessions' } : { name: 'sessions', words }),
  },
  {
    name: 'recall',
    needs: 'owner',
    usage: '<words>',
    summary: 'find a place in earlier sessions',
    detail:
      'aish shows the lines around the words, and keeps the whole turn under a handle such as %7: :output 7 shows it. ' +
      'The model can read it as soon as a message of yours names %7.',
    arguments: ['words'],
    takesLine: true,
    build: ([words]) => (words === undefined ? null : { name: 'recall', words }),
  },
  {
    name: 'resume',
    needs: 'owner',
    usage: '[id]',
    summary: 'resume an earlier session',
    detail:
      'Without an id, aish shows a list: type a part of the name or the first words, or the start of the directory or id. ' +
      'Enter resumes the session, and Escape closes the list.',
    arguments: ['session'],
    build: ([id]) => (id === undefined ? { name: 'resume' } : { name: 'resume', id }),
  },
  {
    name: 'name',
    usage: '<name>',
    summary: 'rename this session',
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
    arguments: ['words'],
    build: ([which]) => (which === undefined ? { name: 'why' } : { name: 'why', which }),
  },
  {
    name: 'remember',
    needs: 'owner',
    usage: '[--everywhere] [--for 30d] <fact>',
    summary: 'keep a fact for later sessions',
    detail:
      'The fact counts in this project or, outside of a project, in this directory and below. --directory, --host and ' +
      '--everywhere choose another scope, and --for 30d lets it expire. From ' +
      'the next session on, aish sends the facts that fit your first message, at most 300 tokens. :context shows them.',
    arguments: ['words'],
    takesLine: true,
    build: ([fact]) => (fact === undefined ? null : { name: 'memory', words: ['add', ...fact.split(/\s+/)] }),
  },
  {
    name: 'memory',
    needs: 'owner',
    usage: '[list|search|edit|forget|inbox] [words]',
    summary: 'list, search, change or forget facts, or look at proposed facts',
    detail:
      'The model can propose facts, and :memory inbox asks you about them. :memory edit 3 WORDS replaces fact 3. ' +
      ':memory forget 3 removes fact 3 from all later requests, and shows the sessions and turns that had it. aish memory does ' +
      'the same in a shell.',
    arguments: ['memory', 'words'],
    takesLine: true,
    build: ([line]) => ({ name: 'memory', words: line === undefined ? [] : line.split(/\s+/) }),
  },
  {
    name: 'norris',
    needs: needsOwnerForNorris,
    usage: '[contract] | resume | plan | undo | …',
    summary: 'let the model work alone, under a contract, until commands exit with 0',
    detail:
      "Example: :norris 'make the tests pass' until 'npm test' within 20 steps, 15 min, 200k tokens only src. aish shows " +
      'the contract and begins after you type yes. Then it asks nothing: a change outside the named paths, of a test or of ' +
      'a setting of the checks ends the run, and so do the limits. Commands run on a copy of the project without network. ' +
      'With a plain sentence, as in :norris make the tests pass, aish writes a contract into the line for you to change. ' +
      'A message that you send with Ctrl-S steers the run, and :pause pauses it. :norris plan shows the plan of the model; ' +
      ':norris plan add TEXT and :norris plan drop N change it. :norris alone shows the run. ' +
      ':norris resume lets a run go on that was stopped or at a limit. :norris receipt shows every call and change of the last ' +
      'run, and :norris undo undoes them all. A contract with "in background" leaves the prompt to you: the run works in a ' +
      'copy of the project. :norris shows its state, :norris diff its changes, and :norris apply and :norris discard decide ' +
      'about them. :norris stop ends it.',
    arguments: ['contract'],
    repeats: true,
    takesLine: true,
    build: ([line]) => buildNorris(line),
  },
  plain(
    'pause',
    'pause the autonomous run',
    'What runs finishes, and nothing else begins. The time does not count, and you can change files. :resume-run lets the run continue.',
  ),
  plain('resume-run', 'let the paused autonomous run continue'),
];

/** The plan and the state of a run are there for attached clients, too. */
function needsOwnerForNorris(command: MetaCommand): boolean {
  if (command.name !== 'norris' || 'contract' in command) return true;
  return command.action !== undefined && command.action !== 'plan' && command.action !== 'edit-plan';
}

function buildNorris(line: string | undefined): MetaCommand | null {
  if (line === undefined) return { name: 'norris' };
  if (/^resume(?: r\d+)?(?: within .*)?$/s.test(line)) return { name: 'norris', action: 'resume', words: line.slice(6) };
  if (line === 'plan' || line.startsWith('plan ')) return buildPlan(line);
  const [word, run, more] = line.trim().split(/\s+/);
  const action = NORRIS_ACTIONS.find((one) => one === word);
  if (action !== undefined && run === undefined) return { name: 'norris', action };
  const isOfRun = action !== undefined && action !== 'undo' && more === undefined && /^r\d+$/.test(run ?? '');
  return isOfRun && run !== undefined ? { name: 'norris', action, run } : { name: 'norris', contract: line };
}

function buildPlan(line: string): MetaCommand | null {
  if (line === 'plan') return { name: 'norris', action: 'plan' };
  const [, add, drop] = /^plan\s+(?:add\s+(\S.*)|drop\s+(\d{1,3}))$/s.exec(line) ?? [];
  if (add !== undefined) return { name: 'norris', action: 'edit-plan', edit: { type: 'edit-plan', add } };
  return drop === undefined ? null : { name: 'norris', action: 'edit-plan', edit: { type: 'edit-plan', drop: Number(drop) } };
}
