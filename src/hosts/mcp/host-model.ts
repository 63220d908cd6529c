import type { ModelEndpoint } from '../../adapters/model/models.ts';
import type { ModelSource } from '../../engine/requests/model-endpoints.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Completion, ModelRequest } from '../../protocol/model.ts';
import { TURN_DONE } from './messages.ts';

/** A call of the client. */
export interface ClientCall {
  /** `aish.exec` and so on. */
  readonly name: string;
  readonly arguments: JsonObject;
}

const UNUSED = 0;

/** No request leaves the process, so nothing waits for a server. */
const ENDPOINT: ModelEndpoint = {
  name: 'mcp-client',
  baseUrl: 'http://127.0.0.1:1',
  model: 'mcp-client',
  key: null,
  timeouts: { firstByteMs: UNUSED, idleMs: UNUSED, barrenMs: UNUSED },
};

/**
 * The client of the MCP server in the part of the model: a turn asks it for an answer and gets its call, and asks again with the result. So
 * approvals, checkpoints, secrets and the log are those of any other session.
 */
export class HostModel implements ModelSource {
  readonly endpoint = ENDPOINT;
  #next: ClientCall | null = null;
  #result: string | null = null;

  /** The next turn makes this call. */
  begin(call: ClientCall): void {
    this.#next = call;
    this.#result = null;
  }

  /** The result of the call as a model would read it; null if the turn ended before. */
  get result(): string | null {
    return this.#result;
  }

  complete({ messages }: ModelRequest): Completion {
    const call = this.#next;
    this.#next = null;
    if (call !== null) {
      const raw = { id: crypto.randomUUID(), name: call.name, arguments: JSON.stringify(call.arguments) };
      return { text: '', reasoning: '', toolCalls: [raw], finish: 'tool_calls' };
    }
    const last = messages.at(-1);
    if (last?.role === 'tool') this.#result = last.content;
    return { text: TURN_DONE, reasoning: '', toolCalls: [], finish: 'stop' };
  }
}
