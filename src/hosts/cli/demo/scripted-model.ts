import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import { formatLongest, formatMended, formatWritten, NO_OUTPUT, NOT_WRITTEN } from './messages.ts';

/** A model that plays its part from a script, over the wire any other one uses. */
interface ScriptedModel {
  /** For `base_url`. */
  readonly url: string;
  close(): Promise<void>;
}

/** The file the demo's change goes to. */
export const LIST_FILE = 'tasks.txt';

/** The text that the demo's model writes into it. */
const LONGER_LIST = 'buy oat milk\nwater the plants\ncall Ada\nship the release\n';

/** The file that the model of the autonomous run mends, and its content then. */
export const PROGRAM_FILE = 'shop/total.sh';
const MENDED = 'total=0\nfor price in "$@"; do total=$((total + price)); done\necho "$total"\n';

type Answer =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly arguments: JsonObject };

const encoder = new TextEncoder();

/** Starts the scripted model on a free port of loopback. `pauseMs` is the time between two words. */
export function startScriptedModel(pauseMs: number): ScriptedModel {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      if (request.method !== 'POST') return Response.json({ object: 'list', data: [{ id: 'scripted' }] });
      const body: unknown = await request.json();
      const pieces = toPieces(chooseAnswer(readMessages(body)));
      return new Response(stream(pieces, pauseMs), { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, close: () => server.stop(true) };
}

interface Asked {
  readonly role: Json | undefined;
  readonly content: string;
}

function readMessages(body: unknown): readonly Asked[] {
  const messages = isJsonObject(body) && Array.isArray(body.messages) ? body.messages : [];
  return messages.filter(isJsonObject).map(({ role, content }) => {
    return { role, content: typeof content === 'string' ? content : '' };
  });
}

/** The script. It looks at what it was sent, so what it says of the command is what the request really held. */
function chooseAnswer(messages: readonly Asked[]): Answer {
  const last = messages.at(-1) ?? { role: 'user', content: '' };
  if (messages.some(({ content }) => content.includes('[aish] You work alone'))) return chooseForRun(messages);
  if (last.role === 'tool') return { type: 'text', text: answerToResult(last.content) };
  if (last.content.includes('Add'))
    return { type: 'call', name: 'aish__write_file', arguments: { path: LIST_FILE, content: LONGER_LIST } };
  return { type: 'text', text: answerAboutOutput(last.content) };
}

/** The script of the autonomous run: it reads the program, mends it, and says so. */
function chooseForRun(messages: readonly Asked[]): Answer {
  const results = messages.filter(({ role }) => role === 'tool').length;
  if (results === 0) return { type: 'call', name: 'aish__exec', arguments: { command: `cat ${PROGRAM_FILE}` } };
  if (results > 1) return { type: 'text', text: formatMended(PROGRAM_FILE) };
  return { type: 'call', name: 'aish__write_file', arguments: { path: PROGRAM_FILE, content: MENDED } };
}

function answerAboutOutput(request: string): string {
  const counts = [...request.matchAll(/^\s*(\d+) (\S+\.txt)$/gm)].map(([, lines = '', file = '']) => ({ lines, file }));
  const longest = counts.toSorted((a, b) => Number(b.lines) - Number(a.lines))[0];
  if (longest === undefined) return NO_OUTPUT;
  return formatLongest(longest.file, longest.lines);
}

function answerToResult(result: string): string {
  if (result.startsWith('[aish]')) return NOT_WRITTEN;
  return formatWritten(LIST_FILE);
}

function toPieces(answer: Answer): readonly JsonObject[] {
  if (answer.type === 'text') return (answer.text.match(/(?<!\s)\s*\S+/g) ?? []).map((content) => ({ content }));
  const raw = JSON.stringify(answer.arguments);
  const head = { index: 0, id: 'demo00001', type: 'function', function: { name: answer.name, arguments: '' } };
  const parts = raw.match(/.{1,24}/gs) ?? [];
  return [
    { tool_calls: [head] },
    ...parts.map((part) => ({ tool_calls: [{ index: 0, function: { arguments: part } }] })),
  ];
}

async function* stream(pieces: readonly JsonObject[], pauseMs: number): AsyncGenerator<Uint8Array> {
  const isCall = pieces.some((piece) => 'tool_calls' in piece);
  for (const delta of pieces) {
    if (pauseMs > 0) await Bun.sleep(pauseMs);
    yield toEvent({ delta, finish_reason: null });
  }
  yield toEvent({ delta: {}, finish_reason: isCall ? 'tool_calls' : 'stop' });
  yield encoder.encode('data: [DONE]\n\n');
}

function toEvent(choice: JsonObject): Uint8Array {
  const chunk = { id: 'demo', object: 'chat.completion.chunk', model: 'scripted', choices: [{ index: 0, ...choice }] };
  return encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`);
}
