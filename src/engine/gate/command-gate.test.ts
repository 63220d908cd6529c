import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { CommandGate } from './command-gate.ts';

/** A gate for a shell that nobody started. */
function gateAt(cwd: string, home: string, shell = 'bash'): CommandGate {
  const start = () => Promise.reject(new Error('nothing is to be started'));
  return new CommandGate({ sharedShell: { shell: null, start, placeNow: () => cwd }, home, shell: () => shell });
}

function tool(args: JsonObject, name = 'box.run'): ToolCall {
  return { id: 'c', name, arguments: args, effect: 'write', origin: 'model' };
}

const rules = { approve: [], ask: [], deny: [] };

test("a server's command is held to the floor, whatever its argument is called, and to nothing else", async () => {
  const gate = gateAt('/home/u/p', '/home/u');
  const judge = async (args: JsonObject) => (await gate.judge(tool(args), rules))?.decision ?? null;
  const names = ['command', 'cmd', 'script', 'shell', 'code', 'Command'];
  expect(await Promise.all(names.map((name) => judge({ [name]: 'rm -rf ~' })))).toEqual(names.map(() => 'deny'));
  expect(await judge({ steps: [{ name: 'a' }, { run: { command: 'rm -rf ~' } }] })).toBe('deny');
  expect(await Promise.all([judge({ command: 'rm -rf build' }), judge({ text: 'rm -rf ~' }), judge({})])).toEqual([
    'ask',
    null,
    null,
  ]);
});

test('our own tools that run nothing are not looked into', async () => {
  const gate = gateAt('/home/u/p', '/home/u');
  expect(await gate.judge(tool({ script: 'rm -rf ~' }, 'aish.write_file'), rules)).toBeNull();
});

test('our own tools are refused the writing of what acts later, by a link too, and may read it', async () => {
  using home = new Home();
  const gate = gateAt(home.work, home.home);
  symlinkSync(join(home.work, '.git/hooks/post-merge'), join(home.work, 'notes'));
  const judge = async (name: string, path: string, effect: ToolCall['effect'] = 'write') => {
    const judged = await gate.judge({ ...tool({ path, content: 'x' }, `aish.${name}`), effect }, rules);
    return judged === null ? null : `${judged.decision} ${judged.floors.join()}`;
  };
  const refused = 'deny D3';
  const paths = ['.git/hooks/pre-commit', '.git/config', '~/.bashrc', '.husky/pre-push', 'notes'];
  expect(await Promise.all(paths.map((path) => judge('write_file', path)))).toEqual(paths.map(() => refused));
  expect(await judge('edit_file', '.git/config')).toEqual(refused);
  expect([await judge('write_file', 'src/a.ts'), await judge('read_file', '.git/config', 'read')]).toEqual([
    null,
    null,
  ]);
});

test('a server that is told of what acts later is asked about, and its commands are held to the floor all the same', async () => {
  const gate = gateAt('/home/u/p', '/home/u');
  const judge = (args: JsonObject, effect: ToolCall['effect'] = 'write') =>
    gate.judge({ ...tool(args), effect }, rules);
  expect(await judge({ path: '~/.bashrc' })).toEqual({
    class: 'mutating',
    decision: 'ask',
    reasons: ['an argument names what acts later: /home/u/.bashrc'],
    floors: [],
    cwd: '/home/u/p',
    rule: 'what acts later',
  });
  expect((await judge({ path: '.git/config', command: 'rm -rf ~' }))?.decision).toBe('deny');
  expect([await judge({ path: 'src/a.ts' }), await judge({ path: '.git/config' }, 'read')]).toEqual([null, null]);
});

test('the project is the work tree around the shell, and never one that holds the home directory', async () => {
  using home = new Home();
  const inside = join(home.work, 'a', 'b');
  mkdirSync(inside, { recursive: true });
  mkdirSync(join(home.root, '.git'));
  const projectOf = async (cwd: string) => (await gateAt(cwd, home.home).ground()).project;
  expect(await Promise.all([projectOf(inside), projectOf(home.home), projectOf(join(home.root, 'run'))])).toEqual([
    home.work,
    home.home,
    join(home.root, 'run'),
  ]);
});

test('a line is judged with what would approve it, and a rule that asks leaves nothing to propose', async () => {
  const gate = gateAt('/home/u/p', '/home/u');
  const asked = await gate.judgeLine('git log -1', rules);
  expect(asked).toEqual({
    class: 'read-only',
    decision: 'ask',
    reasons: [],
    floors: [],
    cwd: '/home/u/p',
    proposal: [{ prefix: 'git log', class: 'read-only' }],
  });
  expect(await gate.judgeLine('git log -1', { ...rules, ask: ['git'] })).toEqual({
    class: 'read-only',
    decision: 'ask',
    reasons: [],
    floors: [],
    cwd: '/home/u/p',
    rule: 'git',
  });
});

test('what zsh reads otherwise than bash is asked there, whatever a rule says', async () => {
  const line = 'ls ~[x]';
  const decide = async (shell: string, deny: readonly string[] = []) => {
    const { decision, class: kind } = await gateAt('/home/u/p', '/home/u', shell).judgeLine(line, {
      ...rules,
      approve: ['ls'],
      deny,
    });
    return [decision, kind];
  };
  expect([await decide('zsh'), await decide('zsh', ['ls'])]).toEqual([
    ['ask', 'unparseable'],
    ['deny', 'read-only'],
  ]);
  const plain = await gateAt('/home/u/p', '/home/u', 'zsh').judgeLine('ls -l', { ...rules, approve: ['ls'] });
  expect(plain.decision).toBe('allow');
});

test('what is kept from others is asked about with its reason, by a command that a rule approves and by a tool that reads', async () => {
  using home = new Home();
  const gate = gateAt(home.work, home.home);
  for (const folder of ['.restic', '.new', 'work/packages/api'])
    mkdirSync(join(home.home, folder), { recursive: true });
  const laid = [join(home.home, '.new/state'), join(home.home, '.new/open'), join(home.work, '.env.example')];
  for (const path of laid) writeFileSync(path, 'x', { mode: path.endsWith('state') ? 0o600 : 0o644 });
  const command = (line: string): ToolCall => ({ ...tool({ command: line }, 'aish.exec'), effect: 'exec' });
  const approved = { ...rules, approve: ['cat', 'git add'] };
  const judge = async (call: ToolCall) => {
    const judged = await gate.judge({ ...call, effect: call.effect === 'exec' ? 'exec' : 'read' }, approved);
    return judged === null ? null : [judged.decision, judged.reasons.at(-1)?.replaceAll(home.home, '~')];
  };
  const read = (path: string, name = 'aish.read_file') => judge(tool({ path }, name));
  expect(await Promise.all(['.env', 'packages/api/.env', '~/.netrc'].map((path) => read(path)))).toEqual([
    ['ask', `prints credentials: ${join(home.work, '.env').replaceAll(home.home, '~')}`],
    ['ask', `prints credentials: ${join(home.work, 'packages/api/.env').replaceAll(home.home, '~')}`],
    ['ask', 'prints credentials: ~/.netrc'],
  ]);
  expect([await read('~/.new/state'), await read('.env', 'box.read')]).toEqual([
    ['ask', 'reads what only you may read: ~/.new/state'],
    ['ask', `an argument names what is kept from others: ${join(home.work, '.env').replaceAll(home.home, '~')}`],
  ]);
  expect([await read('~/.new/open'), await read('.env.example'), await read('src/token.ts')]).toEqual([
    null,
    null,
    null,
  ]);
  expect(await judge(command('cat ~/.new/state'))).toEqual(['ask', 'reads what only you may read: ~/.new/state']);
  symlinkSync(join(home.home, '.new/state'), join(home.work, 'link'));
  expect([await judge(command('cat link | head')), (await judge(command('rm ~/.new/state')))?.at(-1)]).toEqual([
    ['ask', 'reads what only you may read: ~/.new/state'],
    expect.not.stringContaining('reads'),
  ]);
});

test('an edit of what is kept from others is asked about like reading it, also by a link, and writing it whole is not', async () => {
  using home = new Home();
  const gate = gateAt(home.work, home.home);
  writeFileSync(join(home.work, '.env'), 'NOTE=call bob\n');
  symlinkSync(join(home.work, '.env'), join(home.work, 'link'));
  const judge = async (name: string, path: string) =>
    (await gate.judge(tool({ path, old: 'a', new: 'b' }, `aish.${name}`), rules))?.rule ?? null;
  const edits = ['.env', 'link', 'src/a.ts'].map((path) => judge('edit_file', path));
  expect(await Promise.all(edits)).toEqual(['kept from others', 'kept from others', null]);
  expect(await judge('write_file', '.env')).toBeNull();
});
