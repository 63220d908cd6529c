import { type MetaCommand, type MetaEntry, type NorrisAction, plain } from './meta-entry.ts';

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
