import { describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { AISH, Home } from '../support/aish.ts';
import { descendants, survivors } from '../support/processes.ts';
import { until } from '../support/until.ts';

const LONG = 120_000;

interface Host {
  readonly client: Client;
  readonly pid: number;
  /** The questions to the user. */
  readonly questions: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Another folder and more variables for the server. */
interface Place {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const TOKEN = 'tok-8f2b61d09a7c4e35b1';

async function read({ client }: Host, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri });
  return contents.map((one) => ('text' in one ? one.text : '')).join('');
}

/** The official client with the real program as its server; `allow` answers its questions, and without it nobody can. */
async function connect(home: Home, allow?: boolean, revision?: string, place: Place = {}): Promise<Host> {
  const questions: string[] = [];
  const client = new Client(
    { name: 'test-host', version: '1.0.0' },
    {
      capabilities: allow === undefined ? {} : { elicitation: { form: {} } },
      ...(revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } }),
    },
  );
  if (allow !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: { allow } };
    });
  }
  const cwd = place.cwd ?? home.work;
  const env = { ...home.env, ...place.env };
  const transport = new StdioClientTransport({ command: AISH, args: ['mcp', 'serve'], cwd, env, stderr: 'pipe' });
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0, questions, [Symbol.asyncDispose]: () => client.close() };
}

async function call({ client }: Host, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  return { text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''), isError };
}

describe.each([undefined, '2026-07-28'])('aish mcp serve, revision %p', (revision) => {
  test(
    '[mcp.serve] lists its tools, reads, and writes what the user of the client allows; aish undo takes it back',
    async () => {
      using home = new Home();
      await using host = await connect(home, true, revision);
      const { tools } = await host.client.listTools();
      expect(tools.map(({ name }) => name).sort()).toEqual(['edit_file', 'exec', 'output', 'read_file', 'write_file']);
      expect((await call(host, 'read_file', { path: 'README' })).text).toContain('hello');
      host.questions.length = 0;
      const written = await call(host, 'write_file', { path: 'new.txt', content: 'from the client\n' });
      expect(written.isError).toBe(false);
      expect(host.questions).toHaveLength(1);
      expect(host.questions[0]).toContain('+from the client');
      expect(readFileSync(join(home.work, 'new.txt'), 'utf8')).toBe('from the client\n');
      const ran = await call(host, 'exec', { command: 'X=1; cd /; echo ran' });
      expect(ran.text).toContain('ran');
      expect((await call(host, 'exec', { command: 'echo $X in $PWD' })).text).toContain('1 in /');
      const { code, error } = await home.run(['undo']);
      expect({ code, error }).toEqual({ code: 0, error: '' });
      expect(existsSync(join(home.work, 'new.txt'))).toBe(false);
    },
    LONG,
  );

  test(
    '[mcp.serve] offers the sessions of its folder as resources, in pages and without secrets, and no others',
    async () => {
      using home = new Home();
      home.configure('[safety]\napprove = ["seq", "echo"]\n');
      const other = mkdtempSync(join(home.root, 'other-'));
      {
        await using elsewhere = await connect(home, undefined, revision, { cwd: other });
        await call(elsewhere, 'exec', { command: 'echo not for others' });
      }
      await using host = await connect(home, undefined, revision, { env: { SERVICE_TOKEN: TOKEN } });
      await call(host, 'exec', { command: `echo ${TOKEN}` });
      for (let round = 0; round < 12; round += 1) await call(host, 'exec', { command: `seq ${round} 2000` });
      const { resources } = await host.client.listResources();
      expect(resources.map(({ title }) => title)).toEqual(['MCP: test-host']);
      const [{ uri } = { uri: '' }] = resources;
      const first = await read(host, uri);
      const next = /aish:\/\/session\/\S+\?page=2/.exec(first)?.[0] ?? '';
      expect([first.startsWith('# MCP: test-host'), first.includes('echo '), next]).toEqual([
        true,
        true,
        `${uri}?page=2`,
      ]);
      const second = await read(host, next);
      expect([second.includes('seq 11 2000'), `${first}${second}`.includes(TOKEN)]).toEqual([true, false]);
      for (const bad of [`${uri}?page=99`, 'aish://session/none', 'file:///etc/passwd'])
        expect((await host.client.readResource({ uri: bad }).catch((error: Error) => error)) instanceof Error).toBe(
          true,
        );
    },
    LONG,
  );

  test(
    '[mcp.serve] what nobody allows does not run, and the client gets the reason',
    async () => {
      using home = new Home();
      await using silent = await connect(home, undefined, revision);
      const denied = await call(silent, 'write_file', { path: 'new.txt', content: 'x' });
      expect(denied.isError).toBe(true);
      expect(denied.text).toContain('does not support elicitation');
      expect(existsSync(join(home.work, 'new.txt'))).toBe(false);
      await using unwilling = await connect(home, false, revision);
      const refused = await call(unwilling, 'exec', { command: 'touch new.txt' });
      expect(refused.isError).toBe(true);
      expect(unwilling.questions).toHaveLength(1);
      expect(unwilling.questions[0]).toContain('touch new.txt');
      expect(existsSync(join(home.work, 'new.txt'))).toBe(false);
    },
    LONG,
  );
});

test(
  '[mcp.serve] the rules of the configuration allow and deny without a question, and a cancelled call makes room for the next',
  async () => {
    using home = new Home();
    home.configure('[safety]\napprove = ["touch", "echo", "sleep"]\ndeny = ["rm"]\n');
    writeFileSync(join(home.work, 'kept'), '');
    await using host = await connect(home);
    expect((await call(host, 'exec', { command: 'touch made' })).isError).toBe(false);
    expect(existsSync(join(home.work, 'made'))).toBe(true);
    expect((await call(host, 'exec', { command: 'rm kept' })).isError).toBe(true);
    expect(existsSync(join(home.work, 'kept'))).toBe(true);
    const stop = new AbortController();
    const command = 'touch begun; sleep 300';
    const begun = join(home.work, 'begun');
    const slow = host.client.callTool({ name: 'exec', arguments: { command } }, { signal: stop.signal });
    const behind = call(host, 'exec', { command: 'echo behind' });
    await until({ what: begun }, () => existsSync(begun), Boolean);
    stop.abort();
    expect(await slow.catch(() => 'cancelled')).toBe('cancelled');
    expect((await behind).text).toContain('behind');
  },
  LONG,
);

test(
  '[mcp.serve] it prints only JSON, ends with its input, and leaves no process',
  async () => {
    using home = new Home();
    home.configure('[safety]\napprove = ["sleep", "echo"]\n');
    const program = Bun.spawn([AISH, 'mcp', 'serve'], {
      cwd: home.work,
      env: home.env,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const send = (message: object): void => {
      program.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      program.stdin.flush();
    };
    const clientInfo = { name: 'raw', version: '1' };
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'exec', arguments: { command: 'echo begun; sleep 300 &' } } });
    let out = '';
    const decoder = new TextDecoder();
    const reader = program.stdout.getReader();
    while (!out.includes('"id":2')) out += decoder.decode((await reader.read()).value);
    send({ id: 3, method: 'tools/call', params: { name: 'exec', arguments: { command: 'sleep 301' } } });
    send({ id: 4, method: 'ping' });
    while (!out.includes('"id":4')) out += decoder.decode((await reader.read()).value);
    const started = descendants(program.pid);
    expect(started.length).toBeGreaterThan(0);
    program.stdin.end();
    expect(await program.exited).toBe(0);
    expect(await survivors(started)).toEqual([]);
    for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  },
  LONG,
);

/** A server on a port, with the address and the token that it names. */
async function listen(home: Home, given?: string) {
  const env: Record<string, string> = given === undefined ? {} : { AISH_TOKEN: given };
  const program = home.start(['mcp', 'serve', '--port', '0'], { env });
  const reader = program.stdout.getReader();
  const line = new TextDecoder().decode((await reader.read()).value);
  const [, url = '', file] = /^listening (\S+)(?: token-file (\S+))?/.exec(line) ?? [];
  return { program, url, token: file === undefined ? (given ?? '') : readFileSync(file, 'utf8').trim() };
}

test.each([undefined, '2026-07-28'])(
  '[mcp.serve] over HTTP, revision %p, with the token, and it leaves no process',
  async (revision) => {
    using home = new Home();
    const { program, url, token } = await listen(home, 'token-of-the-test');
    const client = new Client(
      { name: 'test-host', version: '1.0.0' },
      {
        capabilities: { elicitation: { form: {} } },
        ...(revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } }),
      },
    );
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { allow: true } }));
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const written = await client.callTool({ name: 'write_file', arguments: { path: 'new.txt', content: 'x\n' } });
    expect(written).toMatchObject({ isError: false });
    const ran = await client.callTool({ name: 'exec', arguments: { command: 'sleep 300 & env' } });
    expect(JSON.stringify(ran.content)).not.toContain(token);
    expect(readFileSync(join(home.work, 'new.txt'), 'utf8')).toBe('x\n');
    expect((await home.run(['undo'])).code).toBe(0);
    const started = descendants(program.pid);
    expect(started.length).toBeGreaterThan(0);
    program.kill('SIGTERM');
    expect(await program.exited).toBe(0);
    expect(await survivors(started)).toEqual([]);
    await client.close();
  },
  LONG,
);

test(
  '[mcp.serve] over HTTP it refuses a wrong token, a foreign Host and a foreign Origin',
  async () => {
    using home = new Home();
    const { url, token } = await listen(home);
    const post = async (headers: Record<string, string>): Promise<number> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
      const type = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      return (await fetch(url, { method: 'POST', body, headers: { ...type, ...headers } })).status;
    };
    const authorization = `Bearer ${token}`;
    expect(await post({})).toBe(401);
    expect(await post({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await post({ authorization, host: 'example.com' })).toBe(403);
    expect(await post({ authorization, origin: 'https://example.com' })).toBe(403);
    expect(await post({ authorization, 'mcp-session-id': 'unknown' })).toBe(404);
  },
  LONG,
);

test(
  '[extend.hooks] hooks hold for the calls of a host, too',
  async () => {
    using home = new Home();
    const deny = `echo '{"decision":"deny","reason":"no tools today"}'`;
    home.configure(`[hooks]\npre-tool = [${JSON.stringify(deny)}]\n[safety]\napprove = ["touch"]\n`);
    await using host = await connect(home);
    const { text, isError } = await call(host, 'exec', { command: 'touch made' });
    expect([text.endsWith('denied it: no tools today'), isError, existsSync(join(home.work, 'made'))]).toEqual([
      true,
      true,
      false,
    ]);
  },
  LONG,
);
