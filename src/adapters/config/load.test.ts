import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import { listConfigKeys } from '../../protocol/config-keys.ts';
import { formatCheck, formatConfig, formatExample } from './format-config.ts';
import { type LoadOptions, loadConfig } from './load.ts';

let home = '';
let cwd = '';
let own = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'config-'));
  cwd = join(home, 'work');
  own = join(home, '.config', 'aish', 'config.toml');
  mkdirSync(cwd);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
}

function load(options: Partial<LoadOptions> = {}) {
  return loadConfig({ env: { HOME: home }, cwd, ...options });
}

async function failure(options: Partial<LoadOptions> = {}): Promise<{ code: string; message: string }> {
  try {
    await load(options);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { code: String(error.code), message: error.message };
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('without any file the defaults hold', async () => {
  expect(await load()).toEqual({ config: DEFAULT_CONFIG, origins: new Map(), warnings: [], file: null });
});

test('a file is read, defaults are filled in, and each value that is set has its origin', async () => {
  write(own, '[models.local]\nbase_url = "http://127.0.0.1:8080/v1"\n[mcp.auto_approve]\n"fs.*" = true\n');
  const { config, origins, warnings, file } = await load();
  expect(config).toEqual({
    ...DEFAULT_CONFIG,
    models: { local: { base_url: 'http://127.0.0.1:8080/v1' } },
    mcp: { ...DEFAULT_CONFIG.mcp, auto_approve: { 'fs.*': true } },
  });
  expect([...origins]).toEqual([
    ['models.local.base_url', own],
    ['mcp.auto_approve."fs.*"', own],
  ]);
  expect([warnings, file]).toEqual([[], own]);
});

test('XDG_CONFIG_HOME goes before the home, AISH_CONFIG before it, and --config before both', async () => {
  const write3 = (name: string) => write(join(home, name), `[shell]\nprogram = "${name}"\n`);
  write3('xdg/aish/config.toml');
  write3('env.toml');
  write3('work/flag.toml');
  const program = async (options: Partial<LoadOptions>) => (await load(options)).config.shell.program;
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'xdg') };
  const named = { ...env, AISH_CONFIG: join(home, 'env.toml') };
  expect(await program({ env })).toBe('xdg/aish/config.toml');
  expect(await program({ env: named })).toBe('env.toml');
  expect(await program({ env: named, file: 'flag.toml' })).toBe('work/flag.toml');
});

test('a named file that is not there is an error; an unnamed one is not', async () => {
  const { code, message } = await failure({ file: 'gone.toml' });
  expect([code, message]).toEqual(['config.not-found', `there is no configuration file ${join(cwd, 'gone.toml')}`]);
});

test('flags go before the file', async () => {
  write(own, 'model = "a"\n[ui]\ncolor = "always"\n');
  const { config, origins } = await load({ flags: { model: 'b', color: 'never' } });
  expect([config.model, config.ui.color]).toEqual(['b', 'never']);
  expect([...origins]).toEqual([
    ['model', '--model'],
    ['ui.color', '--no-color'],
  ]);
});

test('a mistake in the syntax is told with line and column', async () => {
  write(own, 'model = "a"\n[mcp]\nmax_tool_depth = = 3\n');
  const { code, message } = await failure();
  expect(code).toBe('config.invalid');
  expect(message).toStartWith(`${own}:3:18: `);
});

test('all mistakes are told, in the order of the file, each with its place and the nearest key', async () => {
  write(
    own,
    [
      'modle = "a"',
      '[models.a]',
      '  base_ul = "http://127.0.0.1/v1"',
      'timeout_ms = "long"',
      'context = 0',
      '[mcp.servers]',
      'aish = { command = "x" }',
      'both = { command = "x", url = "http://127.0.0.1/" }',
      'kind = { url = "http://127.0.0.1/", args = ["a"] }',
      '[mcp.auto_approve]',
      '"fs" = true',
      '"fs.a" = "yes"',
      '[checkpoint]',
      'mode = "git"',
      '[safety]',
      'approve = [5]',
      '[zzz]',
      'x = 1',
    ].join('\n'),
  );
  const lines = (await failure()).message.split('\n').map((line) => line.slice(own.length + 1));
  expect(lines).toEqual([
    '1:1: unknown key modle; did you mean model?',
    '2:9: models.a.base_url is missing',
    '3:3: unknown key models.a.base_ul; did you mean base_url?',
    '4:14: models.a.timeout_ms must be a number',
    '5:11: models.a.context must be 1 or more',
    '7:1: mcp.servers.aish: the built-in tools use the name aish',
    '8:8: mcp.servers.both needs either url or command',
    '9:44: mcp.servers.kind.args works only with command, but this server has url',
    '11:1: mcp.auto_approve.fs: a rule must be "server.tool" or "server.*"',
    '12:10: mcp.auto_approve."fs.a" must be true or false',
    '14:8: checkpoint.mode must be one of "ref", "commit", "off"',
    '16:12: safety.approve.0 must be a string or a table',
    '17:2: unknown key zzz; known keys: model, models, shell, mcp, safety, secrets, checkpoint, budget, context, explore, history, memory, abbreviations, extend, hooks, ui',
  ]);
});

test('a wrong value that may be a secret is not repeated', async () => {
  write(own, '[mcp.servers.a]\nurl = "http://127.0.0.1/"\nauth_token = 123456789\n');
  expect((await failure()).message).toBe(`${own}:3:14: mcp.servers.a.auth_token must be a string`);
});

test('a file that others can change is warned about', async () => {
  write(own, '');
  chmodSync(own, 0o602);
  expect((await load()).warnings).toEqual([
    `${own}: other users can change this file, and so what aish runs; make it your own, and run chmod go-w on it`,
  ]);
});

test('a token in a file that others can read is warned about, and in a private file it is not', async () => {
  write(own, '[mcp.servers.a]\nurl = "http://127.0.0.1/"\nauth_token = "t"\n');
  expect((await load()).warnings).toEqual([]);
  chmodSync(own, 0o644);
  expect((await load()).warnings).toEqual([
    `${own}: other users can read the auth_token of server a; run chmod 600 on the file, or use auth_env`,
  ]);
});

const OWN = [
  '[shell]\nconfirm_cmd = false',
  '[mcp]\nmax_tool_depth = 5',
  '[mcp.servers.fs]\ncommand = "fs"',
  '[mcp.auto_approve]\n"fs.*" = true\n"fs.write_file" = true\n"web.*" = true',
  '[checkpoint]\nmode = "off"',
].join('\n');

function projectFile(text: string): string {
  const path = join(cwd, '.aish', 'config.toml');
  write(path, text);
  return path;
}

test("a project's file may make everything stricter", async () => {
  write(own, OWN);
  const path = projectFile(
    [
      '[shell]\nconfirm_cmd = true',
      '[mcp]\nmax_tool_depth = 2\nask = ["fs.*"]\ndeny = ["web.post"]',
      '[mcp.servers.fs]\nenabled = false',
      '[mcp.auto_approve]\n"fs.*" = false',
      '[checkpoint]\nmode = "ref"',
    ].join('\n'),
  );
  const { config, origins, warnings } = await load();
  expect(warnings).toEqual([]);
  expect(config.shell.confirm_cmd).toBe(true);
  expect(config.mcp.max_tool_depth).toBe(2);
  expect(config.mcp.servers.fs?.enabled).toBe(false);
  expect(config.mcp.auto_approve).toEqual({ 'fs.*': false, 'fs.write_file': false, 'web.*': true });
  expect([config.mcp.ask, config.mcp.deny]).toEqual([['fs.*'], ['web.post']]);
  expect(config.checkpoint.mode).toBe('ref');
  expect(origins.get('mcp.max_tool_depth')).toBe(path);
});

test("what a project's file would loosen or add is left out, with one warning that names it", async () => {
  write(own, '[mcp]\nmax_tool_depth = 5\n[mcp.servers.fs]\ncommand = "fs"\n');
  const before = await load();
  const path = projectFile(
    [
      'model = "theirs"',
      'models.theirs.base_url = "http://evil.example/v1"',
      'shell = { program = "/tmp/sh", confirm_cmd = false }',
      'checkpoint.mode = "commit"',
      '"\\u001b[2J\\u202e" = 1',
      '[mcp]\nmax_tool_depth = 50',
      '[mcp.servers.fs]\ncommand = "evil"',
      '[mcp.auto_approve]\n"fs.*" = true',
    ].join('\n'),
  );
  const { config, warnings } = await load();
  expect(config).toEqual(before.config);
  expect(warnings).toEqual([
    `${path}: aish ignores model, models.theirs.base_url, shell.program, shell.confirm_cmd, ` +
      'checkpoint.mode, "\\u001b[2J\\u202e", mcp.max_tool_depth, mcp.servers.fs.command and 1 more, ' +
      'because an untrusted project file can only make settings stricter; to trust it, run: aish config trust',
  ]);
});

test("a project's file is found up to the root of the work tree, and not above it", async () => {
  projectFile('[mcp]\nmax_tool_depth = 2\n');
  const inside = join(cwd, 'a', 'b');
  mkdirSync(inside, { recursive: true });
  const depth = async () => (await load({ cwd: inside })).config.mcp.max_tool_depth;
  expect(await depth()).toBe(8);
  mkdirSync(join(cwd, '.git'));
  expect(await depth()).toBe(2);
  mkdirSync(join(cwd, 'a', '.git'));
  expect(await depth()).toBe(8);
});

test("a project's file with a mistake is told with its place and changes nothing", async () => {
  write(own, OWN);
  const { config } = await load();
  const path = projectFile('[mcp]\nx = = 1\n');
  const loaded = await load();
  expect(loaded.config).toEqual(config);
  expect(loaded.warnings).toEqual([expect.stringMatching(/config\.toml:2:\d+: .*; aish ignores this project file$/)]);
  expect(loaded.warnings[0]).toStartWith(path);
});

test("a pipe in the place of a project's file is left out at once instead of waited for", async () => {
  mkdirSync(join(cwd, '.aish'));
  await Bun.spawn(['mkfifo', join(cwd, '.aish', 'config.toml')]).exited;
  const { config, warnings } = await load();
  expect(config).toEqual(DEFAULT_CONFIG);
  expect(warnings).toEqual([expect.stringMatching(/it is not a regular file; aish ignores this project file$/)]);
});

test('a pipe in the place of the own file is refused at once instead of waited for', async () => {
  mkdirSync(dirname(own), { recursive: true });
  await Bun.spawn(['mkfifo', own]).exited;
  expect((await failure()).code).toBe('config.unreadable');
});

test('the shown configuration names every origin and hides secrets', async () => {
  write(own, '[mcp.servers.a]\nurl = "http://127.0.0.1/"\nauth_token = "secret"\nheaders = { "X-Key" = "secret" }\n');
  const text = formatConfig(await load({ flags: { model: 'm' } }));
  expect(text).not.toContain('"secret"');
  expect(text.split('\n').map((line) => line.replace(/ +# /, ' # '))).toEqual([
    'shell.confirm_cmd = true # default',
    'shell.doubt = "model" # default',
    'mcp.max_tool_depth = 8 # default',
    `mcp.servers.a.url = "http://127.0.0.1/" # ${own}`,
    `mcp.servers.a.headers.X-Key = "…" # ${own}`,
    `mcp.servers.a.auth_token = "…" # ${own}`,
    'mcp.servers.a.timeout_ms = 60000 # default',
    'mcp.servers.a.enabled = true # default',
    'mcp.ask = [] # default',
    'mcp.deny = [] # default',
    'safety.auto_run = "read-only" # default',
    'safety.cloud = "never" # default',
    'safety.approve = [] # default',
    'safety.ask = [] # default',
    'safety.deny = [] # default',
    'secrets.names = [] # default',
    'secrets.files = [] # default',
    'secrets.public = [] # default',
    'checkpoint.mode = "ref" # default',
    'checkpoint.commands = "none" # default',
    'checkpoint.keep = 200 # default',
    'checkpoint.max_disk = 1000000000 # default',
    'checkpoint.max_files = 20000 # default',
    'checkpoint.max_bytes = 200000000 # default',
    'context.compact_at = 80 # default',
    'explore.offer = "auto" # default',
    'explore.steps = 12 # default',
    'explore.tokens = 150000 # default',
    'history.enabled = true # default',
    'history.ignore = [] # default',
    'history.duplicates = "ignore" # default',
    'history.max_lines = 10000 # default',
    'memory.propose = true # default',
    'extend.folders = [] # default',
    'hooks.pre-tool = [] # default',
    'hooks.post-tool = [] # default',
    'hooks.prompt = [] # default',
    'hooks.turn-end = [] # default',
    'hooks.timeout_ms = 10000 # default',
    'ui.color = "auto" # default',
    'ui.theme = "auto" # default',
    'ui.keys = "emacs" # default',
    'ui.screen_reader = false # default',
    'ui.prompt = "auto" # default',
    'ui.prompt_parts = ["duration", "status", "jobs", "host", "environment", "directory", "repository"] # default',
    'ui.prompt_duration_s = 3 # default',
    'ui.notify = "auto" # default',
    'ui.notify_after_s = 10 # default',
    'model = "m" # --model',
    '',
  ]);
  expect(formatCheck(await load())).toBe(`${own}: no mistakes\n`);
});

test('the shown configuration has no password and no key of an address or an argument', async () => {
  write(
    own,
    [
      '[models.a]\nbase_url = "http://me:hunter2@127.0.0.1/v1?api_key=hidden"',
      '[mcp.servers.b]\nurl = "https://me:hunter2@b.example/mcp?token=hidden"',
      '[mcp.servers.c]\ncommand = "c"\nargs = ["--api-key=hidden", "--token", "hidden", "--port", "1", "postgres://me:hidden@db/x"]',
    ].join('\n'),
  );
  const shown = formatConfig(await load());
  expect(shown).not.toMatch(/hidden|hunter2/);
  expect(shown).toContain('models.a.base_url = "http://127.0.0.1/v1?…"');
  expect(shown).toContain('mcp.servers.b.url = "https://b.example/mcp?…"');
  expect(shown).toContain('mcp.servers.c.args = ["--api-key=…", "--token", "…", "--port", "1", "postgres://db/x"]');
});

test('the example with its comment signs taken off has no mistake and sets every key', async () => {
  write(own, formatExample());
  expect((await load()).config).toEqual(DEFAULT_CONFIG);
  write(own, formatExample().replaceAll(/^# (?=\[|"?[\w.*-]+"? =)/gm, ''));
  const { origins, warnings } = await load();
  expect(warnings).toEqual([]);
  const set = [...origins.keys()].map((key) =>
    key
      .replace(/^(models|mcp\.servers)\.\w+/, '$1.*')
      .replace(/(auto_approve|allow|env|headers|abbreviations)\..*/, '$1.*')
      .replace(/^(safety\.\w+)\..*/, '$1'),
  );
  const keys = listConfigKeys().filter((key) => key.type !== 'table');
  expect(new Set(set)).toEqual(new Set(keys.map((key) => key.path.join('.'))));
});

test('a fallback is a model of the file, or names its provider', async () => {
  const section = (name: string, fallback: string) =>
    `[models.${name}]\nbase_url = "http://127.0.0.1:1"\nfallback = ["${fallback}"]\n`;
  write(own, section('first', 'ollama:qwen3') + section('spare', 'frist'));
  expect((await failure()).message).toBe(
    `${own}:6:13: models.spare.fallback names "frist", which is no model of this file; did you mean first?`,
  );
});
