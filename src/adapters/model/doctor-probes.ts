import { placeFor } from '../../core/model/reasoning.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { AnswerOrigin, Message, MessageToolCall, ModelRequest, OfferedTool } from '../../protocol/model.ts';

/* The requests of an examination. */

const READ_FILE: OfferedTool = makeTool('aish__read_file', 'Read a text file.', { path: { type: 'string' } }, ['path']);

/** As many tools, and a type as varied, as the tools of MCP servers bring. */
const TOOLS: readonly OfferedTool[] = [
  READ_FILE,
  makeTool('aish__list_files', 'List the files of a folder.', { folder: { type: ['string', 'null'] } }),
  ...['copy', 'move', 'rename', 'delete', 'compare', 'count'].map((verb) =>
    makeTool(`files__${verb}`, `Not needed now: ${verb} files.`, { path: { type: 'string' } }),
  ),
];

/** The schemas of the tools by name. */
export const OFFERED: ReadonlyMap<string, JsonObject> = new Map(TOOLS.map((tool) => [tool.name, tool.parameters]));

const SYSTEM = 'You test a server. Follow each instruction exactly and briefly.';
const WANTED = 'Call the tool aish__read_file with the path note.txt. Then say in one sentence what the file says.';
const RESULT = 'The sea is blue.';

/** The first request of an examination: it asks for a call. */
export const ASK_FOR_CALL: ModelRequest = {
  messages: [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: WANTED },
  ],
  tools: TOOLS,
};

export const ASK_FOR_TWO: ModelRequest = {
  messages: [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: 'Read a.txt and b.txt: make both calls of aish__read_file in this one answer.' },
  ],
  tools: [READ_FILE],
};

/** The conversation after the calls, with their results. */
export function toResultRequest(told: Message, calls: readonly MessageToolCall[]): ModelRequest {
  const results = calls.map(({ id }) => ({ role: 'tool', toolCallId: id, content: RESULT }) as const);
  return { messages: [...ASK_FOR_CALL.messages, told, ...results], tools: TOOLS };
}

const SAY_READY: Message = { role: 'user', content: 'Say: ready' };

export const HELLO: ModelRequest = { messages: [SAY_READY], tools: [] };

/** No server has a model of this name. */
export const NO_SUCH_MODEL = 'aish-doctor-no-such-model';

export const DOTTED_NAME: ModelRequest = {
  messages: [SAY_READY],
  tools: [makeTool('aish.read_file', 'Read a text file.', { path: { type: 'string' } }, ['path'])],
};

export const SAME_ROLE: ModelRequest = { messages: [{ role: 'user', content: 'Be brief.' }, SAY_READY], tools: [] };

/** The turns of a call that another server made. */
function madeBy(id: string, next: Message): readonly Message[] {
  const toolCalls = [{ id, name: READ_FILE.name, arguments: '{"path":"note.txt"}' }];
  return [{ role: 'user', content: WANTED }, { role: 'assistant', content: '', toolCalls }, next];
}

const LONG = 'call_0123456789abcdefghijklmnopqrstuvwxyz';

export const LONG_ID: ModelRequest = {
  messages: madeBy(LONG, { role: 'tool', toolCallId: LONG, content: RESULT }),
  tools: [READ_FILE],
};

/** Turns of tools for a server that takes no tools. */
export const TURNS_WITHOUT_TOOLS: ModelRequest = {
  messages: madeBy('call00000', { role: 'tool', toolCallId: 'call00000', content: RESULT }),
  tools: [],
};

/** A call without its result, for a server that refuses results. */
export const CALL_WITHOUT_RESULT: ModelRequest = { messages: madeBy('call00000', SAY_READY), tools: [] };

/** Whether the reasoning stood in the answer between tags. */
export function isTagged(origin: AnswerOrigin | undefined): boolean {
  return origin !== undefined && placeFor(origin, origin.model)?.tags !== undefined;
}

function makeTool(
  name: string,
  description: string,
  properties: JsonObject,
  required: readonly string[] = [],
): OfferedTool {
  return { name, description, parameters: { type: 'object', properties, required } };
}
