import { statSync, utimesSync } from 'node:fs';
import { projectAround } from '../../adapters/config/paths.ts';
import { EventLog, readLog } from '../../adapters/store/event-log.ts';
import { findLogs, isOpenSomewhere } from '../../adapters/store/sessions.ts';
import { fold } from '../../core/session/evolve.ts';
import type { SessionState } from '../../core/session/state.ts';
import { isNearAddress } from '../../core/text/address.ts';
import { succeeds } from '../../core/text/attempt.ts';
import { truncateMiddle } from '../../core/text/truncate.ts';
import type { Config } from '../../protocol/config.ts';
import type { Recorded } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { Completion } from '../../protocol/model.ts';
import { checkBudget } from '../effects/check-budget.ts';
import { PROPOSE_TASK } from '../memory/messages.ts';
import { Recall } from '../memory/recall-facts.ts';
import type { ModelEndpoints } from '../requests/model-endpoints.ts';
import type { SecretStore } from '../secrets/secret-store.ts';

interface LastSessionContext {
  readonly config: Pick<Config, 'budget' | 'models'>;
  /** The folder of the sessions and of the memory. */
  readonly state: string;
  readonly home: string;
  /** The present directory: sessions of other projects stay unread, since another model may answer here. */
  readonly cwd: string;
  /** The present session. */
  readonly sessionId: string;
  readonly fastModel: string;
  readonly endpoints: Pick<ModelEndpoints, 'find' | 'complete'>;
  readonly secrets: Pick<SecretStore, 'cover' | 'redact'>;
  readonly now: number;
}

/** A session that ended, as far as the fast model has not read it yet. */
interface EndedSession {
  readonly path: string;
  readonly recorded: readonly Recorded[];
  readonly state: SessionState;
  /** The messages, answers and commands; no outputs. */
  readonly text: string;
}

/** Fewer turns hold hardly anything that lasts. */
const LEAST_TURNS = 3;
/** So many sessions are looked at, newest first, and none that ended earlier. */
const MOST_LOOKED_AT = 5;
const LONGEST_AGO_MS = 7 * 24 * 60 * 60 * 1000;
const MOST_CHARACTERS = 12_000;
const MOST_OF_ENTRY = 1500;
const LONGEST_WAIT_MS = 60_000;

/**
 * Has the fast model propose facts from the last session that ended with enough turns: one request, whose proposals go to the inbox. The log
 * of that session notes it, with the tokens. Returns a line for the user; null without a proposal.
 */
export async function proposeFromLastSession(context: LastSessionContext, signal: AbortSignal): Promise<string | null> {
  const last = findEnded(context);
  if (last === null) return null;
  const { fastModel, endpoints, secrets, config, now } = context;
  const endpoint = await endpoints.find(fastModel);
  if (!mayRead(endpoint.baseUrl, last)) return null;
  const { steps: _, minutes: __, ...budget } = config.budget;
  const spent = { sessionId: last.state.id, recorded: last.recorded, state: context.state, now };
  if (!succeeds(() => checkBudget({ ...spent, config: { ...config, budget }, warned: new Set(), warn: () => {} })))
    return null;
  const request = {
    messages: [
      { role: 'system', content: PROPOSE_TASK },
      { role: 'user', content: secrets.cover.text(last.text) },
    ],
    tools: [],
  } as const;
  const told = { onDelay: () => {}, onProgress: () => {}, onLearned: () => {}, onBody: () => {} };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_WAIT_MS)]);
  const answer = await endpoints.complete(endpoint, request, () => {}, limit, told);
  signal.throwIfAborted();
  noteRead(last.path, endpoint.name, answer, now);
  const recall = new Recall({ cwd: last.state.cwd, state: context.state, home: context.home });
  const [notice] = recall.propose(secrets.redact(answer.text), last.state);
  return notice?.type === 'notice' ? notice.text : null;
}

function findEnded({ state, sessionId, now, cwd, home }: LastSessionContext): EndedSession | null {
  const logs = findLogs(state).filter(({ id, stat }) => id !== sessionId && stat.mtimeMs > now - LONGEST_AGO_MS);
  for (const { id, path } of logs.slice(0, MOST_LOOKED_AT)) {
    if (isOpenSomewhere(state, id)) continue;
    const recorded = readLog(path);
    const read = recorded.findLastIndex(({ event }) => event.type === 'session.summarized');
    const fresh = recorded.slice(read + 1).map(({ event }) => event);
    if (fresh.filter(({ type }) => type === 'turn.started').length < LEAST_TURNS) continue;
    const text = toText(fold(fresh));
    const ended = fold(recorded.map(({ event }) => event));
    if (projectAround(ended.cwd, home) !== projectAround(cwd, home)) continue;
    return { path, recorded, state: ended, text };
  }
  return null;
}

function toText({ entries }: SessionState): string {
  const lines = entries.flatMap((entry) => {
    if (entry.type === 'user') return [`User: ${truncateMiddle(entry.text, MOST_OF_ENTRY)}`];
    if (entry.type === 'command') return [`The user ran: ${truncateMiddle(entry.record.line, MOST_OF_ENTRY)}`];
    return entry.type === 'assistant' && entry.text !== ''
      ? [`Assistant: ${truncateMiddle(entry.text, MOST_OF_ENTRY)}`]
      : [];
  });
  return truncateMiddle(lines.join('\n\n'), MOST_CHARACTERS);
}

/** False if a conversation with a model on this network would leave it without permission: the same rule holds for fallbacks. */
function mayRead(baseUrl: string, { recorded, state }: EndedSession): boolean {
  if (isNearAddress(baseUrl) || state.settings.cloud === true) return true;
  return !recorded.some(
    ({ event }) => event.type === 'request.prefixed' && isNearAddress(`http://${event.prefix.host}`),
  );
}

/** Notes the request in the log, so that budgets count it and it is not sent again. The session was not used, so its time stays. */
function noteRead(path: string, model: string, { usage }: Completion, now: number): void {
  succeeds(() => {
    const { atime, mtime } = statSync(path);
    using log = EventLog.open(path).log;
    log.append([{ type: 'session.summarized', model, ...omitUndefined({ usage }) }], now);
    utimesSync(path, atime, mtime);
  });
}
