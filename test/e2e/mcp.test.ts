import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../src/protocol/json.ts';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import {
  answer,
  answered,
  ask,
  asked,
  fixtureServer,
  learnTools,
  officialServer,
  stdioServer,
} from '../support/conversation.ts';
import { serveOverHttp } from '../support/http-server.ts';
import { send, startPostOnlyMcpServer, startScriptedMcpServer, toInitializeResult } from '../support/mcp-server.ts';
import { calls, held, type ModelServer, resultTexts, startModelServer, text } from '../support/model-server.ts';
import { hello } from '../support/script.ts';
import { until, written } from '../support/until.ts';

const LONG = 120_000;
const TOKEN = 'bearer-of-the-test';

function offered(server: ModelServer, request: number): string[] {
  return (server.requests[request]?.body.tools ?? []).map((tool) => tool.function.name);
}

/** The conversation of a request, as it was sent. */
function sent(server: ModelServer, request: number): string {
  return JSON.stringify(server.requests[request]?.body.messages);
}

function httpServer(alias: string, url: string, more = ''): string {
  return `[mcp.servers.${alias}]\nurl = "${url}"\n${more}\n`;
}

/** The fixture that writes its pid and what it hears into a file. */
function watchedServer(home: Home, ...habits: readonly string[]): string {
  return stdioServer('watched', fixtureServer('hostile.ts', logFile(home), ...habits));
}

function logFile(home: Home): string {
  return join(home.root, 'server-log');
}

function untrusted(home: Home): string[] {
  return existsSync(logFile(home)) ? readFileSync(logFile(home), 'utf8').trim().split('\n') : [];
}

/** Settles when the watched server has written a line that fits. */
async function hears(home: Home, wanted: RegExp): Promise<void> {
  await written(logFile(home), new RegExp(wanted.source, 'm'));
}

/** A server on loopback whose one tool, `strict`, answers what the test says. */
function startStrictServer(answerCall: (id: unknown) => object) {
  return startScriptedMcpServer((response, { method, message }) => {
    if (method !== 'POST' || message === null) return void response.writeHead(405).end();
    const { id } = message;
    if (id === undefined) return void response.writeHead(202).end();
    const tools = [{ name: 'strict', description: 'Is strict.', inputSchema: { type: 'object' } }];
    const reply: unknown =
      message.method === 'initialize'
        ? { result: toInitializeResult() }
        : message.method === 'tools/list'
          ? { result: { tools } }
          : answerCall(id);
    if (isJsonObject(reply)) send(response, 200, { jsonrpc: '2.0', id, ...reply });
  });
}

const strictCall = calls({ name: 'remote__strict', arguments: {} });

describe('servers of the configuration', () => {
  test(
    '[mcp.stdio] the official everything server over standard input and output',
    async () => {
      using home = new Home();
      const echo = calls({ name: 'every__echo', arguments: { message: 'from the test' } });
      await using server = startModelServer({ script: [echo, text('It echoed.')] });
      home.useModel(server.url, stdioServer('every', [officialServer('mcp-server-everything'), 'stdio']));
      await using terminal = home.open();
      await terminal.waitFor(/server "every" connected, \d+ tools/, PATIENCE);
      await ask(terminal, 'echo');
      expect(await asked(terminal, 'every.echo')).toContain(
        'The model wants to call every.echo:\n  message: "from the test"\n',
      );
      await answer(terminal, 'y');
      await answered(terminal, 'It echoed.');
      expect(offered(server, 0)).toContain('every__echo');
      expect(resultTexts(server)).toEqual([expect.stringContaining('from the test')]);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[mcp.one-shot] a server that takes its time to start for the first time has its tools in the only request',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [text('Hello.')] });
      const late = ['/bin/sh', '-c', 'sleep 1; exec "$0" "$@"', ...fixtureServer('slow-server.ts', home.root)];
      home.useModel(server.url, stdioServer('slow', late));
      expect(await home.run(['hello'])).toEqual({ code: 0, out: 'Hello.\n', error: '' });
      expect(offered(server, 0)).toContain('slow__wait');
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[mcp.stdio] reading calls of one step run at once, and their results go to the model together',
    async () => {
      using home = new Home();
      const wait = { name: 'slow__wait', arguments: {} };
      const read = { name: 'aish__read_file', arguments: { path: 'README' } };
      await using server = startModelServer({ script: [calls(wait, read, wait), text('All read.')] });
      const slow = stdioServer('slow', fixtureServer('slow-server.ts', home.root));
      home.useModel(server.url, `${slow}trust_read_only = true\n[mcp.auto_approve]\n"slow.*" = true\n`);
      await learnTools(home);
      const ran = home.run(['--approve', 'read-only', 'read all']);
      const second = join(home.root, 'called-2');
      // No call is answered before the second one is there.
      await until({ what: second }, () => existsSync(second), Boolean);
      writeFileSync(join(home.root, 'release'), '');
      expect(await ran).toEqual({ code: 0, out: 'All read.\n', error: '' });
      expect(resultTexts(server).toSorted()).toEqual([expect.stringContaining('hello'), 'waited', 'waited']);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[mcp.stdio] a server may ask the model only as its section allows, sees nothing else, and the log counts its tokens',
    async () => {
      using home = new Home();
      const call = calls({
        name: 'every__trigger-sampling-request',
        arguments: { prompt: 'Say a word', maxTokens: 50 },
      });
      await using server = startModelServer({ script: [call, text('A word of the model.'), text('Done.')] });
      const every = stdioServer('every', [officialServer('mcp-server-everything'), 'stdio']);
      const rule = '[mcp.auto_approve]\n"every.*" = true\n';
      home.useModel(server.url, `${every}sampling_tokens = 1000\n${rule}`);
      await learnTools(home);
      const ran = await home.run(['the secret plan']);
      expect({ code: ran.code, out: ran.out }).toEqual({ code: 0, out: 'Done.\n' });
      expect(resultTexts(server)).toEqual([expect.stringContaining('A word of the model.')]);
      expect(sent(server, 1)).toContain('Say a word');
      expect([sent(server, 1).includes('secret plan'), offered(server, 1)]).toEqual([false, []]);
      expect((await home.run(['cost'])).out).toMatch(/^all +3 +30 /m);
      expect(server.failures).toEqual([]);
      home.useModel(server.url, `${every}${rule}`);
      expect((await home.run(['mcp', 'call', 'every.trigger-sampling-request', '{"prompt":"x"}'])).out).not.toContain(
        'A word',
      );
    },
    LONG,
  );

  test(
    '[mcp.http] the official everything server over HTTP',
    async () => {
      using home = new Home();
      await using remote = await serveOverHttp([officialServer('mcp-server-everything'), 'streamableHttp'], home);
      const sum = calls({ name: 'every__get-sum', arguments: { a: 20, b: 22 } });
      await using server = startModelServer({ script: [sum, text('It adds up.')] });
      home.useModel(server.url, `${httpServer('every', remote.url)}[mcp.auto_approve]\n"every.get-sum" = true\n`);
      await learnTools(home);
      expect(await home.run(['add'])).toEqual({ code: 0, out: 'It adds up.\n', error: '' });
      expect(resultTexts(server)).toEqual([expect.stringContaining('42')]);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[mcp.post-only] [mcp.http] a server that only knows POST and closes each connection, with its token from auth_env',
    async () => {
      using home = new Home();
      const remote = await startPostOnlyMcpServer({ token: TOKEN });
      const note = calls({ name: 'notes__read', arguments: { name: 'one' } });
      await using server = startModelServer({ script: [note, text('Read.')] });
      const section = httpServer('notes', remote.url, 'auth_env = "NOTES_TOKEN"');
      home.useModel(server.url, `${section}[mcp.auto_approve]\n"notes.*" = true\n`);
      const env = { NOTES_TOKEN: TOKEN };
      expect((await home.run(['mcp', 'tools'], { env })).code).toBe(0);
      expect((await home.run(['read it'], { env })).out).toBe('Read.\n');
      expect(resultTexts(server)).toEqual(['note one']);
      expect(server.failures).toEqual([]);
      await remote.close();
    },
    LONG,
  );

  test(
    '[mcp.http] auth_token goes before auth_env',
    async () => {
      using home = new Home();
      const remote = await startPostOnlyMcpServer({ token: TOKEN });
      const section = httpServer('notes', remote.url, `auth_token = "${TOKEN}"\nauth_env = "NOTES_TOKEN"`);
      home.configure(section);
      const { code, out } = await home.run(['mcp', 'tools'], { env: { NOTES_TOKEN: 'wrong' } });
      expect([code, out.includes('notes.echo')]).toEqual([0, true]);
      await remote.close();
    },
    LONG,
  );

  test(
    '[mcp.failure] [mcp.http] a wrong token is one status line without the token, and the prompt works',
    async () => {
      using home = new Home();
      const remote = await startPostOnlyMcpServer({ token: TOKEN });
      await using server = startModelServer({ script: [text('Hello.')] });
      home.useModel(server.url, httpServer('notes', remote.url, 'auth_token = "wrong-token"'));
      await using terminal = home.open([], { columns: 200 });
      await terminal.waitFor(/^server "notes" at \S+ refused the credentials \(HTTP 401\); .*auth_token/m, PATIENCE);
      await ask(terminal, 'hello');
      await answered(terminal, 'Hello.');
      expect(terminal.history().split('server "notes"')).toHaveLength(2);
      expect(terminal.history()).not.toContain('wrong-token');
      expect(server.failures).toEqual([]);
      await remote.close();
    },
    LONG,
  );
});

describe('a server that is not well', () => {
  test(
    '[mcp.failure] one that does not start is one status line; shell and model work without it',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [text('Hello.'), text('Again.')] });
      home.useModel(server.url, `${watchedServer(home, 'die-at-start')}${stdioServer('absent', ['/nowhere/server'])}`);
      await using terminal = home.open([], { columns: 200 });
      await terminal.waitFor(
        /connection to server "watched" was lost while connecting: .*status 3: missing API_KEY/,
        PATIENCE,
      );
      await terminal.waitFor(/server "absent": cannot start "\/nowhere\/server" .*no such program/, PATIENCE);
      await ask(terminal, 'hello');
      await answered(terminal, 'Hello.');
      await ask(terminal, 'once more');
      await answered(terminal, 'Again.');
      expect(terminal.history().split('"watched"')).toHaveLength(2);
      expect(terminal.history()).not.toContain('still starting');
      terminal.type('echo $((6 * 7))\n');
      await answered(terminal, /^42$/m);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[mcp.failure] headless it is told on standard error, and the answer comes',
    async () => {
      using home = new Home();
      const told = Promise.withResolvers<void>();
      await using server = startModelServer({ script: [held(text('Hello.'), told.promise)] });
      home.useModel(server.url, stdioServer('absent', ['/nowhere/server']));
      const program = home.start(['hello']);
      let error = '';
      for await (const bytes of program.stderr) {
        error += new TextDecoder().decode(bytes);
        if (error.includes('cannot start')) told.resolve();
      }
      expect([await program.exited, await program.stdout.text()]).toEqual([0, 'Hello.\n']);
      // On a busy machine the request is ready before the server's end is known.
      const later = 'aish: the MCP server absent is still starting, so the model cannot use its tools yet\n';
      expect(error.replace(later, '')).toMatch(/^aish: server "absent": cannot start .*\n$/);
    },
    LONG,
  );

  test(
    '[mcp.stdio] a slow server is not waited for long: the first request says that it goes without, a later one has its tools',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [text('Without.'), text('With.')] });
      home.useModel(server.url, watchedServer(home, 'slow-start'));
      await using terminal = home.open();
      await prompted(terminal);
      terminal.type('?hello\n');
      await answered(terminal, 'Without.');
      expect(terminal.history()).toMatch(/the\s+MCP\s+server\s+watched\s+is\s+still\s+starting/);
      expect(offered(server, 0)).toEqual(offered(server, 0).filter((name) => name.startsWith('aish__')));
      await terminal.waitForHistory('server "watched" connected', PATIENCE);
      await ask(terminal, 'and now?');
      await answered(terminal, 'With.');
      expect(offered(server, 1)).toContain('watched__ok');
    },
    LONG,
  );

  test(
    '[mcp.stdio] what a server offers is remembered: the next start offers it at once and starts nothing',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [text('Hello.'), text('Hello again.')] });
      home.useModel(server.url, watchedServer(home, 'slow-start'));
      await learnTools(home);
      expect(untrusted(home)).toHaveLength(1);
      expect(await home.run(['hello'])).toEqual({ code: 0, out: 'Hello.\n', error: '' });
      await using terminal = home.open();
      await ask(terminal, 'hello');
      await answered(terminal, 'Hello again.');
      expect([0, 1].map((request) => offered(server, request).includes('watched__ok'))).toEqual([true, true]);
      expect(untrusted(home)).toHaveLength(1);
    },
    LONG,
  );
});

describe('calls that go wrong', () => {
  test(
    '[mcp.errors] what a tool reports as an error is for the model',
    async () => {
      using home = new Home();
      const remote = await startPostOnlyMcpServer({ token: TOKEN });
      const broken = calls({ name: 'notes__throw', arguments: {} });
      await using server = startModelServer({ script: [broken, text('It broke.')] });
      const section = httpServer('notes', remote.url, `auth_token = "${TOKEN}"`);
      home.useModel(server.url, `${section}[mcp.auto_approve]\n"notes.*" = true\n`);
      await learnTools(home);
      expect(await home.run(['break it'])).toEqual({ code: 0, out: 'It broke.\n', error: '' });
      expect(resultTexts(server)).toEqual(['Error: it broke']);
      expect(server.failures).toEqual([]);
      await remote.close();
    },
    LONG,
  );

  test(
    '[mcp.errors] a JSON-RPC error is a status line for the user and a result for the model',
    async () => {
      using home = new Home();
      const remote = await startStrictServer(() => ({
        error: { code: -32603, message: 'the disk\u001b]0;owned\u0007 is on fire' },
      }));
      await using server = startModelServer({ script: [strictCall, text('I see.')] });
      home.useModel(server.url, httpServer('remote', remote.url));
      await learnTools(home);
      await using terminal = home.open([], { columns: 160 });
      await ask(terminal, 'call it');
      await asked(terminal, 'remote.strict');
      await answer(terminal, 'y');
      await answered(terminal, 'I see.');
      expect(terminal.history()).toMatch(
        /^remote\.strict: server "remote" refused the request: the disk is on fire \(JSON-RPC -32603\)$/m,
      );
      expect(resultTexts(server)).toEqual([
        expect.stringContaining('[aish] tool unavailable: server "remote" refused the request: the disk'),
      ]);
      expect(terminal.rawText()).not.toContain('\u001b]0;owned');
      expect(server.failures).toEqual([]);
      await remote.close();
    },
    LONG,
  );

  test(
    '[mcp.errors] a server that dies in a call is told with its last words, and starts again for the next call',
    async () => {
      using home = new Home();
      const script = [
        calls({ name: 'watched__die', arguments: {} }),
        calls({ name: 'watched__ok', arguments: {} }),
        text('The second went well.'),
      ];
      await using server = startModelServer({ script });
      home.useModel(server.url, `${watchedServer(home)}[mcp.auto_approve]\n"watched.*" = true\n`);
      await learnTools(home);
      const { code, error } = await home.run(['try']);
      expect(code).toBe(0);
      expect(error).toMatch(
        /connection to server "watched" was lost during the call: .*segmentation fault.*the tool may have run/,
      );
      expect(resultTexts(server)).toEqual([expect.stringContaining('segmentation fault'), 'fine']);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[mcp.errors] Ctrl-C during a call tells the server, ends the turn, and leaves a valid session',
    async () => {
      using home = new Home();
      const script = [calls({ name: 'watched__hang', arguments: {} }), text('Hello.')];
      await using server = startModelServer({ script });
      home.useModel(server.url, `${watchedServer(home)}[mcp.auto_approve]\n"watched.*" = true\n`);
      await learnTools(home);
      await using terminal = home.open();
      await ask(terminal, 'wait');
      await hears(home, /^call /);
      terminal.press('ctrl-c');
      await answered(terminal, 'interrupted');
      await hears(home, /^cancelled /);
      await ask(terminal, 'hello');
      await answered(terminal, 'Hello.');
      expect(resultTexts(server)).toEqual(['interrupted; the outcome is unknown']);
      expect(server.failures).toEqual([]);
    },
    LONG,
  );
});

describe(':mcp', () => {
  test(
    '[mcp.meta] connect, list, tools, tool and disconnect',
    async () => {
      using home = new Home();
      const remote = await startStrictServer(() => ({ result: { content: [{ type: 'text', text: 'strictly' }] } }));
      await using server = startModelServer({ script: [strictCall, text('Called.'), text('Without it.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      const type = async (line: string, expected: string | RegExp): Promise<void> => {
        await prompted(terminal);
        terminal.type(`${line}\n`);
        await answered(terminal, expected);
      };
      await type(':mcp list', 'No MCP servers. Add [mcp.servers.ALIAS]');
      await type(
        `:mcp connect ${remote.url} remote`,
        /^server "remote" connected, 1 tool\nThe model can now use the tools remote\.\*/m,
      );
      await type(':mcp list', new RegExp(`^remote  connected  1 tool, not reviewed  ${remote.url}$`, 'm'));
      await type(':mcp tools', /^remote\.strict {2}Is strict\.$/m);
      await prompted(terminal);
      terminal.type(':mcp tool rem');
      terminal.press('tab');
      await terminal.waitFor(/:mcp tool remote\.strict$/, PATIENCE);
      terminal.press('enter');
      await answered(terminal, /^remote\.strict \(may change things\)\nIs strict\.\n\{/m);
      await ask(terminal, 'call it');
      await asked(terminal, 'remote.strict');
      await answer(terminal, 'y');
      await answered(terminal, 'Called.');
      expect(resultTexts(server)).toEqual(['strictly']);
      await type(':mcp disconnect remote', /^server "remote" disconnected$/m);
      await ask(terminal, 'and now?');
      await answered(terminal, 'Without it.');
      expect(offered(server, 2)).not.toContain('remote__strict');
      expect(server.failures).toEqual([]);
      await remote.close();
    },
    LONG,
  );

  test(
    '[mcp.meta] what is typed wrong is told with what to type',
    async () => {
      using home = new Home();
      await using server = startModelServer();
      home.useModel(server.url);
      await using terminal = home.open([], { columns: 160, rows: 60 });
      const type = async (line: string, expected: string | RegExp): Promise<void> => {
        await prompted(terminal);
        terminal.type(`${line}\n`);
        await answered(terminal, expected);
      };
      await type(':mcp', /^:mcp needs a second word\n {2}usage: :mcp connect \[alias=NAME\] <url\|command…>/m);
      await type(':mcp conect http://x', /^there is no command :mcp conect\n {2}did you mean :mcp connect\?$/m);
      await type(
        ':mcp connect',
        /^:mcp connect needs <url\|command…>\n {2}usage: :mcp connect \[alias=NAME\] <url\|command…>$/m,
      );
      await type(':mcp connect ftp://x', /^:mcp connect cannot use the argument "ftp:\/\/x"\n {2}usage/m);
      await type(':mcp connect nonsense', /cannot start "nonsense" in .*: no such program/m);
      await type(
        ':mcp connect http://127.0.0.1:9/mcp gone',
        /^cannot reach server "gone" at http:\/\/127\.0\.0\.1:9\/mcp: connection refused$/m,
      );
      await type(':mcp connect http://127.0.0.1:9/mcp aish', /^cannot add server "aish": /m);
      await type(':mcp disconnect nobody', /^there is no server "nobody"$/m);
      await type(':mcp tool nobody.knows', /^there is no tool "nobody\.knows"\n {2}:mcp tools lists the tools$/m);
      await type(':mcp tool', /^:mcp tool needs <alias\.name>/m);
      await type(':mcp list', /No MCP servers/);
      expect(terminal.history().split('cannot reach server')).toHaveLength(2);
    },
    LONG,
  );

  test(
    '[mcp.meta] a message attaches a resource, and :alias.prompt follows a prompt, whose arguments the server completes',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [text('Read.'), text('Read.'), text('Followed.')] });
      home.useModel(server.url, stdioServer('every', [officialServer('mcp-server-everything'), 'stdio']));
      await learnTools(home);
      await home.run(['sum up @every:demo://resource/static/document/startup.md']);
      expect(sent(server, 0)).toContain('Everything Server - Startup Process');
      await using terminal = home.open([], { columns: 160 });
      await prompted(terminal);
      terminal.type('?sum up @every:demo://resource/static/document/startu');
      terminal.press('tab');
      await terminal.waitFor(/startup\.md/, PATIENCE);
      terminal.press('enter');
      await answered(terminal, 'Read.');
      expect(sent(server, 1)).toContain('Everything Server - Startup Process');
      await prompted(terminal);
      terminal.type(':trust list\n');
      await answered(terminal, 'every:demo://resource/static/document/startup.md');
      await prompted(terminal);
      terminal.type(':every.compl');
      terminal.press('tab');
      await terminal.waitFor(/:every\.completable-prompt/, PATIENCE);
      terminal.type(' department=Eng');
      terminal.press('tab');
      await terminal.waitFor(/department=Engineering/, PATIENCE);
      terminal.type(' name=Alice\n');
      await answered(terminal, 'Followed.');
      expect(sent(server, 2)).toMatch(/Alice.*Engineering/s);
      await prompted(terminal);
      terminal.type(':every.nothing\n');
      await answered(terminal, 'every has no prompt "nothing"');
      expect(server.failures).toEqual([]);
    },
    LONG,
  );

  test(
    '[mcp.meta] Ctrl-C calls off a message whose resource does not come; the server learns it, and the line is back',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [text('Read.')] });
      const [script, log] = [join(home.root, 'script.json'), join(home.root, 'log')];
      const contents = [{ uri: 'note://one', text: 'the note itself' }];
      const answers = {
        initialize: hello({ tools: {}, resources: {} }),
        'resources/read': [{ isSilent: true }, { result: { contents } }],
      };
      writeFileSync(script, JSON.stringify(answers));
      writeFileSync(log, '');
      home.useModel(server.url, stdioServer('notes', fixtureServer('by-script.ts', script, log)));
      await using terminal = home.open();
      await ask(terminal, 'sum up @notes:note://one');
      await written(log, /resources\/read/);
      terminal.press('ctrl-c');
      await written(log, /notifications\/cancelled/);
      await terminal.waitFor('? ? sum up @notes:note://one', PATIENCE);
      terminal.press('enter');
      await answered(terminal, 'Read.');
      expect(sent(server, 0)).toContain('the note itself');
      expect(server.requests.length).toBe(1);
    },
    LONG,
  );

  test(
    '[mcp.meta] aish mcp tells the same from outside',
    async () => {
      using home = new Home();
      home.configure(watchedServer(home));
      expect((await home.run(['mcp', 'list'])).out).toMatch(/^watched {2}connected {2}5 tools, not reviewed {2}\S+/);
      expect((await home.run(['mcp', 'tools'])).out).toContain('watched.ok');
      expect((await home.run(['mcp', 'list'])).out).toMatch(/^watched {2}idle {2}5 tools, not reviewed {2}\S+/);
      expect((await home.run(['mcp', 'tool', 'watched.ok'])).out).toMatch(
        /^watched\.ok \(may change things\)\nDoes ok\n/,
      );
      expect((await home.run(['mcp', 'tool', 'watched.nope'])).code).toBe(1);
      expect((await home.run(['mcp', 'nope'])).code).not.toBe(0);
      expect((await home.run(['mcp', 'call', 'watched'])).error).toContain(
        'watched is a server; name one of its tools',
      );
      const got = await home.run(['mcp', 'get', 'watched']);
      expect({ code: got.code, out: got.out }).toEqual({ code: 0, out: expect.stringMatching(/\nstate +connected\n/) });
      expect(got.out).toMatch(/\ntools +5 tools, not reviewed\n/);
      home.configure(
        '[mcp.servers.gone]\ncommand = "/no/such/server"\nenv = { API_KEY = "hunter2-hunter2" }\nenabled = true\n',
      );
      const broken = await home.run(['mcp', 'get', 'gone']);
      expect(broken.code).toBe(1);
      expect(broken.out).toMatch(/\nAPI_KEY +\(hidden\)\nerror +server "gone": cannot start/);
      expect(broken.out).not.toContain('hunter2');
      const [list, tools] = [await home.run(['mcp', 'list']), await home.run(['mcp', 'tools'])];
      expect([list.code, tools.code]).toEqual([1, 1]);
      expect(list.out).toMatch(/^gone {2}failed {2}tools not known yet {2}.*cannot start "\/no\/such\/server"/);
      expect(tools.out).toMatch(/^gone has no tools: .*cannot start "\/no\/such\/server"/);
    },
    LONG,
  );
});
