import { expect } from 'bun:test';
import { toWireName } from '../../src/core/model/tool-name.ts';
import { chooseTools } from '../../src/engine/tools/tool-choice.ts';
import { createMcpHost } from '../support/mcp-server.ts';
import { startOAuthServer, visitAsUser } from '../support/oauth-server.ts';
import { survivors } from '../support/processes.ts';
import { type Answer, said, tools } from '../support/script.ts';
import { gets } from '../support/scripted-server.ts';
import { type Row, runRows } from './lab.ts';

/* Real hosts have failed at each of these rows. */

const signal = new AbortController().signal;
const CHANGED = { method: 'notifications/tools/list_changed' };
const progress = (at: number) => ({
  method: 'notifications/progress',
  params: { progressToken: '$token', progress: at },
});

function result(value: object): Answer {
  return { result: JSON.parse(JSON.stringify(value)) };
}

/** The environment and the arguments that the server was started with. */
function facts(seen: readonly object[]): { readonly env: readonly string[]; readonly pid: number } {
  const [{ env = [], pid = 0 } = {}] = seen as { env?: readonly string[]; pid?: number }[];
  return { env, pid };
}

const ROWS: readonly Row[] = [
  {
    row: 'a notice about a changed list counts although the server did not announce such notices',
    run: async (lab) => {
      await lab.start({
        'tools/list': [tools('echo'), tools('echo', 'more')],
        'tools/call': { ...said('fine'), before: [CHANGED] },
      });
      expect(await lab.names()).toEqual(['lab.echo']);
      await lab.call();
      expect(await lab.aish.lineWith('has new tools')).toBe('lab has new tools: more');
      expect(await lab.names()).toEqual(['lab.echo', 'lab.more']);
    },
  },
  {
    row: 'after a lost connection the next call opens another one, and its tools work',
    run: async (lab) => {
      await lab.start({ 'tools/call': [{ exit: 1 }, said('fine')] });
      const { code, message } = await lab.failure();
      expect([code, message.includes('the tool may have run')]).toEqual(['mcp.closed', true]);
      expect([await lab.call(), lab.status?.state]).toEqual(['fine', 'connected']);
    },
  },
  {
    row: 'a list under a wrong id ends at its time limit with a line, and holds up no other server',
    run: async (lab) => {
      const bad = await lab.serve({ 'tools/list': { ...tools('echo'), id: 4711 } });
      const good = await lab.serve({});
      // The other server is known already, so the short limit is not for it.
      const { stateDir, servers } = lab.host({ good: good.config });
      await servers.server('good').refresh(signal);
      lab.host({ lab: bad.config, good: good.config }, { limits: { listMs: 200 }, stateDir });
      const known = await lab.tools();
      expect([known.tools.map(({ name }) => name), known.missing]).toEqual([['good.echo'], ['lab']]);
      expect([lab.status?.state, lab.aish.lines.filter((line) => line.includes('"lab"')).length]).toEqual([
        'failed',
        1,
      ]);
    },
  },
  {
    row: 'progress is an event of the call',
    run: async (lab) => {
      await lab.start({ 'tools/call': { ...said('fine'), before: [progress(1), progress(2)] } });
      const seen: number[] = [];
      await lab.call('echo', {}, { onProgress: ({ progress: at }) => void seen.push(at) });
      expect(seen).toEqual([1, 2]);
    },
  },
  {
    row: 'the time limit of the configuration is the one that holds',
    run: async (lab) => {
      await lab.start({ 'tools/call': { isSilent: true } }, { timeout_ms: 40 });
      await lab.refresh();
      const { code, hint } = await lab.failure();
      expect([code, hint?.includes('timeout_ms in [mcp.servers.lab]')]).toEqual(['mcp.timeout', true]);
    },
  },
  {
    row: 'the tools of a known server are listed without a start or a request',
    run: async (lab) => {
      await lab.start({});
      await lab.names();
      const before = lab.server.seen().length;
      lab.again();
      expect([await lab.names(), lab.server.seen().length, lab.status?.state]).toEqual([['lab.echo'], before, 'idle']);
    },
  },
  {
    row: 'a server that takes more than a second to begin is waited for',
    run: async (lab) => {
      const slow = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      };
      await lab.start({ initialize: { ...result(slow), delayMs: 1200 } });
      expect(await lab.call()).toBe('fine');
    },
  },
  {
    row: 'no ping decides about a server while a call runs',
    run: async (lab) => {
      await lab.start({ 'tools/call': { ...said('fine'), delayMs: 300 }, ping: { isSilent: true } });
      expect([await lab.call(), lab.count('ping'), lab.starts]).toEqual(['fine', 0, 1]);
    },
  },
  {
    row: 'the model gets content and structured content, once where they are equal, and with an error too',
    run: async (lab) => {
      const structured = { degrees: 21 };
      const content = (text: string) => [{ type: 'text', text }];
      await lab.start({
        'tools/call': [
          result({ content: content('It is warm.'), structuredContent: structured }),
          result({ content: content('{"degrees": 21}'), structuredContent: structured }),
          result({ content: content('Broken.'), structuredContent: { code: 7 }, isError: true }),
        ],
      });
      const texts = [await lab.call(), await lab.call(), await lab.call()];
      expect(texts.map((text) => [text.match(/degrees/g)?.length ?? 0, /Broken\.[\s\S]*7/.test(text)])).toEqual([
        [1, false],
        [1, false],
        [0, true],
      ]);
      expect(texts[0]).toContain('It is warm.');
    },
  },
  {
    row: 'a result of five megabytes is whole',
    run: async (lab) => {
      await lab.start({ 'tools/call': said(`${'x'.repeat(5_000_000)}end`) });
      const text = await lab.call();
      expect([text.length, text.endsWith('end')]).toEqual([5_000_003, true]);
    },
  },
  {
    row: 'a login in another process counts in a session that runs, and its refresh token is used',
    ways: ['http'],
    run: async (lab) => {
      const server = lab.use(await startOAuthServer());
      const here = lab.host({ lab: { url: server.url } });
      expect((await lab.failure()).code).toBe('mcp.login');
      const other = createMcpHost({ lab: { url: server.url } }, { stateDir: here.stateDir });
      await other.servers.server('lab').login({ signal, present: (page) => void visitAsUser(page) });
      await other.servers.close();
      await lab.refresh();
      expect(await lab.call()).toBe('granted read');
      expect(server.seen.filter((step) => step === 'authorize')).toHaveLength(1);
    },
  },
  {
    row: 'no process of a server is left when the servers are closed',
    ways: ['stdio'],
    run: async (lab) => {
      await lab.start({});
      await lab.call();
      const { pid } = facts(lab.server.seen());
      await lab.aish.servers.close();
      expect(await survivors([pid])).toEqual([]);
    },
  },
  {
    row: 'a server gets a short safe environment and what its configuration adds',
    ways: ['stdio'],
    run: async (lab) => {
      await lab.start({}, { env: { MINE: 'yes' } }, { env: { OPENAI_API_KEY: 'sk-secret', LC_ALL: 'C.UTF-8' } });
      await lab.call();
      const { env } = facts(lab.server.seen());
      expect(env).toEqual(expect.arrayContaining(['HOME', 'LC_ALL', 'MINE', 'PATH']));
      expect(env).not.toContain('OPENAI_API_KEY');
    },
  },
  {
    row: 'tools with dots and with very long names are offered under names that every model API takes, and can be called',
    run: async (lab) => {
      const names = ['read.file', `long_${'x'.repeat(100)}`, `long_${'x'.repeat(99)}y`, 'ümlaut/slash'];
      await lab.start({ 'tools/list': tools(...names) });
      const offered = await lab.names();
      const wire = offered.map(toWireName);
      expect([new Set(wire).size, wire.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))]).toEqual([4, true]);
      for (const name of names) expect(await lab.call(name)).toBe('fine');
    },
  },
  {
    row: 'more tools than a model API takes are behind a search',
    run: async (lab) => {
      await lab.start({ 'tools/list': tools(...Array.from({ length: 140 }, (_, at) => `tool_${at}`)) });
      const { tools: known } = await lab.tools();
      const choice = chooseTools(known, 200_000);
      expect([known.length, choice.tools.length, choice.hidden.length]).toEqual([140, 2, 140]);
    },
  },
  {
    row: 'a call that is stopped is reported to the server, and the connection lives on',
    run: async (lab) => {
      await lab.start({ 'tools/call': [{ isSilent: true }, said('fine')] });
      const stop = new AbortController();
      const failing = lab.aish.servers.call('lab.echo', {}, stop.signal).catch((error: { code: string }) => error.code);
      await gets(lab.server, 'tools/call');
      stop.abort();
      expect(await failing).toBe('mcp.cancelled');
      await gets(lab.server, 'notifications/cancelled');
      expect([await lab.call(), lab.starts]).toEqual(['fine', 1]);
    },
  },
];

runRows(ROWS);
