import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  fromJsonSchema,
  type InputRequiredResult,
  inputRequired,
  McpServer,
  type Resource,
  ResourceNotFoundError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { readLog } from '../../adapters/store/event-log.ts';
import { type ListedSession, listIndexed } from '../../adapters/store/session-index.ts';
import { redactEvent } from '../../core/secrets/redact-event.ts';
import { toBlocks } from '../../core/session-export/blocks.ts';
import { formatMarkdown } from '../../core/session-export/format-session.ts';
import { cutHead } from '../../core/text/truncate.ts';
import type { SecretStore } from '../../engine/secrets/secret-store.ts';
import { OWN_TOOLS } from '../../engine/tools/toolbox.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Tool } from '../../protocol/tool.ts';
import { VERSION } from '../../protocol/version.ts';
import type { CallAnswer, CallSession, RunningCall } from './call-session.ts';
import * as messages from './messages.ts';

/** How long a question may be open, in milliseconds. */
const PATIENCE_MS = 600_000;

const LONGEST_NAME = 80;

/** The session of the connection, opened by its first call. */
export type OpenCalls = (client: string) => Promise<CallSession>;

/** A call of the newer protocol that waits for an approval. */
interface Waiting {
  readonly call: RunningCall;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Calls that wait for an approval, by the state that the client sends back with its next request. */
export type WaitingCalls = Map<string, Waiting>;

/** The MCP server of one connection, or of one request: the tools of aish, each call of which runs in the session of the connection. */
export function createMcpServer(openCalls: OpenCalls, waiting: WaitingCalls, sessions: SessionsContext): McpServer {
  const server = new McpServer(
    { name: 'aish', version: VERSION },
    { capabilities: { tools: { listChanged: false } }, instructions: messages.INSTRUCTIONS },
  );
  offerSessions(server, sessions);
  const calls = new ToolCalls(server, openCalls, waiting);
  for (const tool of OWN_TOOLS) {
    const config = {
      description: tool.description,
      inputSchema: fromJsonSchema<JsonObject>({ ...tool.parameters }),
      annotations: { readOnlyHint: tool.effect === 'read', openWorldHint: tool.effect === 'exec' },
    };
    server.registerTool(nameOf(tool), config, (args, context) => calls.run(tool, args, context));
  }
  return server;
}

/** The name of a tool for clients, which know the server by a name of their own. */
function nameOf({ name }: Tool): string {
  return name.slice('aish.'.length);
}

class ToolCalls {
  readonly #server: McpServer;
  readonly #openCalls: OpenCalls;
  readonly #waiting: WaitingCalls;

  constructor(server: McpServer, openCalls: OpenCalls, waiting: WaitingCalls) {
    this.#waiting = waiting;
    this.#server = server;
    this.#openCalls = openCalls;
  }

  async run(tool: Tool, args: JsonObject, context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const state = context.mcpReq.requestState<string>();
    if (state !== undefined) return this.#goOn(state, context);
    const from = this.#clientName(context);
    const session = await this.#openCalls(from);
    const call = await session.begin({ name: tool.name, arguments: args }, from, context.mcpReq.signal);
    return this.#follow(call, context);
  }

  /** The client calls again with the answer of its user. */
  async #goOn(state: string, context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const waiting = this.#waiting.get(state);
    if (waiting === undefined) return toResult(messages.EXPIRED, true);
    this.#waiting.delete(state);
    clearTimeout(waiting.timer);
    waiting.call.watch(context.mcpReq.signal);
    waiting.call.answer(toAnswer(context.mcpReq.inputResponses?.approval));
    return this.#follow(waiting.call, context);
  }

  async #follow(call: RunningCall, context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    for (;;) {
      const step = await call.next();
      if (step.type === 'ended') return toResult(step.result.text, step.result.isError);
      if (!this.#canAsk(context)) call.answer('nobody');
      else if (context.mcpReq.envelope !== undefined) return this.#waitFor(call, step.question);
      else call.answer(await this.#ask(step.question, context));
    }
  }

  /** The newer protocol has no requests of a server: the client gets the question as the answer to its call. */
  #waitFor(call: RunningCall, question: string): InputRequiredResult {
    const state = crypto.randomUUID();
    call.watch(null);
    const giveUp = (): void => {
      this.#waiting.delete(state);
      call.answer('deny');
      void endCall(call);
    };
    this.#waiting.set(state, { call, timer: setTimeout(giveUp, PATIENCE_MS) });
    const approval = inputRequired.elicit(toForm(question));
    return inputRequired({ inputRequests: { approval }, requestState: state });
  }

  /** A client that cannot show the question has not allowed the call. */
  async #ask(question: string, { mcpReq }: ServerContext): Promise<CallAnswer> {
    try {
      return toAnswer(await mcpReq.elicitInput(toForm(question), { signal: mcpReq.signal, timeout: PATIENCE_MS }));
    } catch {
      return 'deny';
    }
  }

  #canAsk({ mcpReq }: ServerContext): boolean {
    const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope;
    const known = this.#server.server;
    const declared = envelope === undefined ? known.getClientCapabilities() : envelope[CLIENT_CAPABILITIES_META_KEY];
    const elicitation: unknown = isJsonObject(declared) ? declared.elicitation : undefined;
    return isJsonObject(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined);
  }

  #clientName({ mcpReq }: ServerContext): string {
    const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope;
    const client = envelope === undefined ? this.#server.server.getClientVersion() : envelope[CLIENT_INFO_META_KEY];
    return isJsonObject(client) && typeof client.name === 'string' ? client.name.slice(0, LONGEST_NAME) : 'client';
  }
}

/** Nobody waits for the call any more; the next one may begin. */
async function endCall(call: RunningCall): Promise<void> {
  for (let step = await call.next(); step.type !== 'ended'; step = await call.next()) call.answer('deny');
}

/** A form with a box to tick: an empty form could be accepted by a client that shows nothing. */
function toForm(message: string) {
  const allow = { type: 'boolean' as const, title: messages.APPROVE_TITLE, default: false };
  const requestedSchema = { type: 'object' as const, properties: { allow }, required: ['allow'] };
  return { mode: 'form' as const, message, requestedSchema };
}

function toAnswer(response: unknown): CallAnswer {
  if (!isJsonObject(response) || response.action !== 'accept' || !isJsonObject(response.content)) return 'deny';
  return response.content.allow === true ? 'allow' : 'deny';
}

function toResult(text: string, isError: boolean): CallToolResult {
  return { content: [{ type: 'text', text }], isError };
}

/** The stored sessions, and how to redact them. */
interface SessionsContext {
  readonly cwd: string;
  readonly paths: { readonly state: string; readonly cache: string };
  readonly secrets: () => Promise<SecretStore>;
}

/** How many sessions one answer lists. */
const LISTED = 50;
/** Most characters of one page of a session. */
const PAGE = 32_000;
const LONGEST_TITLE = 80;
const ADDRESS = /^aish:\/\/session\/([\w-]+)(?:\?page=(\d{1,6}))?$/;

/**
 * Offers the sessions of this directory as resources: a client that may run commands here sees what was done here before, and nothing of
 * other projects. A session is Markdown, in pages, with placeholders instead of secrets.
 */
function offerSessions(server: McpServer, context: SessionsContext): void {
  const low = server.server;
  low.registerCapabilities({ resources: {} });
  low.setRequestHandler('resources/list', async ({ params }) => listPage(Number(params?.cursor ?? 0), context));
  low.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: 'aish://session/{id}{?page}',
        name: 'session',
        description: messages.SESSION_TEMPLATE,
        mimeType: 'text/markdown',
      },
    ],
  }));
  low.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const text = await readPage(uri, context);
    return { contents: [{ uri, mimeType: 'text/markdown', text }] };
  });
}

async function listPage(from: number, context: SessionsContext) {
  const secrets = await context.secrets();
  const sessions = listHere(context);
  const at = Number.isSafeInteger(from) && from > 0 ? from : 0;
  const resources = sessions.slice(at, at + LISTED).map((session) => toResource(session, secrets));
  return { resources, ...(at + LISTED < sessions.length ? { nextCursor: String(at + LISTED) } : {}) };
}

function listHere({ cwd, paths }: SessionsContext): readonly ListedSession[] {
  return listIndexed({ stateDir: paths.state, cacheDir: paths.cache }, { cwd });
}

function toResource(session: ListedSession, secrets: SecretStore): Resource {
  const { id, changedAt, turns } = session;
  const lastModified = new Date(changedAt).toISOString();
  return {
    uri: `aish://session/${id}`,
    name: id,
    title: titleOf(session, secrets),
    description: messages.formatTurns(turns),
    mimeType: 'text/markdown',
    annotations: { lastModified },
  };
}

function titleOf({ id, name, firstText, firstCommand }: ListedSession, secrets: SecretStore): string {
  const [title = id] = (name ?? firstText ?? firstCommand ?? id).trim().split('\n');
  return cutHead(secrets.redact(title), LONGEST_TITLE);
}

/** One page of a session; each but the last one ends with the address of the next. */
async function readPage(uri: string, context: SessionsContext): Promise<string> {
  const [, wanted, number = '1'] = ADDRESS.exec(uri) ?? [];
  const session = listHere(context).find(({ id }) => id === wanted);
  if (session === undefined) throw new ResourceNotFoundError(uri);
  const secrets = await context.secrets();
  const recorded = readLog(session.path, () => {}).map((one) => ({
    ...one,
    event: redactEvent(one.event, secrets.cover),
  }));
  const formatTime = (at: number): string => new Date(at).toISOString();
  const pages = toPages(formatMarkdown(titleOf(session, secrets), toBlocks(recorded), formatTime));
  const page = pages[Number(number) - 1];
  if (page === undefined) throw new ResourceNotFoundError(uri);
  const next = Number(number) + 1;
  const rest =
    next > pages.length ? '' : messages.formatNextPage(pages.length, `aish://session/${wanted}?page=${next}`);
  return `${page}${rest}`;
}

function toPages(text: string): readonly string[] {
  const pages: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const page = cutHead(rest, PAGE);
    pages.push(page);
    rest = rest.slice(page.length);
  }
  return pages;
}
