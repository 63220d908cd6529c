import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  fromJsonSchema,
  type InputRequiredResult,
  inputRequired,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { OWN_TOOLS } from '../../engine/tools/toolbox.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Tool } from '../../protocol/tool.ts';
import { VERSION } from '../../protocol/version.ts';
import type { CallAnswer, CallSession, RunningCall } from './call-session.ts';
import * as messages from './messages.ts';
import { offerSessions, type SessionsContext } from './session-resources.ts';

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
    const elicitation: unknown = isRecord(declared) ? declared.elicitation : undefined;
    return isRecord(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined);
  }

  #clientName({ mcpReq }: ServerContext): string {
    const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope;
    const client = envelope === undefined ? this.#server.server.getClientVersion() : envelope[CLIENT_INFO_META_KEY];
    return isRecord(client) && typeof client.name === 'string' ? client.name.slice(0, LONGEST_NAME) : 'client';
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
  if (!isRecord(response) || response.action !== 'accept' || !isRecord(response.content)) return 'deny';
  return response.content.allow === true ? 'allow' : 'deny';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value);
}

function toResult(text: string, isError: boolean): CallToolResult {
  return { content: [{ type: 'text', text }], isError };
}
