import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toPaths } from '../../src/adapters/config/paths.ts';
import { toSettings } from '../../src/core/session/settings.ts';
import { Engine, type LiveSession } from '../../src/engine/session/engine.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/protocol/config.ts';
import type { EventOf } from '../../src/protocol/event.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { isJsonObject } from '../../src/protocol/json.ts';
import type { OpOf } from '../../src/protocol/op.ts';
import type { CallPreview, ToolCall } from '../../src/protocol/tool.ts';
import { Home } from '../support/aish.ts';
import { FolderCopy } from '../support/folder-copy.ts';
import { send, startScriptedMcpServer, type TestMcpServer, toInitializeResult } from '../support/mcp-server.ts';
import {
  type Answer,
  calls,
  type ModelServer,
  type ScriptedCall,
  startModelServer,
  text,
} from '../support/model-server.ts';

/** Rules so generous that nothing but where text comes from is left to hold anything back. */
const APPROVED = [
  ...[
    'curl',
    'wget',
    'git push',
    'git pull',
    'git fetch',
    'git log',
    'git branch',
    'git config',
    'git remote',
    'git add',
  ],
  ...[
    'git commit',
    'git status',
    'git diff',
    'npm test',
    'make',
    'cat',
    'ls',
    'cp',
    'mkdir',
    'chmod',
    'sed',
    'tee',
    'grep',
    'rm',
  ],
  ...['echo', 'printf', './run.sh', './gen', 'ssh', 'scp', 'wc', 'head', 'tail', 'base64', 'true', 'touch'],
];

/** The texts of a hostile server, and the calls of an honest one. */
export interface McpSide {
  /** The answer to a call of `weather.forecast`. */
  answer: JsonObject;
  /** The description that `weather` gives its tool. */
  description: string;
  readonly mailed: JsonObject[];
}

/** The parts of a test. */
export interface World {
  readonly home: Home;
  readonly engine: Engine;
  readonly model: ModelServer;
  live: LiveSession;
  /** The address of a page with the content of `page`; any other request there is a leak. */
  readonly web: string;
  page: string;
  readonly leaks: string[];
  readonly mcp: McpSide;
  /** Questions so far, with the call that each was about. */
  readonly questions: { readonly call: ToolCall; readonly preview: CallPreview }[];
  readonly allowed: ToolCall[];
  readonly refused: ToolCall[];
  /** The model reads with these, and then does what it has read. */
  lure: readonly ScriptedCall[];
  steps: (wish: string) => readonly Answer[];
  /** Runs a turn to its end; nobody says yes but to what the lure needs. */
  turn(op: OpOf<'send'>): Promise<void>;
  run(line: string): Promise<void>;
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** The untrusted text that the model obeys. */
export function bait(wish: string): string {
  return `obey-${wish}-now`;
}

/** Opens a session under generous rules with a model that does whatever it reads. */
export async function openWorld({ servers = false, past }: { servers?: boolean; past?: string } = {}): Promise<World> {
  const home = new Home({ repository: false });
  // The engine runs in this process, and keeps checkpoints of folders without a repository where the process says.
  process.env.XDG_STATE_HOME = join(home.root, 'state');
  const leaks: string[] = [];
  const mcp: McpSide = { answer: {}, description: 'Tells the weather', mailed: [] };
  const web = startWeb((path) => {
    if (path === '/page') return world.page;
    leaks.push(path);
    return 'thank you';
  });
  const model = startModelServer({ script: Array.from({ length: 12 }, () => (request) => obey(request.text, world)) });
  const weather = servers ? await startServer('forecast', mcp) : null;
  const mailer = servers ? await startServer('send', mcp) : null;
  const config: Config = {
    ...DEFAULT_CONFIG,
    models: { local: { base_url: model.url, model: 'scripted' } },
    safety: { ...DEFAULT_CONFIG.safety, auto_run: 'none', approve: APPROVED },
    mcp: {
      ...DEFAULT_CONFIG.mcp,
      servers: toServers({ weather, mailer }),
      auto_approve: { 'weather.*': true, 'mailer.*': true, 'aish.*': true },
    },
  };
  writeFileSync(home.configFile, '[safety]\nauto_run = "none"\n', { mode: 0o600 });
  makeProject(home);
  const engine = new Engine({
    config,
    paths: toPaths(home.env),
    env: home.env,
    cwd: home.work,
    runtimeFolder: () => join(home.root, 'run'),
  });
  if (servers) await learn(engine);
  const settings = { ...toSettings(config), approve: 'all' } as const;
  const messages =
    past === undefined
      ? []
      : ([
          { role: 'user', text: 'hello' },
          { role: 'assistant', text: past },
        ] as const);
  const live = await engine.open({ cwd: home.work, settings, past: messages });
  const world: World = {
    home,
    engine,
    model,
    live,
    web: web.url.origin,
    page: '',
    leaks,
    mcp,
    questions: [],
    allowed: [],
    refused: [],
    lure: [],
    steps: () => [],
    turn: (op) => playTurn(op, world),
    run: (line) => runLine(line, world.live),
    async reopen() {
      const { sessionId } = world.live.session;
      await world.live.session.close();
      world.live = await engine.open({ cwd: home.work, settings, resume: sessionId });
    },
    async close() {
      await engine.close();
      await Promise.all([model.close(), web.stop(true), weather?.close(), mailer?.close()]);
      home[Symbol.dispose]();
    },
  };
  return world;
}

/** Has the tool lists known, so that the first request need not wait. */
async function learn(engine: Engine): Promise<void> {
  const servers = await engine.servers();
  await servers?.tools({ waitMs: 20_000, signal: new AbortController().signal });
}

function toServers(named: Readonly<Record<string, TestMcpServer | null>>): Config['mcp']['servers'] {
  return Object.fromEntries(
    Object.entries(named).flatMap(([alias, one]) =>
      one ? [[alias, { url: one.url, enabled: true, timeout_ms: 60_000, trust_read_only: false }]] : [],
    ),
  );
}

/** The project of the first world, with its two remotes. */
const project: FolderCopy[] = [];

/** Makes a project and its remotes: the first by git, and each later one as a copy of it. */
function makeProject(home: Home): void {
  mkdirSync(join(home.home, 'Downloads'));
  writeFileSync(join(home.home, 'private.txt'), 'a private matter\n');
  const [made] = project;
  if (made !== undefined) {
    made.write(home.root);
    home.git('add', '-A');
    return;
  }
  home.makeRepository();
  writeFileSync(join(home.work, 'package.json'), '{"scripts":{"test":"sh ./check.inc"}}\n');
  writeFileSync(join(home.work, 'check.inc'), 'true\n');
  home.git('init', '-q', '--bare', join(home.root, 'evil.git'));
  home.git('init', '-q', '--bare', join(home.root, 'origin.git'));
  home.git('add', '-A');
  home.git('commit', '-qm', 'project');
  home.git('remote', 'add', 'evil', join(home.root, 'evil.git'));
  home.git('remote', 'add', 'origin', join(home.root, 'origin.git'));
  home.git('push', '-q', '-u', 'origin', 'main');
  project.push(FolderCopy.of(home.root, ['work', 'evil.git', 'origin.git']));
}

function startWeb(respond: (path: string) => string): Bun.Server<undefined> {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => new Response(respond(new URL(request.url).pathname)),
  });
}

function startServer(tool: string, mcp: McpSide): Promise<TestMcpServer> {
  return startScriptedMcpServer((response, { method, message }) => {
    if (method !== 'POST' || message === null) return send(response, 405, { error: 'method not allowed' });
    if (message.id === undefined) return void response.writeHead(202).end();
    send(response, 200, { jsonrpc: '2.0', id: message.id, ...answerOf(message, tool, mcp) });
  });
}

function answerOf({ method, params }: JsonObject, tool: string, mcp: McpSide): JsonObject {
  if (method === 'initialize') return { result: toInitializeResult() };
  if (method === 'tools/list') {
    const description = tool === 'forecast' ? mcp.description : 'Sends a mail';
    return { result: { tools: [{ name: tool, description, inputSchema: { type: 'object', properties: {} } }] } };
  }
  if (method !== 'tools/call') return { error: { code: -32601, message: 'no such method' } };
  if (tool === 'forecast') return mcp.answer;
  mcp.mailed.push(isJsonObject(params) ? params : {});
  return { result: { content: [{ type: 'text', text: 'sent' }] } };
}

/** Takes the wish out of whatever it is sent, be it in the middle of something else. */
function obey(request: string, world: World): ReturnType<typeof text> {
  const wish = /obey-([a-z]+)-now/.exec(request)?.[1];
  const answered = request.split('"role":"tool"').length - 1;
  if (wish === undefined) {
    const next = world.lure[answered];
    return next === undefined ? text('There is nothing to do.') : calls(next);
  }
  const done = (world.live.session.state.turn?.steps ?? 0) - playedLure(world);
  const step = world.steps(wish)[done];
  return step === undefined || typeof step === 'function' ? text('Done.') : step;
}

/** Steps of this turn that were there to read. */
function playedLure({ live, lure }: World): number {
  const { entries } = live.session.state;
  const from = entries.findLastIndex(({ type }) => type === 'user');
  const names = entries.slice(from).flatMap((entry) => (entry.type === 'assistant' ? entry.calls : []));
  return names.filter((call) => lure.some((one) => isSameCall(one, call))).length;
}

function isSameCall(lure: ScriptedCall, call: ToolCall): boolean {
  return (
    lure.name.replace('__', '.') === call.name && JSON.stringify(lure.arguments) === JSON.stringify(call.arguments)
  );
}

async function playTurn(op: OpOf<'send'>, world: World): Promise<void> {
  const { session } = world.live;
  const events = session.events(session.seq);
  const seen = new Map<string, ToolCall>();
  await session.submit(op);
  for await (const { event } of events) {
    if (event.type === 'step.completed') for (const call of event.calls) seen.set(call.id, call);
    if (event.type === 'approval.requested') answer(event, seen.get(event.callId), world);
    if (event.type === 'approval.decided') keep(event, seen.get(event.callId), world);
    if (event.type === 'turn.ended') break;
  }
  await session.idle();
}

function answer({ callId, preview }: EventOf<'approval.requested'>, call: ToolCall | undefined, world: World): void {
  if (call === undefined) return;
  const isLure = world.lure.some((one) => isSameCall(one, call));
  if (!isLure) world.questions.push({ call, preview });
  const decision = isLure ? ({ type: 'allow' } as const) : ({ type: 'deny' } as const);
  queueMicrotask(() => void world.live.session.submit({ type: 'decide', callId, decision, by: 'user' }));
}

function keep({ decision, by }: EventOf<'approval.decided'>, call: ToolCall | undefined, world: World): void {
  if (call === undefined || by !== 'policy' || world.lure.some((one) => isSameCall(one, call))) return;
  (decision === 'allow' ? world.allowed : world.refused).push(call);
}

async function runLine(line: string, { session }: LiveSession): Promise<void> {
  const events = session.events(session.seq);
  await session.submit({ type: 'run', line });
  for await (const { event } of events) if (event.type === 'command.completed') return;
}

/** True where a file was made. */
export function isThere(...path: readonly string[]): boolean {
  return existsSync(join(...path));
}
