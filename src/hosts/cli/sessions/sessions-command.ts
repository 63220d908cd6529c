import { EventLog, readLog } from '../../../adapters/store/event-log.ts';
import { findSession, removeSession, type SessionSummary } from '../../../adapters/store/sessions.ts';
import { redactEvent } from '../../../core/secrets/redact-event.ts';
import { rename as toRename } from '../../../core/session/session-name.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import { openSecretStore } from '../../../engine/secrets/process-secrets.ts';
import type { SecretStore } from '../../../engine/secrets/secret-store.ts';
import { AishError } from '../../../protocol/error.ts';
import { isDurable, type Recorded } from '../../../protocol/event.ts';
import { omitUndefined, toSafeJson } from '../../../protocol/json.ts';
import { createTheme, type Theme } from '../screen/theme.ts';
import type { HeadlessOutput } from '../setup/process-output.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';
import { parseSessionsArgs, type SessionsArgs } from './sessions-args.ts';
import { firstCommandOf, formatFound, formatListed, titleOf, toSessionJson } from './sessions-report.ts';

/** Dependencies of `aish sessions`. */
interface SessionsContext {
  readonly setup: Setup;
  readonly output: HeadlessOutput;
  /** A terminal reads the output, with colours unless they were turned off. */
  readonly isTerminal: boolean;
  readonly color: boolean;
  /** Asks at the terminal; null where nobody is there. */
  readonly ask: (question: string) => string | null;
  readonly now: number;
}

/** How long a list waits for the index; what it has not come to is looked up. */
const LIST_PATIENCE_MS = 400;

/** Runs `aish sessions …`. The answer is the exit status. */
export async function runSessions(args: readonly string[], context: SessionsContext): Promise<number> {
  const parsed = parseSessionsArgs(args, context.now);
  switch (parsed.action) {
    case 'list':
      return list(parsed, context);
    case 'search':
      return search(parsed, context);
    case 'show':
    case 'export':
      return write(parsed, context);
    case 'rename':
      return rename(parsed, context);
    case 'remove':
      return remove(parsed, context);
    case 'why': {
      const { explainTurn } = await import('./why-command.ts');
      const [id, turn] = wordsOf(parsed, 1, 'ID [TURN[.REQUEST]]');
      const found = findSession(context.setup.paths.state, id);
      const { recorded, secretStore } = await readCovered(found, context);
      const explained = await explainTurn(recorded, turn, {
        cover: secretStore.cover,
        hint: `aish sessions why ${found.id}`,
      });
      context.output.out(
        explained.type === 'bytes' && !context.isTerminal ? explained.text : `${sanitizeText(explained.text)}\n`,
      );
      return 0;
    }
    case 'replay': {
      const [id] = wordsOf(parsed, 1, 'ID [--speed N | --step]');
      const found = findSession(context.setup.paths.state, id);
      const { recorded, secretStore } = await readCovered(found, context);
      const title = secretStore.redact(titleOf({ ...found, firstCommand: firstCommandOf(recorded) }));
      const { runReplay } = await import('../replay/replay-command.ts');
      return runReplay(recorded, { ...context, title }, parsed);
    }
  }
}

async function list({ words, here, since, limit, isJson }: SessionsArgs, context: SessionsContext): Promise<number> {
  if (words.length > 0) throw usage(messages.NO_WORDS, messages.NO_WORDS_HINT);
  const redact = await openRedact(context);
  const { listIndexed } = await loadIndex();
  const sessions = listIndexed(foldersOf(context), filterOf({ here, since, limit }, context), LIST_PATIENCE_MS);
  if (isJson)
    printJson(
      sessions.map((session) => toSessionJson(session, redact)),
      context,
    );
  else context.output.out(`${formatListed(sessions, { now: context.now, redact })}\n`);
  return 0;
}

/** Status 1 says, as grep does, that nothing was found. */
async function search({ words, here, since, limit, isJson }: SessionsArgs, context: SessionsContext): Promise<number> {
  if (words.length === 0) throw usage(messages.WORDS_NEEDED, messages.WORDS_HINT);
  const redact = await openRedact(context);
  const { searchSessions } = await loadIndex();
  const options = { ...filterOf({ here, since, limit }, context), now: context.now };
  const found = (await searchSessions(words.map(quoteWord).join(' '), foldersOf(context), options)) ?? [];
  if (isJson)
    printJson(
      found.map((session) => toSessionJson(session, redact)),
      context,
    );
  else context.output.out(`${formatFound(found, { now: context.now, theme: themeOf(context), redact })}\n`);
  return found.length === 0 ? 1 : 0;
}

/** A word of the command line with blanks in it was in quotes. */
function quoteWord(word: string): string {
  return /\s/.test(word) ? `"${word}"` : word;
}

async function write(parsed: SessionsArgs, context: SessionsContext): Promise<number> {
  const [id] = wordsOf(parsed, 1, 'ID');
  const found = findSession(context.setup.paths.state, id);
  const { recorded, secretStore } = await readCovered(found, context);
  const { toBlocks } = await import('../../../core/session-export/blocks.ts');
  if (parsed.action === 'show') {
    const { formatPlain } = await import('../../../core/session-export/format-session.ts');
    context.output.out(`${formatPlain(toBlocks(recorded))}\n`);
  } else if (parsed.isJsonLines) {
    const { formatJsonLines } = await import('../../../core/session-export/format-session.ts');
    context.output.out(formatJsonLines(recorded));
  } else {
    const { formatMarkdown } = await import('../../../core/session-export/format-session.ts');
    const title = secretStore.redact(titleOf({ ...found, firstCommand: firstCommandOf(recorded) }));
    context.output.out(formatMarkdown(title, toBlocks(recorded), formatLocalTime));
  }
  return 0;
}

function formatLocalTime(at: number): string {
  return new Date(at).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
}

async function rename(parsed: SessionsArgs, context: SessionsContext): Promise<number> {
  const [id, ...words] = wordsOf(parsed, 2, 'ID NAME');
  const found = findSession(context.setup.paths.state, id);
  const redact = await openRedact(context);
  context.output.out(`${sanitizeText(renameSession(found, redact(words.join(' ')), context.now))}\n`);
  return 0;
}

async function remove(parsed: SessionsArgs, context: SessionsContext): Promise<number> {
  const { paths } = context.setup;
  const ids = wordsOf(parsed, 1, 'ID…');
  const found = [...new Map(ids.map((id) => [findSession(paths.state, id).id, findSession(paths.state, id)])).values()];
  if (!parsed.yes && !(await isAgreed(found, context))) {
    context.output.out(`${messages.NOTHING_DELETED}\n`);
    return 1;
  }
  let status = 0;
  for (const { id } of found) {
    try {
      removeSession(paths.state, id);
      context.output.out(`${messages.formatDeleted(id)}\n`);
    } catch (thrown) {
      if (!(thrown instanceof AishError)) throw thrown;
      status = 1;
      context.output.error(`aish: ${thrown.message}${thrown.hint === undefined ? '' : ` (${thrown.hint})`}\n`);
    }
  }
  // Searches must no longer find deleted sessions.
  const { listIndexed } = await loadIndex();
  listIndexed(foldersOf(context), { limit: 0 }, LIST_PATIENCE_MS);
  return status;
}

async function isAgreed(found: readonly SessionSummary[], context: SessionsContext): Promise<boolean> {
  const redact = await openRedact(context);
  const listed = formatListed(
    found.map((session) => ({ ...session, firstCommand: null })),
    { now: context.now, redact },
  );
  const answer = context.ask(`${listed}\n${messages.formatDeleteQuestion(found.length)}`);
  if (answer !== null) return answer.trim().toLowerCase() === 'yes';
  throw usage(messages.NOBODY_TO_CONFIRM, messages.NOBODY_HINT);
}

function filterOf({ here, since, limit }: Pick<SessionsArgs, 'here' | 'since' | 'limit'>, { setup }: SessionsContext) {
  return omitUndefined({ cwd: here ? setup.cwd : undefined, since, limit });
}

function loadIndex() {
  return import('../../../adapters/store/session-index.ts');
}

function foldersOf({ setup: { paths } }: SessionsContext) {
  return { stateDir: paths.state, cacheDir: paths.cache };
}

async function openRedact(context: SessionsContext): Promise<(text: string) => string> {
  const secretStore = await secretStoreOf(context);
  return (text) => secretStore.redact(text);
}

function secretStoreOf({ setup }: SessionsContext): Promise<SecretStore> {
  return openSecretStore({ config: setup.loaded.config, env: setup.env, cwd: setup.cwd });
}

/** The facts of a session. A value known as a secret now was perhaps unknown at the time of writing. */
async function readCovered(
  { path }: SessionSummary,
  context: SessionsContext,
): Promise<{ readonly recorded: readonly Recorded[]; readonly secretStore: SecretStore }> {
  const secretStore = await secretStoreOf(context);
  const warn = (text: string): void => context.output.error(`aish: ${text}\n`);
  const recorded = readLog(path, warn).map((one) => ({ ...one, event: redactEvent(one.event, secretStore.cover) }));
  return { recorded, secretStore };
}

function printJson(value: unknown, { output }: SessionsContext): void {
  output.out(`${toSafeJson(value)}\n`);
}

function themeOf({ setup, isTerminal, color }: SessionsContext): Theme {
  const { theme, color: wanted } = setup.loaded.config.ui;
  return createTheme(setup.env, { colour: isTerminal && color && wanted !== 'never', name: theme });
}

function wordsOf({ words, action }: SessionsArgs, least: number, form: string): readonly [string, ...string[]] {
  const [first, ...rest] = words;
  if (first === undefined || words.length < least)
    throw usage(messages.formatMissing(action, form), messages.formatUsage(action, form));
  return [first, ...rest];
}

function usage(message: string, hint: string): AishError {
  return new AishError('usage', message, { hint });
}

/** Gives a stored session another name, and says so; refused while an aish has it open, whose prompt can do it. */
function renameSession({ id, path }: SessionSummary, name: string, now: number): string {
  const [fact] = toRename({ type: 'rename', name });
  if (fact === undefined || !isDurable(fact)) {
    throw new AishError('usage', messages.EMPTY_NAME, { hint: messages.EMPTY_NAME_HINT });
  }
  const { log } = openToRename(path);
  using _ = log;
  log.append([fact], now);
  return messages.formatRenamed(id, fact.type === 'session.named' ? fact.name : name);
}

function openToRename(path: string): ReturnType<typeof EventLog.open> {
  try {
    return EventLog.open(path);
  } catch (thrown) {
    if (!(thrown instanceof AishError) || thrown.code !== 'session.locked') throw thrown;
    throw new AishError('session.locked', thrown.message, { hint: messages.RENAME_THERE, cause: thrown });
  }
}
