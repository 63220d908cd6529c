import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadedConfig, loadConfig } from './load.ts';
import { TrustStore } from './trust.ts';

let root = '';
let work = '';
let state = '';
let own = '';
let file = '';

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'trust-')));
  work = join(root, 'work');
  state = join(root, 'state', 'aish');
  own = join(root, 'config', 'aish', 'config.toml');
  file = join(work, '.aish', 'config.toml');
  for (const folder of [join(work, '.aish'), join(work, '.git'), join(root, 'config', 'aish')])
    mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function load(): Promise<LoadedConfig> {
  const env = { HOME: root, XDG_CONFIG_HOME: join(root, 'config'), XDG_STATE_HOME: join(root, 'state') };
  return loadConfig({ env, cwd: work });
}

function rulesOf({ safety: { approve, ask, deny } }: LoadedConfig['config']) {
  return { approve, ask, deny };
}

const OWN = '[safety]\napprove = ["git log"]\nask = ["git commit"]\n[mcp.servers.fs]\ncommand = "mine"\nargs = ["a"]\n';
const PROJECT =
  '[safety]\napprove = ["make"]\nask = ["git push"]\ndeny = ["npm publish"]\n[mcp.servers.fs]\ncommand = "theirs"\n';

test("rules of a project's file only tighten until it is trusted, each with its own origin", async () => {
  writeFileSync(own, OWN);
  writeFileSync(file, PROJECT);
  const { config, warnings, origins } = await load();
  expect(rulesOf(config)).toEqual({ approve: ['git log'], ask: ['git commit', 'git push'], deny: ['npm publish'] });
  expect(config.mcp.servers.fs?.command).toBe('mine');
  expect(warnings).toEqual([
    `${file}: aish ignores safety.approve, mcp.servers.fs.command, because an untrusted project file can only make settings stricter; to trust it, run: aish config trust`,
  ]);
  const rules = ['approve."git log"', 'ask."git commit"', 'ask."git push"', 'deny."npm publish"'];
  expect(rules.map((rule) => origins.get(`safety.${rule}`))).toEqual([own, own, file, file]);
});

test('what is trusted says all it does: lists of rules add up, and a server is replaced whole', async () => {
  writeFileSync(own, OWN);
  writeFileSync(file, PROJECT);
  new TrustStore(state).trust(file, PROJECT);
  const { config, warnings } = await load();
  expect(rulesOf(config)).toEqual({
    approve: ['git log', 'make'],
    ask: ['git commit', 'git push'],
    deny: ['npm publish'],
  });
  const { command, args, cwd } = config.mcp.servers.fs ?? {};
  expect([command, args, cwd, warnings]).toEqual(['theirs', undefined, '.', []]);
});

test('one byte more, and it may only tighten again and says so', async () => {
  writeFileSync(file, PROJECT);
  new TrustStore(state).trust(file, PROJECT);
  writeFileSync(file, `${PROJECT}#`);
  const { config, warnings } = await load();
  expect(rulesOf(config)).toEqual({ approve: [], ask: ['git push'], deny: ['npm publish'] });
  expect(warnings).toEqual([
    `${file} has changed since you trusted it, so it can only make settings stricter; to see the changes, run: aish config trust`,
  ]);
  expect(new TrustStore(state).look(file, `${PROJECT}#`)).toEqual({ state: 'changed', before: PROJECT });
});

test('trust is for a path: the same content elsewhere is not trusted', () => {
  const store = new TrustStore(state);
  store.trust(file, PROJECT);
  expect([store.look(file, PROJECT), store.look(`${file}2`, PROJECT)]).toEqual([
    { state: 'trusted' },
    { state: 'unknown' },
  ]);
});

test('the store is readable by its owner alone, forgets on request, and trusts nothing when it is damaged', () => {
  const store = new TrustStore(state);
  store.trust(file, PROJECT);
  const path = join(state, 'trust.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect([store.untrust(file), store.untrust(file), store.look(file, PROJECT)]).toEqual([
    true,
    false,
    { state: 'unknown' },
  ]);
  store.trust(file, PROJECT);
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -20));
  expect(store.look(file, PROJECT)).toEqual({ state: 'unknown' });
});

test('a rule that cannot hold, and an example that the rule does not bear out, are told with their places', async () => {
  const rules = [
    '[safety]',
    'approve = [',
    '  "sudo",',
    '  { prefix = "git log", match = ["git log -3"], no_match = ["git push"] },',
    '  { prefix = "git log", match = ["git push"], no_match = ["git log -1"] },',
    ']',
    'deny = ["a; b"]',
  ];
  writeFileSync(own, rules.join('\n'));
  await expect(load()).rejects.toThrow(
    [
      `${own}:3:3: safety.approve: "sudo" would approve any command that sudo runs`,
      `${own}:5:3: safety.approve: "git log" does not match its example "git push"`,
      `${own}:5:3: safety.approve: "git log" matches "git log -1", but no_match lists it`,
      `${own}:7:9: safety.deny: "a; b" must be the first words of one command, without patterns and variables`,
    ].join('\n'),
  );
});

test('a rule for aish.exec among those for tools is said to approve nothing', async () => {
  writeFileSync(own, '[mcp.auto_approve]\n"aish.exec" = true\n');
  expect((await load()).warnings).toEqual([
    `${own}: mcp.auto_approve."aish.exec" has no effect on commands; list commands in [safety] approve`,
  ]);
});

test("who is handed a secret is said in the user's own file alone, however much a project is trusted", async () => {
  const asked = '[secrets]\nnames = ["PIN"]\nfiles = ["keys.env"]\npublic = ["A"]\nallow = { B = ["curl"] }\n';
  writeFileSync(own, '[secrets]\nnames = ["MINE"]\nallow = { C = ["gh", "git push", "linear.*"] }\n');
  writeFileSync(file, asked);
  const untrusted = await load();
  expect(untrusted.config.secrets).toEqual({
    allow: { C: ['gh', 'git push', 'linear.*'] },
    names: ['MINE', 'PIN'],
    files: [],
    public: [],
  });
  expect(untrusted.warnings[0]).toContain('aish ignores secrets.files, secrets.public, secrets.allow.B');
  new TrustStore(state).trust(file, asked);
  const trusted = await load();
  expect(trusted.config.secrets).toEqual({
    allow: { C: ['gh', 'git push', 'linear.*'] },
    names: ['MINE', 'PIN'],
    files: ['keys.env'],
    public: [],
  });
  expect(trusted.warnings).toEqual([
    `${file}: aish ignores secrets.public, secrets.allow, because only your own configuration can set them`,
  ]);
});

test('a rule that would hand a secret to whatever a program runs is refused with its place', async () => {
  writeFileSync(own, '[secrets]\nallow = { A = ["gh", "bash -c", "./deploy"] }\n');
  const failure = await load().then(
    () => '',
    (thrown: unknown) => String(thrown),
  );
  expect(failure).toContain('2:22: secrets.allow.A: "bash -c" would grant the secret to any command that bash runs');
  expect(failure).toContain('2:33: secrets.allow.A: "./deploy" names a program by its path');
});
