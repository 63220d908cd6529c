import { formatCount } from '../../../core/text/truncate.ts';
import type { ModelChoice, SentCommand, TurnFacts } from '../../../protocol/model.ts';

/* All texts of the room: the lists, the picker and the errors of sessions, and the explanation of a turn. */

// Open sessions

export const formatAmbiguous = (number: number, rows: string): string => `${number} open sessions match:\n${rows}`;
export const NAME_SESSION = 'name one: aish attach ID';
export const formatNoAddress = (url: string): string => `"${url}" is not the address of a daemon`;
export const ADDRESS_HINT =
  'for example http://127.0.0.1:3000; for a daemon on another machine: ssh -L 3000:127.0.0.1:3000 HOST';
export const formatStranger = (url: string): string => `another user of this machine listens at ${url}`;
export const STRANGER_HINT = 'aish sent nothing; start your own daemon on another port: aish serve --port N';
export const formatNoToken = (file: string): string => `there is no token for that daemon in ${file}`;
export const TOKEN_HINT = 'set AISH_TOKEN to the token of the daemon';
export function formatNotOpen(prefix: string | undefined, rows: string | null): string {
  const message = prefix === undefined ? 'no session is open' : `no open session begins with "${prefix}"`;
  return rows === null ? message : `${message}; open sessions:\n${rows}`;
}
export const NOT_OPEN_HINT = 'to list all sessions: aish sessions; to open one: aish --resume ID';
export const OWN_SESSION = 'this terminal is in that session already';
export const OWN_SESSION_HINT = 'to open it a second time, run aish attach in another terminal';
export const formatOpened = (age: string): string => `opened ${age}`;

// Lists

export const NO_SESSIONS = 'No sessions yet.';
export const NOTHING_FOUND = 'Nothing found.';
export const EMPTY_SESSION = '(no messages)';
export const MORE_SESSIONS = '… to list all sessions: aish sessions';
export const formatPlace = (turn: number): string => (turn === 0 ? 'before the first message' : `turn ${turn}`);
export const formatPlaceKept = (handle: number, id: string): string =>
  `%${handle} has all of it; to continue that session: :resume ${id}`;
export const formatPlaceUntrusted = (sources: readonly string[]): string =>
  `! It may contain untrusted content: ${sources.join(', ')}`;
export const PLACES_HINT = 'To show a place to the model, name its handle in a message.';
export const SEARCH_STOPPED = 'The search was stopped.';
export const NO_OTHER_SESSION = 'there is no other session to resume';
export const NO_OTHER_SESSION_HINT = 'this is your first session';
export const formatTurns = (turns: number): string => formatCount(turns, 'turn');
export const formatMatches = (matches: number): string => `${matches} matches`;

/** The picker: its label, and the effect of Enter. */
export const PICK_TO_RESUME = { asks: 'Resume', does: 'resumes it' } as const;
export const NO_MATCH = 'no session matches · ';
export const formatPickerKeys = (does: string): string =>
  `Enter ${does} · Ctrl-T shows only this directory · Escape cancels`;

// aish sessions

export const TIME = 'a time such as 3h, 2d, 1w or 2026-11-01';
export const NOTHING_DELETED = 'Nothing was deleted.';
export const formatDeleted = (id: string): string => `Deleted ${id}.`;
export const formatDeleteQuestion = (sessions: number): string =>
  `Delete ${sessions === 1 ? 'this session' : `these ${sessions} sessions`} and all outputs permanently? Type yes: `;
export const NOBODY_TO_CONFIRM = 'deleting sessions needs a terminal to confirm it';
export const NOBODY_HINT = 'to delete without asking: aish sessions remove --yes ID';
export const EMPTY_NAME = 'the name is empty';
export const EMPTY_NAME_HINT = 'usage: aish sessions rename ID NAME';
export const formatRenamed = (id: string, name: string): string => `${id} is now called: ${name}`;
export const RENAME_THERE = 'type :name NAME in that session';

// Replays

/** The first line of a replay, with its keys. */
export const formatReplayStart = (title: string, isStepped: boolean): string =>
  `Replay of "${title}": ${isStepped ? '→ shows the next event, Ctrl-C exits' : 'Space pauses, → skips a wait, Ctrl-C exits'}`;
export const PAUSED = 'paused: Space resumes, → shows the next event';
/** The last line of a replay. */
export const END_OF_SESSION = 'End of the session.';
export const STOPPED = 'The replay was stopped.';

// :why

export const formatNoRequest = (turn: number, request: number): string =>
  `turn ${turn} has no model request ${request}`;
export const formatRequestCount = (requests: number): string => `it has ${formatCount(requests, 'request')}`;
export const formatNotTurn = (which: string): string => `"${which}" is not the number of a turn`;
export const TURN_HINT = 'for example 3, or 3.2 for the bytes of its second request';
export const NO_TURN_YET = 'this session has no message to the model yet';
export const NO_TURN_YET_HINT = 'ask the model something first';
export const formatNoTurn = (turn: number): string => `there is no turn ${turn}`;
export const formatTurnRange = (last: number): string =>
  last === 1 ? 'this session has only turn 1' : `turns go from 1 to ${last}`;
export const formatTurn = (turn: number): string => `turn ${turn}`;
/** The turn ended before its first request. */
export const NOTHING_SENT = 'Nothing was sent to the model.';
/** An older release wrote the turn. */
export const NOT_LOGGED = 'The log does not contain the requests of this turn, because an older aish wrote it.';
export const formatBytesHint = (first: string, last: string | null): string =>
  `To see the bytes of a request: ${first}${last === null ? '' : ` … ${last}`}`;
export const EXACT = 'rebuilt from the log, byte for byte';
export const NOT_EXACT =
  'not the exact bytes: aish has learned of a secret in them since, or another release sent them';
export const formatRequest = (request: {
  readonly number: number;
  readonly endpoint: string;
  readonly model: string | null;
  readonly host: string;
  readonly bytes: string;
  readonly sha256: string;
}): string => {
  const model = request.model === null ? '' : ` (${request.model})`;
  return `request ${request.number} to ${request.endpoint}${model} at ${request.host}: ${request.bytes}, sha256 ${request.sha256}`;
};
export const formatTools = (names: readonly string[]): string => `tools: ${names.join(', ') || 'none'}`;
export const formatInstructed = (servers: readonly string[]): string =>
  `instructions of MCP servers: ${servers.join(', ')}`;
export const formatFactsSent = (ids: readonly string[]): string => `facts from memory: ${ids.join(', ')}`;
export const formatSameMessages = (messages: number, isFirst: boolean): string =>
  `${isFirst ? 'the first' : 'the next'} ${messages === 1 ? 'message is' : `${messages} messages are`} the same as in the request before`;
export const formatMessage = (role: string, characters: number, calls: readonly string[]): string =>
  `${role}, ${formatCount(characters, 'character')}${calls.length === 0 ? '' : ` and ${formatCount(calls.length, 'call')}: ${calls.join(', ')}`}`;
export const formatOwn = (text: string): string => `aish to the model: ${text}`;
export const formatUser = (text: string): string => `user: ${text}`;
export const formatAttached = (file: string): string => `attached ${file}`;
export const formatAnswer = (model: string): string => `answer of ${model}:`;
export const formatCall = (name: string, values: string): string => `call of ${name} ${values}`;
export const FAILED = 'failed with:';
export const RETURNED = 'returned:';

const FACT_NAMES: Readonly<Record<keyof TurnFacts, string>> = {
  characters: 'length of the message',
  files: 'attached files',
  calls: 'tool calls of the turn before',
  failures: 'failures since',
};

/** The score of `:model auto`, and what made it. */
export function formatChoice({ score, points, role, isHeldBack }: ModelChoice, model: string | null): string {
  const parts = Object.entries(points).map(
    ([fact, added]) => `${FACT_NAMES[isFact(fact) ? fact : 'characters']} ${added}`,
  );
  const sum = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  const wanted = role === null ? 'the usual model' : `the ${role} model`;
  const held = isHeldBack === true ? '; that model is in the cloud, and :cloud is off' : '';
  return `complexity ${score}${sum}: ${wanted}${held}; ${model ?? 'the first model'} answers`;
}

function isFact(name: string): name is keyof TurnFacts {
  return Object.hasOwn(FACT_NAMES, name);
}

/** A message that began with `@NAME`. */
export function formatCommandOf({ name, path, tools }: SentCommand, model: string | null): string {
  const offered = tools === undefined ? '' : `; it offers these tools: ${tools.join(', ') || 'none'}`;
  return `the message is the command :${name} of ${path}${model === null ? '' : ` for ${model}`}${offered}`;
}

export const formatAddressed = (model: string): string => `you asked ${model} with @${model}`;
