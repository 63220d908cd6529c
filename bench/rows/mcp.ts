import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { McpServers } from '../../src/adapters/mcp/servers.ts';
import { OutputStore } from '../../src/adapters/store/outputs.ts';
import { SessionOutputs } from '../../src/engine/shell/session-outputs.ts';
import { chooseTools } from '../../src/engine/tools/tool-choice.ts';
import { keepText } from '../../src/engine/tools/tool-outputs.ts';
import { type Answers, hello, said, tools } from '../../test/support/script.ts';
import type { Place } from '../place.ts';
import { inTurn, type Measured, median, type Row } from '../row.ts';
import { anyText, openScreen } from '../screen.ts';

const signal = new AbortController().signal;
const FIXTURE = join(import.meta.dir, '../../test/fixtures/mcp/by-script.ts');
const MB = 1_000_000;
const SLOW_MS = 1500;
const SLOW = ['one', 'two', 'three', 'four'];

/** The cost of MCP servers in use: a call, slow starts, very many tools, very long results. */
export const mcp: Row = {
  name: 'mcp',
  async measure(place) {
    return [
      await measureCall(place),
      ...(await measureSlowStarts(place)),
      ...(await measureManyTools(place)),
      ...(await measureLongResults(place)),
    ];
  },
};

/** The command of a server that answers by a script. */
function serverOf(place: Place, answers: Answers): { readonly command: string; readonly args: readonly string[] } {
  const folder = mkdtempSync(join(place.root, 'server-'));
  const [script, log] = [join(folder, 'script.json'), join(folder, 'log')];
  writeFileSync(script, JSON.stringify(answers));
  writeFileSync(log, '');
  return { command: process.execPath, args: [FIXTURE, script, log] };
}

function open(place: Place, servers: Readonly<Record<string, ReturnType<typeof serverOf>>>): McpServers {
  const stateDir = mkdtempSync(join(place.root, 'state-'));
  const { env, work: cwd } = place;
  return new McpServers({ servers, stateDir, cwd, env, version: 'bench', onStatus: () => {} });
}

/** The same call through aish and through the bare package, in turn. */
async function measureCall(place: Place): Promise<Measured> {
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const server = serverOf(place, {});
  const servers = open(place, { lab: server });
  const client = new Client({ name: 'bare', version: '1' });
  await client.connect(new StdioClientTransport({ ...server, args: [...server.args] }));
  await client.listTools();
  const [aish = [], bare = []] = await inTurn(300, [
    () => timed(() => servers.call('lab.echo', {}, signal)),
    () => timed(() => client.callTool({ name: 'echo', arguments: {} })),
  ]);
  await Promise.all([servers.close(), client.close()]);
  const floor = median(bare);
  return {
    what: 'MCP: what aish adds to a warm call',
    unit: 'ms',
    values: aish.map((value) => value - floor),
    baseline: { what: 'the whole call, bare', values: bare },
    atMost: 1,
  };
}

async function measureSlowStarts(place: Place): Promise<readonly Measured[]> {
  const answers: Answers = { initialize: { ...hello(), delayMs: SLOW_MS } };
  const values: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const servers = open(place, Object.fromEntries(SLOW.map((alias) => [alias, serverOf(place, answers)])));
    values.push(await timed(() => servers.tools({ waitMs: 60_000, signal })));
    await servers.close();
  }
  const sections = SLOW.map((alias) => {
    const { command, args } = serverOf(place, answers);
    return `[mcp.servers.${alias}]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\n`;
  });
  const withServers = { ...place.env, AISH_CONFIG: place.configure('slow', sections.join('')) };
  const prompt = async (env: Place['env']): Promise<number> => {
    const screen = openScreen([place.aish], env, place.work);
    const at = await screen.until(anyText, 'a prompt');
    await screen.close();
    return at - screen.startedAt;
  };
  const [plain = [], added = []] = await inTurn(9, [() => prompt(place.env), () => prompt(withServers)]);
  return [
    { what: 'MCP: four servers that take 1.5 s each, connected', unit: 'ms', values, atMost: 3500 },
    {
      what: 'MCP: what these four add to the first prompt',
      unit: 'ms',
      values: added.map((value, at) => value - (plain[at] ?? Number.NaN)),
      atMost: 3,
    },
  ];
}

async function measureManyTools(place: Place): Promise<readonly Measured[]> {
  const list = Array.from({ length: 5000 }, (_, at) => ({
    name: `tool_${at}`,
    description: `Does thing number ${at} to a file of the project, and reports the outcome.`,
    inputSchema: { type: 'object', properties: { path: { type: 'string' }, count: { type: 'integer' } } },
  }));
  const servers = open(place, { big: serverOf(place, { 'tools/list': tools(...list) }) });
  const server = servers.server('big');
  await server.refresh(signal);
  const values: number[] = [];
  for (let round = 0; round < 9; round += 1) values.push(await timed(() => server.refresh(signal)));
  const { tools: known } = await servers.tools({ waitMs: 0, signal });
  const offered = chooseTools(known, 200_000).tools;
  await servers.close();
  return [
    { what: 'MCP: 5,000 tools listed', unit: 'ms', values, atMost: 500 },
    { what: 'MCP: 5,000 tools in a request', unit: 'bytes', values: [JSON.stringify(offered).length], atMost: 8000 },
  ];
}

/** Three times the size may take three times as long, and a little more for what is collected meanwhile. */
async function measureLongResults(place: Place): Promise<readonly Measured[]> {
  const line = `${'x'.repeat(99)}\n`;
  const sized = (bytes: number) => said(line.repeat(bytes / line.length));
  const servers = open(place, {
    small: serverOf(place, { 'tools/call': sized(10 * MB) }),
    large: serverOf(place, { 'tools/call': sized(30 * MB) }),
  });
  const folder = join(place.root, 'outputs');
  mkdirSync(folder, { recursive: true });
  const outputs = new SessionOutputs({
    store: new OutputStore({ folder }),
    records: () => [],
    redact: (text) => text,
    tell: () => {},
  });
  const read = async (alias: string, bytes: number): Promise<number> => {
    const begun = performance.now();
    const { text } = await servers.call(`${alias}.echo`, {}, signal);
    const record = await keepText(
      { name: `${alias}.echo`, arguments: {} },
      { text, isError: false },
      { outputs, cwd: '/' },
    );
    const took = performance.now() - begun;
    let kept = 0;
    for (const block of outputs.blocks(record)) kept += block.length;
    if (kept !== bytes) throw new Error(`${kept} of ${bytes} bytes are kept`);
    return took;
  };
  const [small = [], large = []] = await inTurn(5, [() => read('small', 10 * MB), () => read('large', 30 * MB)]);
  await servers.close();
  const baseline = { what: '10 MB', values: small };
  return [
    { what: 'MCP: a result of 30 MB, whole under its handle', unit: 'ms', values: large, baseline, timesBaseline: 4 },
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
