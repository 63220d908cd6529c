import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isListening } from '../../src/adapters/model/local-server.ts';
import { AISH, Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { freePort } from '../support/free-port.ts';
import { broken, calls, held, startModelServer, status, stream, text, textAndCalls } from '../support/model-server.ts';
import { until } from '../support/until.ts';

const write = calls({ name: 'aish__write_file', arguments: { path: 'test.txt', content: 'Hello World' } });

const SILENT = [
  { reply: text(''), code: 1, out: '', line: 'The model sent an empty answer.', finish: 'stop' },
  {
    reply: text('', { reasoning: 'hm' }),
    code: 1,
    out: '',
    line: 'The model sent its reasoning and no answer.',
    finish: 'stop',
  },
  {
    reply: text('', { reasoning: 'hm', finish: 'length' }),
    code: 1,
    out: '',
    line: 'The answer was cut off at the token limit (',
    finish: 'length',
  },
  {
    reply: text('half of', { finish: 'length' }),
    code: 0,
    out: 'half of\n',
    line: 'The answer was cut off at the token limit (',
    finish: 'length',
  },
  {
    reply: text('half of', { finish: 'content_filter' }),
    code: 0,
    out: 'half of\n',
    line: "The provider's content filter stopped the answer.",
    finish: 'content_filter',
  },
];

describe('one-shot', () => {
  test('[cli.print] a question as arguments and with -p prints the answer and exits 0', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('Hello there.'), text('Again.')] });
    home.useModel(server.url);
    expect(await home.run(['say', 'hello'])).toEqual({ code: 0, out: 'Hello there.\n', error: '' });
    expect(await home.run(['-p', 'say hello'])).toEqual({ code: 0, out: 'Again.\n', error: '' });
    expect(server.requests[0]?.body.messages?.at(-1)).toEqual({ role: 'user', content: home.first('say hello') });
    expect(server.failures).toEqual([]);
  });

  test('[model.printed-call] a call that the model prints as text runs, and the answer comes after it', async () => {
    using home = new Home();
    const printed =
      '<tool_call>\n{"name": "aish__write_file", "arguments": {"path": "a", "content": "b"}}\n</tool_call>';
    await using server = startModelServer({
      script: [text(`I will write it.\n${printed}`), text('Done.'), text(printed), text('Then not.')],
    });
    home.useModel(server.url);
    const { code, out, error } = await home.run(['-p', 'write a', '--approve', 'all']);
    expect([code, out]).toEqual([0, 'I will write it.\nDone.\n']);
    expect(error).toContain('--jinja');
    expect(readFileSync(join(home.work, 'a'), 'utf8')).toBe('b');
    const denied = await home.run(['-p', 'write a again', '--output', 'json']);
    expect(denied.code).toBe(3);
    expect(server.failures).toEqual([]);
  });

  test('[model.server] a model server is started at its first use, and ends with aish', async () => {
    using home = new Home();
    const port = freePort();
    const script = resolve(import.meta.dir, '../support/slow-server.ts');
    const args = JSON.stringify([script, String(port), '300']);
    const command = JSON.stringify(process.execPath);
    home.configure(`[models.slow]\nbase_url = "http://127.0.0.1:${port}"\ncommand = ${command}\nargs = ${args}\n`);
    expect(await home.run(['-p', 'hello'])).toMatchObject({ code: 0, out: 'ready\n' });
    await until(
      { what: 'the end of the server' },
      async () => !(await isListening(new URL(`http://127.0.0.1:${port}`))),
    );
  });

  test('[cli.pipe] piped input is attached to the question, and alone it is the question', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('ok'), text('ok')] });
    home.useModel(server.url);
    await home.run(['sum it up'], { input: 'line one\nline two\n' });
    await home.run(['-p'], { input: 'what is this?\n' });
    const asked = server.requests.map((request) => request.body.messages?.at(-1)?.content);
    expect(asked).toEqual([
      home.first('[attached input]\nline one\nline two\n\n[end of attached input]\n\nsum it up'),
      home.first('what is this?\n'),
    ]);
  });

  test('[cli.pipe] a pipe that nobody closes is told, and its end lets the question go', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('ok')] });
    home.useModel(server.url);
    const program = Bun.spawn([AISH, '-p', 'hello'], {
      cwd: home.work,
      env: home.env,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const { value } = await program.stderr.getReader().read();
    expect(new TextDecoder().decode(value)).toMatch(/^aish: waiting for the end of standard input/);
    program.stdin.write('a line\n');
    program.stdin.end();
    expect(await new Response(program.stdout).text()).toBe('ok\n');
    expect(server.requests[0]?.body.messages?.at(-1)?.content).toContain('[attached input]\na line\n');
  });

  test('[cli.silence] an answer that is none, or not the whole of it, is reported, and an empty one fails', async () => {
    using home = new Home();
    const script = SILENT.flatMap(({ reply }) => [reply, reply]);
    await using server = startModelServer({ script });
    home.useModel(server.url);
    for (const { code, out, line, finish } of SILENT) {
      const printed = await home.run(['-p', 'say hello']);
      expect([printed.code, printed.out]).toEqual([code, out]);
      expect(printed.error).toStartWith(`aish: ${line}`);
      const json = await home.run(['-p', '--output', 'json', 'say hello']);
      expect([json.code, JSON.parse(json.out).finish]).toEqual([code, finish]);
      expect(json.error).toBe(printed.error);
    }
  });

  test('[cli.silence] an empty answer after a result is asked for once more, and then it fails', async () => {
    using home = new Home();
    const script = [write, text(''), text('Written.'), write, text(''), text('')];
    await using server = startModelServer({ script });
    home.useModel(server.url);
    const good = await home.run(['--approve', 'all', '-p', 'write it']);
    expect([good.code, good.out]).toEqual([0, 'Written.\n']);
    expect(server.requests[2]?.body.messages?.at(-1)).toMatchObject({ role: 'user' });
    const bad = await home.run(['--approve', 'all', '-p', 'write it']);
    expect([bad.code, bad.out, bad.error]).toEqual([
      1,
      '',
      'aish: The model sent an empty answer. Ask again, or choose another model with :model.\n',
    ]);
    expect(server.failures).toEqual([]);
  });

  test('[cli.json] --output json prints one object', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [write, text('Done.')] });
    home.useModel(server.url);
    const { code, out } = await home.run(['--approve', 'all', '--output', 'json', 'create it']);
    expect(code).toBe(0);
    const { session_id, ...report } = JSON.parse(out);
    expect(session_id).toMatch(/^[a-z0-9]{12}$/);
    expect(report).toEqual({
      text: 'Done.',
      tool_calls: [
        {
          name: 'aish.write_file',
          arguments: { path: 'test.txt', content: 'Hello World' },
          decision: 'allow',
          result: expect.stringMatching(/^created .*test\.txt: 11 bytes$/),
          is_error: false,
        },
      ],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
      end: 'completed',
      finish: 'stop',
    });
  });

  test('[cli.stream-json] --output stream-json prints the events, one a line', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('Hi you')] });
    home.useModel(server.url);
    const { out } = await home.run(['--output', 'stream-json', 'hello']);
    const types = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event.type);
    expect(types).toEqual([
      'session.created',
      'turn.started',
      'request.prefixed',
      'request.sent',
      'text.delta',
      'text.delta',
      'step.completed',
      'turn.ended',
    ]);
  });

  test('[cli.denied] what would be asked is denied: exit 3, nothing written, and the model is told', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [write, text('I could not.')] });
    home.useModel(server.url);
    const { code, out } = await home.run(['create it']);
    expect([code, out]).toEqual([3, 'I could not.\n']);
    expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
    expect(server.requests[1]?.body.messages?.at(-1)?.content).toContain('nobody is there to approve it');
  });

  test('[cli.approve] [tools.write] --approve all lets the write run, with a checkpoint before it', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [write, text('Done.')] });
    home.useModel(server.url);
    expect((await home.run(['--approve', 'all', 'create it'])).code).toBe(0);
    expect(readFileSync(join(home.work, 'test.txt'), 'utf8')).toBe('Hello World');
    expect(home.git('for-each-ref', 'refs/aish', '--format=%(refname)')).not.toBe('');
    expect(server.failures).toEqual([]);
  });

  test('[cli.limit] [tools.depth] the loop of calls ends at the depth limit with exit 4', async () => {
    using home = new Home();
    const read = calls({ name: 'aish__read_file', arguments: { path: 'README' } });
    await using server = startModelServer({ script: Array.from({ length: 20 }, () => read) });
    home.useModel(server.url, '[mcp]\nmax_tool_depth = 2');
    const { code, error } = await home.run(['--approve', 'read-only', 'read on']);
    expect([code, error]).toEqual([
      4,
      'aish: [aish] stopped: this message has used all its rounds of tool calls; say "go on", or raise mcp.max_tool_depth\n',
    ]);
    expect(server.requests.length).toBe(3);
  });

  test('[cli.limit] a turn ends at a limit of [budget] with exit 4', async () => {
    using home = new Home();
    await using server = startModelServer({
      script: [calls({ name: 'aish__read_file', arguments: { path: 'README' } })],
    });
    home.useModel(server.url, '[budget]\nsteps = 1');
    const { code, out, error } = await home.run(['--approve', 'read-only', '--output', 'json', 'read on']);
    expect([code, JSON.parse(out)]).toMatchObject([4, { end: 'budget', error: { code: 'budget.reached' } }]);
    expect(error).toContain('the budget of 1 step for this turn is used up');
    expect(server.requests.length).toBe(1);
  });

  test('[cli.interrupt] an interrupt ends it with exit 130', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [held(text('never'), new Promise(() => {}))] });
    home.useModel(server.url);
    const program = home.start(['-p', 'wait']);
    await server.requested(1);
    program.kill('SIGINT');
    expect(await program.exited).toBe(130);
  });

  /** Half a minute of work for anyone who classifies it. */
  const slow = `f() { python3 -c "${'print(1);'.repeat(3300)}"; }; ${'f;'.repeat(4000)}`;

  test('[cli.interrupt] an interrupt ends it while a command is classified that takes too long', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [calls({ name: 'aish__exec', arguments: { command: slow } })] });
    home.useModel(server.url);
    const program = home.start(['-p', 'run it']);
    await server.requested(1);
    program.kill('SIGINT');
    expect(await program.exited).toBe(130);
  });

  test('[cli.denied] a command that takes too long to be classified is asked about, and so not run', async () => {
    using home = new Home();
    const call = calls({ name: 'aish__exec', arguments: { command: slow } });
    await using server = startModelServer({ script: [call, text('Done.')] });
    home.useModel(server.url);
    await home.run(['run it']);
    const told = server.requests[1]?.body.messages?.at(-1)?.content;
    expect(told).toBe('[aish] tool call denied: nobody is there to approve it');
  });

  test('[cli.continue] --continue and --resume go on where the session stood', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('One.'), text('Two.'), text('Three.')] });
    home.useModel(server.url);
    await home.run(['first']);
    await home.run(['--continue', 'second']);
    const id = readdirSync(join(home.state, 'sessions'))[0] ?? '';
    await home.run(['--resume', id.slice(0, 10), '-p', 'third']);
    expect(server.requests[2]?.body.messages?.slice(1)).toEqual([
      { role: 'user', content: home.first('first') },
      { role: 'assistant', content: 'One.' },
      { role: 'user', content: 'second' },
      { role: 'assistant', content: 'Two.' },
      { role: 'user', content: 'third' },
    ]);
  });

  test('[cli.usage] a wrong command line exits 2 and says what to do', async () => {
    using home = new Home();
    expect(await home.run(['--nope'])).toEqual({
      code: 2,
      out: '',
      error: 'aish: unknown option --nope\n  see aish --help; a message that begins with a dash goes after --\n',
    });
    expect((await home.run(['--output', 'xml', 'x'])).code).toBe(2);
    expect((await home.run(['-p'])).error).toContain('no message was given');
  });

  test('[cli.version] --version and --help answer without a session', async () => {
    using home = new Home();
    expect((await home.run(['--version'])).out).toMatch(/^aish \d+\.\d+\.\d+ \(Bun \d+\.\d+\.\d+\)\n$/);
    expect((await home.run(['--help'])).out).toContain('aish -p, --print PROMPT');
    expect(existsSync(home.state)).toBe(false);
  });
});

describe('a model that fails is one clear line', () => {
  test('[model.refused] a server that is not there', async () => {
    using home = new Home();
    home.useModel('http://127.0.0.1:9/v1');
    const { code, out, error } = await home.run(['hi']);
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(/^aish: .*127\.0\.0\.1:9.*\n {2}\S/);
  });

  test('[model.unauthorized] a wrong key names the variable to set', async () => {
    using home = new Home();
    await using server = startModelServer({ key: 'right' });
    home.configure(`[models.test]\nbase_url = "${server.url}"\nmodel = "m"\nkey_env = "MY_KEY"\n`);
    const { code, error } = await home.run(['hi'], { env: { MY_KEY: 'wrong-key-1234' } });
    expect(code).toBe(1);
    expect(error).toContain('MY_KEY');
    expect(error).not.toContain('wrong-key-1234');
    expect((await home.run(['hi'])).error).toContain('MY_KEY');
  });

  test('[model.not-found] an unknown model is told with those the server has', async () => {
    using home = new Home();
    await using server = startModelServer({
      models: ['alpha', 'beta'],
      script: [status(404, { error: { message: 'model not found', code: 404 } })],
    });
    home.useModel(server.url);
    expect((await home.run(['hi'])).error).toMatch(/alpha.*beta/s);
  });

  test('[model.rate-limit] a rate limit is told with the time to wait', async () => {
    using home = new Home();
    await using server = startModelServer({
      script: [status(429, { error: { message: 'slow down' } }, { 'retry-after': '120' })],
    });
    home.useModel(server.url);
    const { error } = await home.run(['hi']);
    expect(error).toMatch(/120 s|2 min/);
  });

  test('[model.server-error] a failing server, and an answer that is not JSON', async () => {
    using home = new Home();
    await using server = startModelServer({
      script: [
        status(500, 'boom'),
        status(500, 'boom'),
        status(200, '<html>login</html>', { 'content-type': 'text/html' }),
      ],
    });
    home.useModel(server.url);
    const { error } = await home.run(['hi']);
    expect(error).toMatch(
      /^aish: test reports an error: boom; aish tries again in 1 s\naish: .* failed \(500\): boom\n/,
    );
    expect((await home.run(['hi'])).code).toBe(1);
  });

  test('[model.retry] a server that is not ready is asked again, with a line for each wait', async () => {
    using home = new Home();
    const setbacks = [status(503, ''), status(529, { error: { message: 'Overloaded' } })];
    await using server = startModelServer({ script: [...setbacks, text('There you are.')] });
    home.useModel(server.url);
    const { code, out, error } = await home.run(['hi']);
    expect([code, out]).toEqual([0, 'There you are.\n']);
    expect(error.split('\n')).toEqual([
      'aish: test is not available at the moment: the server gave no reason; aish tries again in 1 s',
      'aish: test is overloaded: Overloaded; aish tries again in 1 s',
      '',
    ]);
  });

  test('[model.learned] a field that a server refuses is left out, shown, and forgotten on request', async () => {
    using home = new Home();
    const refusal = status(400, { error: { message: 'Unrecognized request argument supplied: stream_options' } });
    await using server = startModelServer({ script: [refusal, text('One.'), text('Two.'), refusal, text('Three.')] });
    home.useModel(server.url);
    const first = await home.run(['hi']);
    expect([first.code, first.out]).toEqual([0, 'One.\n']);
    expect(first.error).toBe('aish: test refuses stream_options, so aish leaves it out (aish models show test)\n');
    expect((await home.run(['hi'])).error).toBe('');
    expect((await home.run(['models'])).out).toMatch(/^\* {2}test {2}/);
    expect((await home.run(['models', 'show', 'test'])).out).toMatch(
      /^scripted \(http.*\)\n {2}\d{4}-\d\d-\d\d refuses stream_options, .*\n {4}the server said: Unrecognized .*\nTo learn again: aish models forget test\n$/,
    );
    expect((await home.run(['models', 'forget', 'test'])).out).toContain(
      'aish has forgotten what it learned about test',
    );
    expect((await home.run(['models', 'show', 'test'])).out).toContain('aish has learned nothing about test');
    expect((await home.run(['hi'])).out).toBe('Three.\n');
    expect(server.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, false, true, false]);
  });

  test('[model.cut] an answer that breaks off runs nothing and is told as cut', async () => {
    using home = new Home();
    const whole = textAndCalls('I will write.', {
      name: 'aish__write_file',
      arguments: { path: 'test.txt', content: 'x' },
    });
    await using server = startModelServer({ script: [broken(whole, 5)] });
    home.useModel(server.url);
    const { code, error } = await home.run(['--approve', 'all', 'hi']);
    expect(code).toBe(1);
    expect(error).toContain('ended unexpectedly');
    expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
  });

  test('[model.idle] a server that falls silent is given up after the limit', async () => {
    using home = new Home();
    const whole = text('one two three');
    await using server = startModelServer({ script: [broken(whole, 2, 'hang')] });
    home.configure(`[models.test]\nbase_url = "${server.url}"\nmodel = "m"\ntimeout_ms = 300\n`);
    const { code, error } = await home.run(['hi']);
    expect(code).toBe(1);
    expect(error).toMatch(/300 ms|0\.3 s|silent/);
  });
});

describe('what a server wants back', () => {
  test('[model.valid-request] thinking and what came beside a call return with the call, in a later process too', async () => {
    using home = new Home();
    const deltas = [
      { reasoning_content: 'I will look.' },
      {
        tool_calls: [
          {
            index: 0,
            id: 'abcdefgh1',
            type: 'function',
            function: { name: 'aish__read_file', arguments: '{"path":"README"}' },
            extra_content: { google: { thought_signature: 'c2ln' } },
          },
        ],
      },
    ];
    const events = deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
    await using server = startModelServer({
      script: [stream([...events, 'data: [DONE]\n\n']), text('It says hello.'), text('Yes.')],
    });
    home.useModel(server.url);
    await home.run(['--approve', 'read-only', 'what is in it?']);
    await home.run(['--continue', 'sure?']);
    const assistants = server.requests.map((request) => JSON.parse(request.text).messages[2]);
    const asked = {
      role: 'assistant',
      content: '',
      reasoning_content: 'I will look.',
      tool_calls: [
        {
          id: expect.stringMatching(/^[a-zA-Z0-9]{9}$/),
          type: 'function',
          function: { name: 'aish__read_file', arguments: '{"path":"README"}' },
          extra_content: { google: { thought_signature: 'c2ln' } },
        },
      ],
    };
    expect(assistants).toEqual([undefined, asked, asked]);
    expect(server.failures).toEqual([]);
  });
});

describe('a session survives', () => {
  test('[session.private] its log is open to its owner alone and holds no key', async () => {
    using home = new Home();
    await using server = startModelServer({ key: 'sekrit-key-77', script: [text('ok')] });
    home.configure(`[models.test]\nbase_url = "${server.url}"\nmodel = "m"\nkey_env = "MY_KEY"\n`);
    await home.run(['hi'], { env: { MY_KEY: 'sekrit-key-77' } });
    const path = logOf(home);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toContain('sekrit-key-77');
  });

  test('[session.kill] [session.torn-tail] [model.valid-request] cut at any line and inside of it, the next request is valid', async () => {
    using home = new Home();
    const read = calls({ name: 'aish__read_file', arguments: { path: 'README' } });
    await using server = startModelServer({ script: [read, text('It says hello.')] });
    home.useModel(server.url);
    await home.run(['--approve', 'read-only', 'what is in it?']);
    const path = logOf(home);
    const whole = readFileSync(path);
    const ends = [...whole.entries()].flatMap(([at, byte]) =>
      byte === 10 ? [at + 1, Math.min(whole.length, at + 9)] : [],
    );
    for (const end of ends.slice(2)) {
      writeFileSync(path, whole.subarray(0, end));
      server.play(text('Fine.'));
      expect((await home.run(['--continue', 'and now?'])).code).toBe(0);
    }
    expect(server.failures).toEqual([]);
  }, 60_000);

  test('[session.open-call] a call that was running when it was killed is never run again, and the model is told', async () => {
    using home = new Home();
    const command = calls({ name: 'slow__wait', arguments: {} });
    await using server = startModelServer({ script: [command, text('I see.')] });
    home.useModel(
      server.url,
      `[mcp.servers.slow]\ncommand = "${process.execPath}"\nargs = ["${join(import.meta.dir, '../fixtures/mcp/slow-server.ts')}", "${home.root}"]\n[mcp.auto_approve]\n"slow.*" = true\n`,
    );
    // Known from before, so that the first request need not wait for the server.
    await home.run(['mcp', 'tools']);
    const program = home.start(['-p', 'wait for it']);
    await waitForFile(join(home.root, 'called-1'));
    program.kill('SIGKILL');
    await program.exited;
    const { code } = await home.run(['--continue', 'what happened?']);
    expect(code).toBe(0);
    const results = server.requests.at(-1)?.body.messages?.filter((message) => message.role === 'tool');
    expect(results?.map((message) => message.content)).toEqual(['interrupted; the outcome is unknown']);
    expect(existsSync(join(home.root, 'called-2'))).toBe(false);
    expect(server.failures).toEqual([]);
  }, 60_000);

  test('[session.one-owner] a second process cannot write to a session that is in use', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('one'), held(text('never'), new Promise(() => {}))] });
    home.useModel(server.url);
    await home.run(['first']);
    home.start(['--continue', 'second']);
    await server.requested(2);
    const { code, error } = await home.run(['--continue', 'third']);
    expect(code).toBe(1);
    expect(error).toContain('another aish has this session open');
  });
});

function logOf(home: Home): string {
  const [id = ''] = readdirSync(join(home.state, 'sessions'));
  return join(home.state, 'sessions', id, 'log.jsonl');
}

/** Events of a folder come too seldom to be counted on. */
async function waitForFile(path: string): Promise<void> {
  await until({ what: path }, () => existsSync(path));
}

describe('what subcommands print', () => {
  const title = '\x1b]0;taken\x07';

  test('[prompt.sanitize] a diff on a terminal steers nothing, and a pipe gets it as it is', async () => {
    using home = new Home();
    const steering = calls({ name: 'aish__write_file', arguments: { path: 'a.txt', content: `${title}plain\n` } });
    await using server = startModelServer({ script: [steering, text('Done.')] });
    home.useModel(server.url);
    await home.run(['--approve', 'all', 'create it']);
    await using terminal = home.open(['diff']);
    await terminal.ended();
    expect(terminal.rawText()).toContain('+<U+001B>]0;taken<U+0007>plain');
    expect(terminal.rawText()).not.toContain(title);
    expect((await home.run(['diff'])).out).toContain(`+${title}plain`);
  });

  test('[prompt.sanitize] a pasted escape in :history is shown and not played again', async () => {
    using home = new Home();
    mkdirSync(home.state, { recursive: true });
    const entry = { line: `echo ${title}`, at: 1, cwd: '/', route: 'command' };
    writeFileSync(join(home.state, 'history.jsonl'), `${JSON.stringify(entry)}\n`);
    await using terminal = home.open();
    await prompted(terminal);
    terminal.type(':history\n');
    await terminal.waitFor('echo <U+001B>]0;taken<U+0007>', PATIENCE);
    expect(terminal.rawText()).not.toContain(title);
  });

  test("[prompt.sanitize] the name of a project's file in :config steers nothing", async () => {
    using home = new Home();
    const folder = join(home.work, `e${title}nd`);
    mkdirSync(join(folder, '.aish'), { recursive: true });
    writeFileSync(join(folder, '.aish', 'config.toml'), '[mcp]\nmax_tool_depth = 2\n');
    await using terminal = home.open([], { cwd: folder, columns: 200, rows: 60 });
    await terminal.waitFor(/ >$/, PATIENCE);
    terminal.type(':config\n');
    await terminal.waitFor(`max_tool_depth = 2`, PATIENCE);
    await terminal.waitFor(/end\/\.aish\/config\.toml/, PATIENCE);
    expect(terminal.rawText()).not.toContain(title);
  });

  test("[prompt.sanitize] a directory's name in the list of sessions steers nothing", async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('Hello.')] });
    home.useModel(server.url);
    const folder = join(home.work, `e${title}nd`);
    mkdirSync(folder);
    await home.run(['-p', 'hello'], { cwd: folder });
    expect((await home.run(['sessions'])).out).toContain(`${home.work}/end  hello`);
  });
});
