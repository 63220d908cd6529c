import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { classifyLine } from '../../core/policy/classify-line.ts';
import { createSecretMatcher } from '../../core/secrets/matcher.ts';
import type { SecretRules } from '../../core/secrets/secret-rules.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { SecretInjector } from './secret-injection.ts';

const TOKEN = `ghp_with'quote"and$dollar`;
const CONTEXT = { cwd: '/home/ann/project', project: '/home/ann/project', home: '/home/ann' };

function open(rules: SecretRules = {}, cwd = CONTEXT.cwd) {
  const secrets = [{ name: 'A_TOKEN', value: TOKEN, from: 'environment' }];
  const matcher = createSecretMatcher(secrets);
  return new SecretInjector({
    secretStore: {
      valueOf: (name) => (name === 'A_TOKEN' ? TOKEN : null),
      redact: (text) => matcher.redact(text),
      variables: () => new Set(['A_TOKEN', 'B_TOKEN']),
    },
    rules,
    gate: { classify: async (line) => ({ classification: classifyLine(line, CONTEXT), context: CONTEXT }) },
    sharedShell: { shell: null, cwd },
    lookForSecrets: async () => {},
  });
}

function call(name: string, args: JsonObject): ToolCall {
  return { id: 'c', name, arguments: args, effect: name === 'aish.exec' ? 'exec' : 'write', origin: 'model' };
}

test('a command runs with the value in its place, quoted, and goes without the other secrets', async () => {
  const injector = open();
  const {
    call: revealed,
    secrets,
    problem,
  } = await injector.look(call('aish.exec', { command: 'curl "⟨secret:A_TOKEN⟩"' }));
  expect([revealed.arguments, secrets, problem]).toEqual([
    { command: String.raw`curl "ghp_with'quote\"and\$dollar"` },
    [{ name: 'A_TOKEN', to: 'curl' }],
    null,
  ]);
  expect(await injector.withheldFrom(secrets)).toEqual(['A_TOKEN', 'B_TOKEN']);
});

test('a tool of a server gets the value wherever a placeholder stands, and one of ours never does', async () => {
  const injector = open({ A_TOKEN: ['web.*'] });
  const args = { headers: [{ auth: 'Bearer ⟨secret:A_TOKEN⟩' }], count: 1, none: null };
  expect(await injector.look(call('web.post', args))).toEqual({
    call: call('web.post', { headers: [{ auth: `Bearer ${TOKEN}` }], count: 1, none: null }),
    secrets: [{ name: 'A_TOKEN', to: 'web.post', rule: 'web.*' }],
    problem: null,
  });
  const own = call('aish.output', { handle: 1, pattern: '⟨secret:A_TOKEN⟩' });
  expect(await injector.look(own)).toEqual({ call: own, secrets: [], problem: null });
});

test('what nobody knows is a problem of the call, in a command, for a tool and in a file', async () => {
  const injector = open();
  const calls = [
    call('aish.exec', { command: 'echo ⟨secret:NONE⟩' }),
    call('web.post', { a: '⟨secret:NONE⟩' }),
    call('aish.write_file', { path: 'x', content: '⟨secret:NONE⟩' }),
  ];
  const problems = await Promise.all(calls.map(async (one) => (await injector.look(one)).problem));
  expect(problems).toEqual(problems.map(() => expect.stringContaining('there is no secret ⟨secret:NONE⟩')));
});

test('in a sandbox the line names a variable, so that the list of processes shows no value', async () => {
  const line = 'printf "%s|" "⟨secret:A_TOKEN⟩" \'x⟨secret:A_TOKEN⟩\'';
  const put = await open().forSandbox(line, [{ name: 'A_TOKEN', to: 'printf' }]);
  expect(put.line).not.toContain('ghp_');
  expect(Object.keys(put.env)).toEqual(['AISH_SECRET_1']);
  const child = Bun.spawnSync(['bash', '-c', put.line], { env: { ...put.env } });
  expect(child.stdout.toString()).toBe(`${TOKEN}|x${TOKEN}|`);
});

test('in a sandbox a secret that goes by the environment stands in it', async () => {
  const handed = [{ name: 'A_TOKEN', to: 'gh', exported: true } as const];
  expect(await open().forSandbox('gh pr list', handed)).toEqual({ line: 'gh pr list', env: { A_TOKEN: TOKEN } });
});

test("a user's line has its values, and one without a secret that is known is left alone", async () => {
  const injector = open();
  expect([
    await injector.revealLine('echo ⟨secret:A_TOKEN⟩ "⟨secret:OTHER⟩"'),
    await injector.revealLine('grep ⟨secret:OTHER⟩ README'),
    await injector.revealLine('ls'),
  ]).toEqual([`echo 'ghp_with'\\''quote"and$dollar' "⟨secret:OTHER⟩"`, null, null]);
});

test('a file keeps what it holds in a form of its own, and a secret it did not hold is handed to it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'injector-'));
  const packed = Buffer.from(TOKEN).toString('base64');
  writeFileSync(join(folder, '.env'), `A=${TOKEN}\nB=${packed}\n`);
  const injector = open({}, folder);
  const content = 'A=⟨secret:A_TOKEN⟩\nB=⟨secret:A_TOKEN⟩\nC=1\n';
  const kept = await injector.look(call('aish.write_file', { path: '.env', content }));
  const fresh = await injector.look(call('aish.write_file', { path: 'new', content: 'A=⟨secret:A_TOKEN⟩\n' }));
  rmSync(folder, { recursive: true });
  expect([kept.call.arguments.content, kept.secrets]).toEqual([`A=${TOKEN}\nB=${packed}\nC=1\n`, []]);
  expect([fresh.call.arguments.content, fresh.secrets.map(({ name }) => name)]).toEqual([`A=${TOKEN}\n`, ['A_TOKEN']]);
});
