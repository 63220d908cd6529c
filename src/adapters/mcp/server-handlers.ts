import { pathToFileURL } from 'node:url';
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { Elicitation, ElicitationAnswer, ListKind, LogEntry, Sampling, SamplingAnswer } from './server-event.ts';

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

/** The receivers of what a server sends about a connection: requests that belong to a running call, and notices of resources. */
interface ConnectionHandlers {
  noteUpdate(uri: string): void;
  ask(request: UnaddressedElicitation, signal: AbortSignal): Promise<ElicitationAnswer>;
  sample(request: Omit<Sampling, 'alias'>, signal: AbortSignal): Promise<SamplingAnswer>;
}

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

/** Registers the handlers with a client that is not connected yet. */
export function registerHandlers(client: Client, handlers: ServerHandlers, connection: ConnectionHandlers): void {
  const { ask, sample, noteUpdate } = connection;
  for (const kind of ['tools', 'resources', 'prompts'] as const)
    client.setNotificationHandler(LIST_CHANGED[kind], () => handlers.onListChanged(kind));
  client.setNotificationHandler('notifications/message', ({ params }) => handlers.onLog(toLogEntry(params)));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => noteUpdate(params.uri));
  if (handlers.asksUser) registerForms(client, ask);
  const { roots, samplingTokens } = handlers;
  if (samplingTokens > 0) registerSampling(client, samplingTokens, sample);
  if (roots === null) return;
  client.setRequestHandler('roots/list', () => ({ roots: roots.map((path) => ({ uri: pathToFileURL(path).href })) }));
}

/** aish takes texts only. Anything else in a message of the server becomes a label. */
function registerSampling(client: Client, tokens: number, sample: ConnectionHandlers['sample']): void {
  client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
    const { messages, systemPrompt: system = '' } = params;
    const said = messages.map(({ role, content }) => ({ role, content: toSaid(content) }));
    const { model, text } = await sample({ system, messages: said, tokens }, mcpReq.signal);
    return { role: 'assistant', content: { type: 'text', text }, model, stopReason: 'endTurn' };
  });
}

function toSaid(content: unknown): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks
    .filter(isJsonObject)
    .map(({ type, text }) => (typeof text === 'string' ? text : `[${String(type)}]`))
    .join('\n');
}

function registerForms(client: Client, ask: ConnectionHandlers['ask']): void {
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    const request = toElicitation(params);
    const answer: ElicitationAnswer = request === null ? { action: 'decline' } : await ask(request, mcpReq.signal);
    return { action: answer.action, ...(answer.content === undefined ? {} : { content: toContent(answer.content) }) };
  });
}

/** A request for input before the name of its server is known. */
export type UnaddressedElicitation =
  | Omit<Extract<Elicitation, { mode: 'form' }>, 'alias'>
  | Omit<Extract<Elicitation, { mode: 'url' }>, 'alias'>;

function toElicitation(params: unknown): UnaddressedElicitation | null {
  if (!isJsonObject(params)) return null;
  const message = typeof params.message === 'string' ? params.message : '';
  if (params.mode === 'url') return typeof params.url === 'string' ? { mode: 'url', message, url: params.url } : null;
  return isJsonObject(params.requestedSchema) ? { mode: 'form', message, schema: params.requestedSchema } : null;
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
