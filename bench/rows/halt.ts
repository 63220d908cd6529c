import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { now } from '../clock.ts';
import type { Place } from '../place.ts';
import type { Measured, Row } from '../row.ts';
import { openPrompt, type Screen } from '../screen.ts';

const ROUNDS = 5;
/** A stream of 10 seconds. */
const MOST_PIECES = 2000;
const KEY = '\x1c';
/** The command has begun in earnest by then. */
const SETTLED_MS = 150;
const PATIENCE_MS = 5000;
const ENTER = '\r';
/** A key this soon after typing still belongs to the line. */
const TYPING_PAUSE_MS = 450;

/** A process that ignores signals. */
const STUBBORN = `sh -c 'trap "" INT TERM HUP; while :; do sleep 0.1; done' halt-me`;

/** The running work when the key is pressed: the model's answer, and a word in the command lines of all its processes. */
interface Case {
  readonly what: string;
  readonly answer: object;
  readonly marker: string | null;
  readonly isAsked?: true;
}

const CASES: readonly Case[] = [
  { what: 'a stream', answer: { content: 'word '.repeat(10) }, marker: null },
  { what: 'a command that ignores SIGTERM', answer: exec(STUBBORN), marker: 'halt-me', isAsked: true },
  {
    what: 'a daemon of two forks',
    answer: exec(`(setsid ${STUBBORN} >/dev/null 2>&1 &); sleep 60.123`),
    marker: 'halt-me',
    isAsked: true,
  },
  { what: 'a sandboxed command', answer: exec('sleep 61.234'), marker: 'sleep 61.234' },
  { what: 'an MCP call nobody answers', answer: call('stuck__hang', {}), marker: 'halt-server.mjs' },
];

/** From the key to the line that says nothing begins any more, and to the end of every process. */
export const halt: Row = {
  name: 'halt',
  async measure(place) {
    const lines: Measured[] = [];
    for (const one of CASES) lines.push(...(await measureCase(place, one)));
    return lines;
  },
};

async function measureCase(place: Place, one: Case): Promise<readonly Measured[]> {
  using model = startModel(one.answer);
  const env = { ...place.env, AISH_CONFIG: configure(place, model.url) };
  const said: number[] = [];
  const gone: number[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const screen = await openPrompt([place.aish], env, place.work);
    const times = await press(screen, one);
    await screen.close();
    if (round < 0) continue;
    said.push(times.said);
    gone.push(times.gone);
  }
  const what = `halt of ${one.what}`;
  const stopped: Measured = { what: `${what}: key to nothing begins`, unit: 'ms', values: said, atMost: 100 };
  if (one.marker === null) return [stopped];
  return [stopped, { what: `${what}: key to all processes gone`, unit: 'ms', values: gone, atMost: 2000 }];
}

async function press(screen: Screen, { marker, isAsked }: Case): Promise<{ said: number; gone: number }> {
  screen.write(`?go${ENTER}`);
  if (isAsked === true) {
    await screen.until((plain) => plain.includes('[d] deny'), 'the question');
    await Bun.sleep(TYPING_PAUSE_MS);
    screen.write('y');
  }
  if (marker === null) await screen.until((plain) => plain.includes('word word'), 'the stream');
  else await until(() => isRunning(marker));
  await Bun.sleep(SETTLED_MS);
  screen.forget();
  const pressedAt = now();
  screen.write(KEY);
  const said = (await screen.until((plain) => plain.includes('halted'), 'the halt')) - pressedAt;
  if (marker !== null) await until(() => !isRunning(marker));
  return { said, gone: now() - pressedAt };
}

/** The bench can only look at processes that are not its children. */
async function until(holds: () => boolean): Promise<void> {
  const deadline = now() + PATIENCE_MS;
  while (!holds() && now() < deadline) await Bun.sleep(2);
}

function isRunning(marker: string): boolean {
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return words.includes(marker);
    } catch {
      return false; // It has ended meanwhile.
    }
  });
}

function exec(command: string): object {
  return call('aish__exec', { command });
}

function call(name: string, args: object): object {
  return { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name, arguments: JSON.stringify(args) } }] };
}

/** A model that gives one answer and does not end it where it is text. */
function startModel(answer: object): { readonly url: string } & Disposable {
  const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: answer }] })}\n\n`;
  const isText = 'content' in answer;
  const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}\n\ndata: [DONE]\n\n`;
  async function* answerBody(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(isText ? chunk : chunk + end);
    // Nobody reads on after the halt.
    for (let count = 0; isText && count < MOST_PIECES; count += 1) {
      await Bun.sleep(5);
      yield new TextEncoder().encode(chunk);
    }
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      if (request.method === 'GET') return Response.json({ object: 'list', data: [{ id: 'bench', object: 'model' }] });
      await request.text();
      return new Response(answerBody(), { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, [Symbol.dispose]: () => void server.stop(true) };
}

/** A server that takes calls and never answers anything after. */
const SERVER = `const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
process.on('SIGTERM', () => {});
for await (const line of console) {
  const { id, method } = JSON.parse(line);
  const info = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'stuck', version: '1' } };
  const tools = [{ name: 'hang', description: 'Hangs', inputSchema: { type: 'object', properties: {} } }];
  if (method === 'initialize') say({ id, result: info });
  else if (method === 'tools/list') say({ id, result: { tools } });
  else if (method === 'tools/call') {
    while (true);
  }
}
`;

function configure(place: Place, url: string): string {
  const server = join(place.root, 'halt-server.mjs');
  if (!existsSync(server)) writeFileSync(server, SERVER);
  const stuck = `[mcp.servers.stuck]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(server)}]\n`;
  const path = join(place.root, 'halt.toml');
  const rules = '[mcp.auto_approve]\n"stuck.*" = true\n';
  writeFileSync(path, `model = "halt"\n${stuck}${rules}[models.halt]\nbase_url = "${url}"\n`, { mode: 0o600 });
  return path;
}
