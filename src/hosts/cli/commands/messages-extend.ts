/* The texts about what extends a session: custom commands, skills, hooks, MCP servers, the memory, and runs in working copies. */

import { AishError } from '../../../protocol/error.ts';
import type { Scope } from '../../../protocol/memory.ts';

export const formatSends = (path: string, characters: number, missing: string | null): string => {
  const model = missing === null ? '' : `; no model "${missing}" is configured, so the current model answers`;
  return `aish sends ${path} (${characters} ${characters === 1 ? 'character' : 'characters'})${model}`;
};

export const formatUntrustedCommand = (name: string, path: string): string =>
  `:${name} does not work yet, because you do not trust ${path} with its present content`;
export const TRUST_HINT = 'to review it, run: aish config trust';

// Skills

export const NO_SKILLS =
  'There are no skills here. A skill is a folder with a SKILL.md in ~/.config/aish/skills or in .aish/skills.';
export const formatSkill = (name: string, description: string, place: string): string =>
  `${name}: ${description}\n  ${place}`;
export const formatNotOffered = (path: string): string => `${path} (not offered: you do not trust its present content)`;

// aish config trust

/** The question about files of a kind, and the words after another answer than yes and after yes. */
export const TRUST_TEXTS = {
  config: {
    question: 'Should this file have the same effect as your own configuration? Type yes: ',
    refused: 'Nothing changed: the file can only make things stricter.',
    trusted: 'A running aish reads it at its next start.',
  },
  notes: {
    question: 'Should aish send this to the model with every request in this project? Type yes: ',
    refused: 'Nothing changed: aish does not send the notes.',
    trusted: 'Running sessions send it from their next message on.',
  },
  memory: {
    question: 'Should aish send these facts to the model in this project? Type yes: ',
    refused: 'Nothing changed: aish does not use the facts.',
    trusted: 'New sessions use its facts.',
  },
  commands: {
    question: 'Should aish send these texts to the model when you type their commands? Type yes: ',
    refused: 'Nothing changed: the commands of the project do not work.',
    trusted: 'You can type its command.',
  },
  hooks: {
    question:
      'Should hooks run these files with your rights, outside the sandbox, if a configuration names them? Type yes: ',
    refused: 'Nothing changed: a hook that names one of these files denies everything.',
    trusted: 'Hooks may run it.',
  },
  skill: {
    question: 'Should the model read these files as your instructions when it needs them? Type yes: ',
    refused: 'Nothing changed: aish does not offer the skill.',
    trusted: 'The model may read it.',
  },
} as const;

// MCP servers

export const NO_RESOURCES = 'The server has no resources.';
export const NO_PROMPTS = 'The server has no prompts.';
export const NO_LOG = 'The server has logged nothing in this session.';
export const formatRefreshed = (alias: string): string => `aish read the lists of ${alias} again.`;
export const formatLoggedIn = (alias: string): string => `You are logged in to ${alias}.`;
export const formatLoggedOut = (alias: string): string => `aish forgot the login to ${alias}.`;
export const formatNotLoggedIn = (alias: string): string => `There is no login to ${alias}.`;
export const formatNoOpenLogin = (alias: string): string => `no login to ${alias} is open; type :mcp login ${alias}`;
export const formatLoginPage = (alias: string, url: string): string =>
  `Open this page to log in to ${alias}:\n${url}\nIf your browser runs on another machine, type :mcp login ${alias} and the address of its last page.`;
export const formatLoginStart = (alias: string, url: string): string =>
  `Open this page to log in to ${alias}:\n${url}\nIf your browser runs on another machine, paste the address of its last page here.`;
export const formatApproved = (name: string): string => `aish now trusts the definition of ${name}.`;
export const formatApproveWith = (name: string, pin: string): string =>
  `To trust the definition as it is now: aish mcp approve ${name} --pin ${pin}`;
export const formatAdded = (names: readonly string[], path: string): string =>
  `aish added ${names.length === 0 ? 'no server' : names.join(', ')} to ${path}.`;
export const formatRemovedServer = (name: string, path: string): string => `aish removed ${name} from ${path}.`;
export const formatNoForeignFile = (path: string): string => `there is no file ${path}`;
export const FOREIGN_FILE_HINT = 'name the configuration file of another program, such as ~/.claude.json';
export const ARGUMENTS_NO_JSON = 'the arguments of aish mcp call are one JSON object, such as \'{"text": "x"}\'';
export const PROMPT_OF_SERVER = 'a prompt of an MCP server';
export const formatFollowPrompt = (prompt: string): string => `Follow the prompt ${prompt}, which is attached.`;
export const formatNoPrompt = (alias: string, name: string): string => `${alias} has no prompt "${name}"`;
export const formatListsPrompts = (alias: string): string => `:mcp prompts ${alias} lists the prompts`;
export const formatMissingArgument = (prompt: string, name: string): string => `${prompt} needs the argument ${name}`;
export const formatPromptUsage = (alias: string, prompt: string, names: readonly string[]): string =>
  `type :${alias}.${prompt} ${names.map((name) => `${name}=…`).join(' ')}`;
export const HIDDEN = '(hidden)';
export const NOT_CONNECTED = 'the server did not answer in time';
export const formatNoTools = (alias: string, why: string): string => `${alias} has no tools: ${why}`;

// :memory, :remember and aish memory

export const formatScope = (scope: Scope, place: string) =>
  scope === 'everywhere' ? 'everywhere' : `${scope} ${place}`;

export const NO_FACTS = 'aish keeps no facts. To add one: :remember the tests need Docker';
export const NO_MATCH = 'No fact has any of these words.';
export const formatKept = (id: string, scope: string) => `aish keeps this as fact ${id} (${scope}).`;
export const formatKnown = (id: string) => `aish keeps this already, as fact ${id}.`;
export const HAD_SECRET = 'The text had a secret, so aish keeps it with a placeholder.';
export const formatContradiction = (id: string, text: string) =>
  `It may contradict fact ${id}: ${text}\nThe model gets both, marked as older and newer, until you forget fact ${id}.`;
export const formatEdited = (id: string, old: string) => `Fact ${id} replaces fact ${old}.`;

export const formatTooLong = (characters: number, most: number) =>
  `a fact has at most ${most} characters, and this one has ${characters}`;
export const SHORTER_HINT = 'split it into several facts';
export const formatNoFact = (id: string) => `there is no fact ${id}`;
export const LISTS_FACTS = 'to list the facts: :memory';
export const ONE_SCOPE = 'choose one of --everywhere, --host, --project and --directory';

export const formatUseCount = (count: number, last: string) =>
  `used in ${count} ${count === 1 ? 'session' : 'sessions'}, last on ${last}`;
export const formatExpires = (day: string) => `until ${day}`;
export const formatMayReplace = (id: string) => `may contradict fact ${id}`;
export const FADED = 'not used for 180 days, so aish does not send it (:memory inbox)';
export const FROM_UNTRUSTED = 'the model proposed it after it read untrusted content';

export const formatForgotten = (id: string, text: string) => `Fact ${id} is in no later request: ${text}`;
export const NEVER_SENT = '  No request had it.';
export const formatInfluenced = (session: string, turns: string) => `  It was in session ${session}, ${turns}`;
export const formatTurns = (first: number, last: number) =>
  first === last ? `turn ${first}` : `turns ${first} to ${last}`;
export const formatTurnsOn = (first: number) => `from turn ${first} on; its log is gone`;
export const formatMoreSessions = (count: number) =>
  `  and in ${count} earlier ${count === 1 ? 'session' : 'sessions'}`;
export const STILL_IN_PROJECT = '  The line stays in .aish/memory.jsonl; aish ignores it for you.';

export const INBOX_EMPTY = 'The inbox is empty.';
export const formatProposedIn = (session: string, turn: number) => `proposed in session ${session}, turn ${turn}`;
export const formatReadBefore = (sources: readonly string[]) =>
  `! The model had read untrusted content before: ${sources.join(', ')}`;
export const STAYS = 'stays, marked as older';
export const formatUnused = (day: string) => `not used since ${day}`;
export const INBOX_QUESTION = 'Keep them? Type yes, no, or the numbers to keep: ';
export const INBOX_UNCHANGED = 'Nothing changed: the facts stay in the inbox.';
export const formatAccepted = (ids: readonly string[]) => `aish keeps: ${ids.join(', ')}`;
export const DECLINED = 'aish keeps none of them.';

export const formatSentFact = (id: string, text: string) => `Fact ${id}: ${text}`;

// Autonomous runs in working copies

export const formatBegun = (id: string) => `run ${id} begins in the background; :norris shows its state`;
export const formatEnded = (id: string, end: string, changes: string) => `run ${id}: ${end} ${changes}`;
export const CUT_SHORT = 'The run was cut short.';
export const NO_CHANGES = 'It changed no file.';
export const formatLost = (id: string, status: number, why: string) =>
  `run ${id} could not work (status ${status})${why === '' ? '' : `: ${why}`}`;
export const formatNotCopied = (names: string) => `ignored files without a copy: ${names}`;

const countFiles = (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`;
export const formatChanged = (count: number) => `${countFiles(count)} changed.`;
export const formatOffer = (id: string) => `:norris diff ${id}, :norris apply ${id} or :norris discard ${id}`;
export const formatPlace = (tree: string) => `The changes are in ${tree}`;
export const formatOfferAtPrompt = (id: string) => `at a prompt of aish: ${formatOffer(id)}`;

export const formatApplied = (id: string, count: number) => `run ${id}: applied ${countFiles(count)}`;
export const formatUndoneBy = (checkpoint: string) => `:undo ${checkpoint} takes them back`;
export const formatConflict = (path: string, why: string) => `  not applied: ${path}: ${why}`;
export const formatKeptCopy = (id: string, tree: string) =>
  `The working copy stays in ${tree}; :norris discard ${id} removes it`;
export const NOTHING_TO_APPLY = 'there was nothing to apply';
export const formatDiscarded = (id: string) => `run ${id}: its working copy is removed`;
export const formatStopped = (id: string) => `run ${id} is stopped`;
export const formatNotRunning = (id: string) => `run ${id} has ended already`;

export const noRun = (id: string | undefined) =>
  new AishError('run.none', id === undefined ? 'there is no run in the background' : `there is no run ${id}`, {
    hint: "begin one like this: :norris 'make the tests pass' until 'npm test' in background",
  });
export const stillAtWork = (id: string) =>
  new AishError('run.at-work', `run ${id} is still running`, { hint: `stop it first: :norris stop ${id}` });
export const notReady = (id: string) =>
  new AishError('run.not-ready', `the working copy of run ${id} is not complete`, {
    hint: `remove it: :norris discard ${id}`,
  });

export const formatHead = (id: string, state: string, goal: string) => `${id}  ${state}  ${goal}`;
export const STATES = { working: 'works', ended: 'ended', cut: 'was cut short' };
export const formatIndented = (text: string) => `    ${text}`;
