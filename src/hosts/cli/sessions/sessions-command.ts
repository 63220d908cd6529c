import { EventLog, readLog } from '../../../adapters/store/event-log.ts';
import { type ListedSession, listIndexed, searchSessions } from '../../../adapters/store/session-index.ts';
import { findSession, likelySession, removeSession, type SessionSummary } from '../../../adapters/store/sessions.ts';
import { isTerminal } from '../../../adapters/system/system-calls.ts';
import { formatTakes } from '../../../core/command-line/messages.ts';
import {
  type GivenArgs,
  misuse,
  parseAge,
  readArgs,
  type SubcommandArgs,
} from '../../../core/command-line/subcommand-args.ts';
import { redactEvent } from '../../../core/secrets/redact-event.ts';
import { rename as toRename } from '../../../core/session/session-name.ts';
import { toBlocks } from '../../../core/session-export/blocks.ts';
import { PLAIN_THEME, type Theme } from '../../../core/terminal/theme.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import { openSecretStore } from '../../../engine/secrets/process-secrets.ts';
import type { SecretStore } from '../../../engine/secrets/secret-store.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import { isDurable } from '../../../protocol/durable-event.ts';
import { AishError } from '../../../protocol/error.ts';
import type { Recorded } from '../../../protocol/event.ts';
import { omitUndefined, toSafeJson } from '../../../protocol/json.ts';
import {
  askAtTerminal,
  chooseAppearance,
  outputColumns,
  printProse,
  type StartContext,
} from '../setup/output-terminal.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';
import { firstCommandOf, formatFound, formatListed, titleOf, toSessionJson } from './sessions-report.ts';
import { explainTurn } from './why-command.ts';

/** How long a list waits for the index, in a shell and at the prompt, in milliseconds; what it has not come to is looked up. */
const PATIENCE = { shell: 400, prompt: 100 };
/** `:sessions` lists so many; `aish sessions` lists all. */
const LISTED = 50;
/** So many can be chosen from; an older one is found by :sessions and its words. */
const CHOSEN_FROM = 1000;

/** A run of `aish sessions`. */
interface Run extends StartContext {
  readonly args: SubcommandArgs<'sessions'>;
  readonly secrets: SecretStore;
  readonly now: number;
}

/** Runs `aish sessions …`. The answer is the exit status. */
export async function runSessions(words: readonly string[], place: StartContext): Promise<number> {
  const { loaded, env, cwd } = place.setup;
  const now = Date.now();
  const args = readArgs('sessions', words);
  const run = { ...place, args, now, secrets: await openSecretStore({ config: loaded.config, env, cwd }) };
  switch (args.action) {
    case 'list':
      return list(run);
    case 'search':
      return search(run);
    case 'show':
    case 'export':
      return write(run);
    case 'rename':
      return rename(run);
    case 'remove':
      return remove(run);
    case 'why':
      return why(run);
    case 'replay':
      return replay(run);
  }
}

function list({ args, setup, secrets, now }: Run): number {
  const redact = (text: string): string => secrets.redact(text);
  const sessions = listIndexed(foldersOf(setup), filterOf(args, { setup, now }), PATIENCE.shell);
  const json = (): object => sessions.map((session) => toSessionJson(session, redact));
  const columns = outputColumns() ?? Number.POSITIVE_INFINITY;
  print(isJson(args) ? toSafeJson(json()) : formatListed(sessions, { now, redact, columns }));
  return 0;
}

/** Status 1 says, as grep does, that nothing was found. */
async function search({ args, setup, options, secrets, now }: Run): Promise<number> {
  const redact = (text: string): string => secrets.redact(text);
  const wanted = args.words.map(quoteWord).join(' ');
  const found = (await searchSessions(wanted, foldersOf(setup), { ...filterOf(args, { setup, now }), now })) ?? [];
  const theme = isTerminal(1) ? chooseAppearance({ setup, options }).theme : PLAIN_THEME;
  const json = (): object => found.map((session) => toSessionJson(session, redact));
  print(isJson(args) ? toSafeJson(json()) : formatFound(found, { now, theme, redact }));
  return found.length === 0 ? 1 : 0;
}

/** A word of the command line with blanks in it was in quotes. */
function quoteWord(word: string): string {
  return /\s/.test(word) ? `"${word}"` : word;
}

async function write(run: Run): Promise<number> {
  const { title, recorded } = readSession(run);
  const formats = await import('../../../core/session-export/format-session.ts');
  if (run.args.action === 'show') print(formats.formatPlain(toBlocks(recorded)));
  else if (run.args.options.get('--format') === 'jsonl') PROCESS_OUTPUT.out(formats.formatJsonLines(recorded));
  else PROCESS_OUTPUT.out(formats.formatMarkdown(title, toBlocks(recorded), formatLocalTime));
  return 0;
}

function formatLocalTime(at: number): string {
  return new Date(at).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
}

async function why(run: Run): Promise<number> {
  const { id, recorded, more } = readSession(run);
  const explained = await explainTurn(recorded, more[0], {
    cover: run.secrets.cover,
    hint: `aish sessions why ${id}`,
  });
  if (explained.type === 'bytes' && !isTerminal(1)) PROCESS_OUTPUT.out(explained.text);
  else if (explained.type === 'bytes') print(sanitizeText(explained.text));
  else printProse(explained.text);
  return 0;
}

async function replay(run: Run): Promise<number> {
  const { title, recorded } = readSession(run);
  const { runReplay } = await import('./replay-command.ts');
  const { options } = run.args;
  return runReplay(recorded, { ...run, title }, { speed: options.number('--speed'), step: options.has('--step') });
}

function rename({ args, setup, secrets, now }: Run): number {
  const [id = '', ...words] = args.words;
  const found = findSession(setup.paths.state, id);
  print(sanitizeText(renameSession(found, secrets.redact(words.join(' ')), now)));
  return 0;
}

function remove(run: Run): number {
  const { args, setup } = run;
  const { state } = setup.paths;
  const found = [...new Map(args.words.map((id) => findSession(state, id)).map((one) => [one.id, one])).values()];
  if (!args.options.has('--yes') && !isAgreed(found, run)) {
    print(messages.NOTHING_DELETED);
    return 1;
  }
  let status = 0;
  for (const { id } of found) {
    try {
      removeSession(state, id);
      print(messages.formatDeleted(id));
    } catch (thrown) {
      if (!(thrown instanceof AishError)) throw thrown;
      status = 1;
      PROCESS_OUTPUT.error(`aish: ${thrown.message}${thrown.hint === undefined ? '' : ` (${thrown.hint})`}\n`);
    }
  }
  // Searches must no longer find deleted sessions.
  listIndexed(foldersOf(setup), { limit: 0 }, PATIENCE.shell);
  return status;
}

function isAgreed(found: readonly SessionSummary[], { secrets, now }: Run): boolean {
  const sessions = found.map((session) => ({ ...session, firstCommand: null }));
  const listed = formatListed(sessions, { now, redact: (text) => secrets.redact(text) });
  const answer = askAtTerminal(`${listed}\n${messages.formatDeleteQuestion(found.length)}`);
  if (answer !== null) return answer.trim().toLowerCase() === 'yes';
  throw usage(messages.NOBODY_TO_CONFIRM, messages.NOBODY_HINT);
}

function filterOf({ options }: GivenArgs, { setup, now }: Pick<Run, 'setup' | 'now'>) {
  const since = parseSince(options.get('--since'), now);
  return omitUndefined({ cwd: options.has('--here') ? setup.cwd : undefined, since, limit: options.number('--limit') });
}

function isJson({ options }: GivenArgs): boolean {
  return options.get('--output') === 'json';
}

function foldersOf({ paths }: Setup) {
  return { stateDir: paths.state, cacheDir: paths.cache };
}

/** The session that the first word names. A value known as a secret now was perhaps unknown at the time of writing. */
function readSession({ args, setup, secrets }: Run) {
  const [named = '', ...more] = args.words;
  const found = findSession(setup.paths.state, named);
  const warn = (text: string): void => PROCESS_OUTPUT.error(`aish: ${text}\n`);
  const recorded: readonly Recorded[] = readLog(found.path, warn).map((one) => {
    return { ...one, event: redactEvent(one.event, secrets.cover) };
  });
  const title = secrets.redact(titleOf({ ...found, firstCommand: firstCommandOf(recorded) }));
  return { id: found.id, title, recorded, more };
}

function print(text: string): void {
  PROCESS_OUTPUT.out(`${text}\n`);
}

function usage(message: string, hint: string): AishError {
  return new AishError('usage', message, { hint });
}

/** Gives a stored session another name, and says so; refused while an aish has it open, whose prompt can do it. */
function renameSession({ id, path }: SessionSummary, name: string, now: number): string {
  const [fact] = toRename({ type: 'rename', name });
  if (fact === undefined || !isDurable(fact)) throw usage(messages.EMPTY_NAME, messages.EMPTY_NAME_HINT);
  using log = openToRename(path);
  log.append([fact], now);
  return messages.formatRenamed(id, fact.type === 'session.named' ? fact.name : name);
}

function openToRename(path: string): EventLog {
  try {
    return EventLog.open(path).log;
  } catch (thrown) {
    if (!(thrown instanceof AishError) || thrown.code !== 'session.locked') throw thrown;
    throw new AishError('session.locked', thrown.message, { hint: messages.RENAME_THERE, cause: thrown });
  }
}

/** `2d`, `3h`, `1w`, or a day: `2026-11-01`. */
export function parseSince(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const age = parseAge(value);
  if (age !== null) return now - age;
  // A day alone begins where the user is.
  const begin = value.includes('T') ? value : `${value}T00:00`;
  const day = /^\d{4}-\d\d-\d\d(?:T\S+)?$/.test(value) ? new Date(begin).getTime() : Number.NaN;
  if (!Number.isNaN(day)) return day;
  throw misuse('sessions', formatTakes('--since', messages.TIME, value));
}

/** The session at the prompt, for `:sessions` and `:why`. */
interface PromptPlace {
  readonly setup: Setup;
  readonly live: LiveSession;
}

/** The screen that shows `:sessions`. */
interface ListView {
  readonly theme: Theme;
  readonly columns: number;
  readonly now: number;
  /** Aborted where somebody calls the search off. */
  readonly signal?: AbortSignal;
}

/** `:sessions`: the sessions, or with words those that hold them. */
export async function listOrSearch(words: string | undefined, context: PromptPlace & ListView): Promise<string> {
  const { setup, live, theme, now, columns, signal } = context;
  const redact = (text: string): string => live.secrets.redact(text);
  if (words === undefined) {
    const sessions = listIndexed(foldersOf(setup), { limit: LISTED + 1 }, PATIENCE.prompt);
    const more = sessions.length > LISTED ? `${messages.MORE_SESSIONS}\n` : '';
    // The newest stand last, next to the prompt, where they do not scroll away.
    return more + formatListed(sessions.slice(0, LISTED).reverse(), { now, redact, columns });
  }
  // Keys still work meanwhile.
  const found = await searchSessions(words, foldersOf(setup), { now, ...omitUndefined({ signal }) });
  return found === null ? messages.SEARCH_STOPPED : formatFound(found, { now, theme, redact });
}

/** Sessions to go on with: first the one that was used last in this directory, of those with any messages. */
export function listToResume({ setup, live }: PromptPlace): readonly ListedSession[] {
  const { sessionId } = live.session;
  const all = listIndexed(foldersOf(setup), { limit: CHOSEN_FROM }, PATIENCE.prompt);
  const others = all.filter(({ id }) => id !== sessionId);
  const likely = likelySession(setup.paths.state, setup.cwd, sessionId)?.id;
  const sessions = [...others.filter(({ id }) => id === likely), ...others.filter(({ id }) => id !== likely)];
  if (sessions.length > 0) return sessions;
  throw new AishError('session.none', messages.NO_OTHER_SESSION, { hint: messages.NO_OTHER_SESSION_HINT });
}

/** `:why`: explains a turn of this session. */
export async function explain(which: string | undefined, { live }: Pick<PromptPlace, 'live'>): Promise<string> {
  const { session, secrets } = live;
  if (session.recorded.length === 0)
    throw new AishError('why.none', messages.NO_TURN_YET, { hint: messages.NO_TURN_YET_HINT });
  return sanitizeText((await explainTurn(session.recorded, which, { cover: secrets.cover, hint: ':why' })).text);
}
