import { pathToFileURL } from 'node:url';
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { CallClock } from './call-limits.ts';
import { notSampled } from './messages.ts';
import type {
  CallOptions,
  Elicitation,
  ElicitationAnswer,
  ListKind,
  LogEntry,
  Sampling,
  SamplingAnswer,
} from './server-event.ts';

/** The receivers of what a server sends on its own: notices, and requests to this side. */
export interface ServerHandlers {
  onListChanged(kind: ListKind): void;
  onLog(entry: LogEntry): void;
  /** A resource that the user has attached is not what it was. */
  onResourceChanged(uri: string): void;
  /** The directories that a server may know of; null hides them. */
  readonly roots: readonly string[] | null;
  /** True if a session can put a form before its user. */
  readonly asksUser: boolean;
  /** The tokens of the user's model that the server may use in a call; 0 for none. */
  readonly samplingTokens: number;
}

/** A call that runs, and the forms that its server has sent meanwhile. */
export interface RunningCall {
  readonly clock: CallClock;
  readonly options: CallOptions;
  asked: number;
}

/** The calls that run on a connection, and the resources whose changes count. */
export interface OpenRequests {
  readonly running: RunningCall[];
  readonly watched: Set<string>;
}

/** Most forms of one call. */
const MOST_ELICITATIONS = 10;

type Capabilities = NonNullable<ClientOptions['capabilities']>;

const LIST_CHANGED = {
  tools: 'notifications/tools/list_changed',
  resources: 'notifications/resources/list_changed',
  prompts: 'notifications/prompts/list_changed',
} as const;

/** The capabilities that aish announces: those with a handler, and no others. */
export function toCapabilities({ roots, asksUser, samplingTokens }: ServerHandlers): Capabilities {
  return {
    ...(samplingTokens === 0 ? {} : { sampling: {} }),
    ...(asksUser ? { elicitation: { form: { applyDefaults: true }, url: {} } } : {}),
    ...(roots === null ? {} : { roots: {} }),
  };
}

/** Registers the handlers with a client that is not connected yet. `alias`: the server's. */
export function registerHandlers(
  client: Client,
  handlers: ServerHandlers,
  alias: string,
  { running, watched }: OpenRequests,
): void {
  for (const kind of ['tools', 'resources', 'prompts'] as const)
    client.setNotificationHandler(LIST_CHANGED[kind], () => handlers.onListChanged(kind));
  client.setNotificationHandler('notifications/message', ({ params }) => handlers.onLog(toLogEntry(params)));
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
    if (watched.delete(uri)) handlers.onResourceChanged(uri);
  });
  if (handlers.asksUser) registerForms(client, alias, running);
  const { roots, samplingTokens } = handlers;
  if (samplingTokens > 0) registerSampling(client, alias, samplingTokens, running);
  if (roots === null) return;
  client.setRequestHandler('roots/list', () => ({ roots: roots.map((path) => ({ uri: pathToFileURL(path).href })) }));
}

/** aish takes texts only. Anything else in a message of the server becomes a label. */
function registerSampling(client: Client, alias: string, tokens: number, running: readonly RunningCall[]): void {
  client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
    const { messages, systemPrompt: system = '' } = params;
    const said = messages.map(({ role, content }) => ({ role, content: toSaid(content) }));
    const { model, text } = await sample({ alias, system, messages: said, tokens }, running, mcpReq.signal);
    return { role: 'assistant', content: { type: 'text', text }, model, stopReason: 'endTurn' };
  });
}

/** Asks the model for the latest running call whose session allows it. */
async function sample(
  request: Sampling,
  running: readonly RunningCall[],
  signal: AbortSignal,
): Promise<SamplingAnswer> {
  const call = running.findLast(({ options }) => options.onSampling !== undefined);
  const onSampling = call?.options.onSampling;
  if (call === undefined || onSampling === undefined) throw notSampled();
  const ended = AbortSignal.any([signal, call.clock.signal]);
  return call.clock.pauseFor(() => onSampling(request, ended));
}

function toSaid(content: unknown): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks
    .filter(isJsonObject)
    .map(({ type, text }) => (typeof text === 'string' ? text : `[${String(type)}]`))
    .join('\n');
}

function registerForms(client: Client, alias: string, running: readonly RunningCall[]): void {
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    const request = toElicitation(alias, params);
    const answer: ElicitationAnswer =
      request === null ? { action: 'decline' } : await ask(request, running, mcpReq.signal);
    return { action: answer.action, ...(answer.content === undefined ? {} : { content: toContent(answer.content) }) };
  });
}

/** Asks the user of the latest running call that has one. The protocol does not say to which call a form belongs. */
async function ask(
  request: Elicitation,
  running: readonly RunningCall[],
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const call = running.findLast(({ options }) => options.onElicitation !== undefined);
  const onElicitation = call?.options.onElicitation;
  if (call === undefined || onElicitation === undefined || call.asked >= MOST_ELICITATIONS)
    return { action: 'decline' };
  call.asked += 1;
  const ended = AbortSignal.any([signal, call.clock.signal]);
  return call.clock.pauseFor(() => onElicitation(request, ended));
}

function toElicitation(alias: string, params: unknown): Elicitation | null {
  if (!isJsonObject(params)) return null;
  const { mode, url, requestedSchema: schema } = params;
  const message = typeof params.message === 'string' ? params.message : '';
  if (mode === 'url') return typeof url === 'string' ? { mode: 'url', alias, message, url } : null;
  return isJsonObject(schema) ? { mode: 'form', alias, message, schema } : null;
}

/** A form has flat values only. */
function toContent(content: JsonObject): Record<string, string | number | boolean | string[]> {
  const flat: Record<string, string | number | boolean | string[]> = {};
  for (const [name, value] of Object.entries(content)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') flat[name] = value;
    else if (Array.isArray(value)) flat[name] = value.filter((item: Json) => typeof item === 'string');
  }
  return flat;
}

const LONGEST_ENTRY = 2000;

function toLogEntry({ level, logger, data }: { level: string; logger?: string | undefined; data?: unknown }): LogEntry {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  return { level, text: (logger === undefined ? text : `${logger}: ${text}`).slice(0, LONGEST_ENTRY) };
}
