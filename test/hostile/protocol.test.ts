import { expect } from 'bun:test';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureServer } from '../support/conversation.ts';
import { survivors } from '../support/processes.ts';
import { type Answer, hello, MODERN, said, tools } from '../support/script.ts';
import { gets, requestsOf } from '../support/scripted-server.ts';
import { useFolder } from '../support/test-folder.ts';
import { type Row, runRows } from './lab.ts';

/* The protocol and its packages leave these matters to the host. */

const base = useFolder('hostile-protocol');

function nested(levels: number): string {
  return `${'{"type":"object","properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`;
}

/** A fixture with bad habits, and the diary that it keeps. */
function habits(...names: readonly string[]) {
  const diary = join(mkdtempSync(join(base, 'habits-')), 'diary');
  writeFileSync(diary, '');
  const [command = '', ...args] = fixtureServer('hostile.ts', diary, ...names);
  const pids = (): number[] =>
    readFileSync(diary, 'utf8')
      .match(/(?<=^\w+ )\d+/gm)
      ?.map(Number) ?? [];
  return { config: { command, args }, pids };
}

/** A server whose session is lost in the second request. */
const forgets = (lost: Answer) => ({ 'tools/call': [lost, said('fine')] });

const ROWS: readonly Row[] = [
  {
    row: 'a server that speaks only the newest revision is reached, and asked for it first the next time',
    run: async (lab) => {
      await lab.start(MODERN);
      expect(await lab.call()).toBe('fine');
      expect(lab.status?.era).toBe('modern');
      const before = lab.count('initialize');
      lab.again();
      expect(await lab.call()).toBe('fine');
      expect(lab.count('initialize')).toBe(before);
    },
  },
  {
    row: 'a server that speaks only the newest revision and ends at the older handshake is reached',
    ways: ['stdio'],
    run: async (lab) => {
      await lab.start({ ...MODERN, initialize: { exit: 2 } });
      expect([await lab.call(), lab.status?.era]).toEqual(['fine', 'modern']);
    },
  },
  {
    row: 'a server that knows only the older handshake is not asked for the newer one again',
    run: async (lab) => {
      await lab.start({});
      await lab.call();
      const before = lab.count('server/discover');
      lab.again();
      await lab.call();
      expect(lab.count('server/discover')).toBe(before);
    },
  },
  {
    row: 'a flood of noise beside the protocol blocks nothing, and its end stands in the error',
    ways: ['stdio'],
    run: async (lab) => {
      const { config } = habits('stderr-flood');
      const { servers } = lab.host({ lab: config });
      const result = await servers.call('lab.ok', {}, new AbortController().signal);
      expect(result.text).toBe('fine');
      expect((await lab.failure('die')).message).toContain('segmentation fault');
    },
  },
  {
    row: 'a server behind a wrapper, its helpers and its daemons end with the connection',
    ways: ['stdio'],
    run: async (lab) => {
      const { config, pids } = habits('ignore-term', 'grandchild', 'daemon', 'bare-daemon');
      const wrapped = ['-c', '"$@"; true', 'wrapper', config.command, ...config.args];
      const { servers } = lab.host({ lab: { command: '/bin/sh', args: wrapped } });
      await servers.call('lab.ok', {}, new AbortController().signal);
      expect(pids()).toHaveLength(4);
      await servers.disconnect('lab');
      expect(await survivors(pids())).toEqual([]);
    },
  },
  {
    row: 'an answer stream that ends without the answer fails the call at once, and nothing is sent again',
    run: async (lab) => {
      await lab.start({ 'tools/call': { endsStream: true } });
      const { code, message } = await lab.failure();
      expect([code, message.includes('the tool may have run')]).toEqual(['mcp.closed', true]);
      expect(lab.count('tools/call')).toBe(1);
    },
  },
  ...[
    { status: 404, raw: '{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}' },
    { status: 404, raw: 'not found' },
    { status: 400, raw: 'Bad Request: No valid session ID provided' },
  ].map(
    (lost): Row => ({
      row: `a session that is lost with status ${lost.status} and ${JSON.stringify(lost.raw).slice(0, 24)} is opened again, once`,
      ways: ['http'],
      run: async (lab) => {
        await lab.start(forgets(lost));
        expect(await lab.call()).toBe('fine');
        expect([lab.count('initialize'), lab.count('tools/call')]).toEqual([2, 2]);
      },
    }),
  ),
  {
    row: 'a bad tool costs itself and no other: without a name, no object, or with a schema of a thousand levels',
    run: async (lab) => {
      const deep = { name: 'deep', inputSchema: JSON.parse(nested(1000)) };
      await lab.start({ 'tools/list': tools('echo', { inputSchema: {} }, deep, { name: 'bare' }) });
      expect(await lab.names()).toEqual(expect.arrayContaining(['lab.bare', 'lab.deep', 'lab.echo']));
      expect(await lab.call()).toBe('fine');
    },
  },
  {
    row: 'a list that is no list is a failure, and not a server without tools',
    run: async (lab) => {
      await lab.start({ 'tools/list': { result: { tools: 'none' } } });
      await lab.tools();
      expect(lab.status).toMatchObject({ state: 'failed', error: expect.stringContaining('has no list of tools') });
    },
  },
  {
    row: 'a message over the limit ends in an error that names the limit, and one below it arrives whole',
    run: async (lab) => {
      const limits = { maxMessageBytes: 3_000_000 };
      await lab.start({ 'tools/call': [said('x'.repeat(2_900_000)), said('x'.repeat(3_100_000))] }, {}, { limits });
      expect((await lab.call()).length).toBe(2_900_000);
      expect((await lab.failure()).message).toContain('the server sent a message larger than 3 MB');
    },
  },
  {
    row: 'a server that cannot be reached is not started with every call',
    run: async (lab) => {
      await lab.start({ initialize: { exit: 1 } });
      const hints: (string | undefined)[] = [];
      for (let round = 0; round < 10; round += 1) hints.push((await lab.failure()).hint);
      expect(lab.starts).toBeLessThanOrEqual(6);
      expect(hints.some((hint) => /^aish tries again in \d+ s$/.test(hint ?? ''))).toBe(true);
    },
  },
  {
    row: 'a busy server is asked again after the time that it names, because it has done nothing',
    ways: ['http'],
    run: async (lab) => {
      const busy = { status: 429, headers: { 'retry-after': '0' }, raw: '{}' };
      await lab.start({ 'tools/call': [busy, { ...busy, status: 503 }, said('fine')] });
      expect([await lab.call(), lab.count('tools/call')]).toEqual(['fine', 3]);
    },
  },
  {
    row: 'a silent call ends at its time limit, and the server is told',
    run: async (lab) => {
      await lab.start({ 'tools/call': { isSilent: true } });
      await lab.refresh();
      expect((await lab.failure('echo', { timeoutMs: 30 })).code).toBe('mcp.timeout');
      const [notice] = await gets(lab.server, 'notifications/cancelled');
      // On a busy machine the call may end before the server has read it.
      const [request] = requestsOf(lab.server, 'tools/call');
      const requestId = request?.id ?? expect.any(Number);
      expect(notice?.params).toMatchObject({ requestId, reason: 'no progress within the time limit' });
    },
  },
  {
    row: 'aish announces only what it can do: nothing, or forms and pages if a user is there, and the model if that is allowed',
    run: async (lab) => {
      const capabilities = async (...given: [object?, object?]): Promise<unknown> => {
        await lab.start({}, ...given);
        await lab.refresh();
        const [request] = requestsOf(lab.server, 'initialize');
        return request?.params;
      };
      expect(await capabilities()).toMatchObject({ capabilities: {}, clientInfo: { name: 'aish', version: '9.9.9' } });
      expect(Object.keys(Object((await capabilities()) as object))).toContain('capabilities');
      expect(await capabilities({ sampling_tokens: 100 }, { asksUser: true })).toMatchObject({
        capabilities: { elicitation: { form: {}, url: {} }, sampling: {} },
      });
    },
  },
  {
    row: 'what a server asks of a host that does not offer it is refused at once, and a ping is answered',
    run: async (lab) => {
      const asked = ['roots/list', 'sampling/createMessage', 'elicitation/create', 'tools/list', 'ping'];
      const before = asked.map((method) => ({ id: method, method, params: {} }));
      await lab.start({ 'tools/call': { ...said('fine'), before, waits: true } });
      expect(await lab.call()).toBe('fine');
      const answers = lab.server.seen().filter(({ id }) => asked.includes(String(id)));
      expect(Object.fromEntries(answers.map(({ id, error }) => [id, Object(error).code ?? null]))).toEqual({
        ...Object.fromEntries(asked.map((method) => [method, -32601])),
        ping: null,
      });
    },
  },
  {
    row: 'a server without the capability is asked for no list',
    run: async (lab) => {
      await lab.start({ initialize: hello({ prompts: {} }) });
      expect((await lab.tools()).missing).toEqual([]);
      expect(lab.count('tools/list')).toBe(0);
    },
  },
];

runRows(ROWS);
