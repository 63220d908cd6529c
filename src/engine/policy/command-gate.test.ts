import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { Lookup } from '../../adapters/shell/lookup.ts';
import type { Classification } from '../../core/commands/verdict.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import type { SandboxRunner } from '../shell/sandbox-runner.ts';
import { CommandGate } from './command-gate.ts';
import { BUILT_IN_RULES, formatNamesLater, formatNamesPrivate, formatPrivate } from './messages.ts';

/** A gate for a shell that nobody started. */
function gateAt(cwd: string, home: string, shell = 'bash'): CommandGate {
  const start = () => Promise.reject(new Error('nothing is to be started'));
  return new CommandGate({ sharedShell: { shell: null, start, placeNow: () => cwd }, home, shell: () => shell });
}

function tool(args: JsonObject, name = 'box.run'): ToolCall {
  return { id: 'c', name, arguments: args, effect: 'write', origin: 'model' };
}

/** Classifies commands of the model where rules approve some, for a shell that has no names of its own, or that did not tell them. */
function classifyWith(
  { home, root, work }: Home,
  approve: readonly string[],
  {
    isTold = true,
    sandbox,
  }: { readonly isTold?: boolean; readonly sandbox?: Pick<SandboxRunner, 'whyNot' | 'warm'> } = {},
) {
  const names = join(root, 'names');
  const lookups = new Lookup({ file: names, exports: names, path: process.env.PATH ?? '' });
  writeFileSync(names, `= path\n${process.env.PATH ?? ''}\n= end\n1\0`);
  if (isTold) lookups.refresh('1');
  const shell = { atRest: () => Promise.resolve(), lookups };
  const sharedShell = { shell, start: () => Promise.resolve(shell), placeNow: () => work };
  const own = { paths: [join(home, '.aish')], program: [], pids: [], variables: {} };
  const parts = { sharedShell: sharedShell as never, home, own: () => own, shell: () => 'bash' };
  const gate = new CommandGate(sandbox === undefined ? parts : { ...parts, sandbox });
  return async (command: string) => {
    const call: ToolCall = { id: 'c', name: 'aish.exec', arguments: { command }, effect: 'exec', origin: 'model' };
    const decided = await gate.decide(call, { ...rules, approve }, sandbox === undefined ? 'none' : 'read-only');
    return decided?.autoRun === true ? 'sandbox' : decided?.decision;
  };
}

const rules = { approve: [], ask: [], deny: [] };

test('what a rule allows runs in the sandbox, or asks, where it reads files that only the shell or the disk knows', async () => {
  using home = new Home();
  const approve = ['cat', 'grep', 'ls', 'echo', 'find'];
  const sandbox = { whyNot: async ({ variables }: Classification) => variables[0] ?? null, warm: async () => {} };
  const [inside, plain] = [classifyWith(home, approve, { sandbox }), classifyWith(home, approve)];
  const lines = ['cat README', 'cat *', 'grep -r x .', 'cat "$F"', 'ls -R', 'echo "$F"', 'find . -name x'];
  const answers = async (decide: typeof inside) => (await Promise.all(lines.map(decide))).join(' ');
  expect(await answers(inside)).toBe('allow sandbox sandbox ask allow allow allow');
  expect(await answers(plain)).toBe('allow allow allow ask allow allow allow');
});

test("a server's command is held to the floor, whatever its argument is called, and to nothing else", async () => {
  const gate = gateAt('/home/u/p', '/home/u');
  const decide = async (args: JsonObject) => (await gate.decide(tool(args), rules))?.decision ?? null;
  const names = ['command', 'cmd', 'script', 'shell', 'code', 'Command'];
  expect(await Promise.all(names.map((name) => decide({ [name]: 'rm -rf ~' })))).toEqual(names.map(() => 'deny'));
  expect(await decide({ steps: [{ name: 'a' }, { run: { command: 'rm -rf ~' } }] })).toBe('deny');
  expect(await Promise.all([decide({ command: 'rm -rf build' }), decide({ text: 'rm -rf ~' }), decide({})])).toEqual([
    'ask',
    null,
    null,
  ]);
});

test('our own tools that run nothing are not looked into', async () => {
  const gate = gateAt('/home/u/p', '/home/u');
  expect(await gate.decide(tool({ script: 'rm -rf ~' }, 'aish.write_file'), rules)).toBeNull();
});

test('our own tools are refused the writing of what acts later, by a link too, and may read it', async () => {
  using home = new Home();
  const gate = gateAt(home.work, home.home);
  symlinkSync(join(home.work, '.git/hooks/post-merge'), join(home.work, 'notes'));
  const decide = async (name: string, path: string, effect: ToolCall['effect'] = 'write') => {
    const decided = await gate.decide({ ...tool({ path, content: 'x' }, `aish.${name}`), effect }, rules);
    return decided === null ? null : `${decided.decision} ${decided.hardDenials.join()}`;
  };
  const refused = 'deny D3';
  const paths = ['.git/hooks/pre-commit', '.git/config', '~/.bashrc', '.husky/pre-push', 'notes'];
  expect(await Promise.all(paths.map((path) => decide('write_file', path)))).toEqual(paths.map(() => refused));
  expect(await decide('edit_file', '.git/config')).toEqual(refused);
  expect([await decide('write_file', 'src/a.ts'), await decide('read_file', '.git/config', 'read')]).toEqual([
    null,
    null,
  ]);
});

test('a server that is told of what acts later is asked about, and its commands are held to the built-in rules all the same', async () => {
  const gate = gateAt('/home/u/p', '/home/u');
  const decide = (args: JsonObject, effect: ToolCall['effect'] = 'write') =>
    gate.decide({ ...tool(args), effect }, rules);
  expect(await decide({ path: '~/.bashrc' })).toEqual({
    class: 'mutating',
    decision: 'ask',
    reasons: [formatNamesLater('/home/u/.bashrc')],
    hardDenials: [],
    cwd: '/home/u/p',
    rule: BUILT_IN_RULES.later,
  });
  expect((await decide({ path: '.git/config', command: 'rm -rf ~' }))?.decision).toBe('deny');
  expect([await decide({ path: 'src/a.ts' }), await decide({ path: '.git/config' }, 'read')]).toEqual([null, null]);
});

test('the project is the work tree around the shell, and never one that holds the home directory', async () => {
  using home = new Home();
  const inside = join(home.work, 'a', 'b');
  mkdirSync(inside, { recursive: true });
  mkdirSync(join(home.root, '.git'));
  const projectOf = async (cwd: string) => (await gateAt(cwd, home.home).context()).project;
  expect(await Promise.all([projectOf(inside), projectOf(home.home), projectOf(join(home.root, 'run'))])).toEqual([
    home.work,
    home.home,
    join(home.root, 'run'),
  ]);
});

test('a line is classified with what would approve it, and a rule that asks leaves nothing to propose', async () => {
  const gate = gateAt('/home/u/p', '/home/u');
  const { programs: shown, ...asked } = await gate.decideLine('git log -1', rules);
  expect(shown?.map(({ name }) => name)).toEqual(['git', 'trap DEBUG']);
  expect(asked).toEqual({
    class: 'read-only',
    decision: 'ask',
    effects: [],
    reasons: [],
    hardDenials: [],
    cwd: '/home/u/p',
    proposal: [{ prefix: 'git log', class: 'read-only' }],
  });
  const { programs: _, ...ruled } = await gate.decideLine('git log -1', { ...rules, ask: ['git'] });
  expect(ruled).toEqual({
    class: 'read-only',
    decision: 'ask',
    effects: [],
    reasons: [],
    hardDenials: [],
    cwd: '/home/u/p',
    rule: 'git',
  });
});

test('what zsh reads otherwise than bash is asked there, whatever a rule says', async () => {
  const line = 'ls ~[x]';
  const decide = async (shell: string, deny: readonly string[] = []) => {
    const { decision, class: kind } = await gateAt('/home/u/p', '/home/u', shell).decideLine(line, {
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
  const plain = await gateAt('/home/u/p', '/home/u', 'zsh').decideLine('ls -l', { ...rules, approve: ['ls'] });
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
  const decide = async (call: ToolCall) => {
    const decided = await gate.decide({ ...call, effect: call.effect === 'exec' ? 'exec' : 'read' }, approved);
    return decided === null ? null : [decided.decision, decided.reasons.at(-1)?.replaceAll(home.home, '~')];
  };
  const read = (path: string, name = 'aish.read_file') => decide(tool({ path }, name));
  expect(await Promise.all(['.env', 'packages/api/.env', '~/.netrc'].map((path) => read(path)))).toEqual([
    ['ask', `prints credentials: ${join(home.work, '.env').replaceAll(home.home, '~')}`],
    ['ask', `prints credentials: ${join(home.work, 'packages/api/.env').replaceAll(home.home, '~')}`],
    ['ask', 'prints credentials: ~/.netrc'],
  ]);
  expect([await read('~/.new/state'), await read('.env', 'box.read')]).toEqual([
    ['ask', formatPrivate('~/.new/state')],
    ['ask', formatNamesPrivate(join(home.work, '.env').replaceAll(home.home, '~'))],
  ]);
  expect([await read('~/.new/open'), await read('.env.example'), await read('src/token.ts')]).toEqual([
    null,
    null,
    null,
  ]);
  expect(await decide(command('cat ~/.new/state'))).toEqual(['ask', formatPrivate('~/.new/state')]);
  symlinkSync(join(home.home, '.new/state'), join(home.work, 'link'));
  expect([await decide(command('cat link | head')), (await decide(command('rm ~/.new/state')))?.at(-1)]).toEqual([
    ['ask', formatPrivate('~/.new/state')],
    expect.not.stringContaining('reads'),
  ]);
});

test('a file that only the user may read is kept whatever program names it, and wherever it is named', async () => {
  using home = new Home();
  const gate = gateAt(home.work, home.home);
  const state = join(home.home, '.new/state');
  mkdirSync(join(home.home, '.new'));
  writeFileSync(state, 'x', { mode: 0o600 });
  writeFileSync(join(home.work, 'a.txt'), 'x');
  symlinkSync(state, join(home.work, 'lnk'));
  const reasons = async (line: string) => {
    const decided = await gate.decide({ ...tool({ command: line }, 'aish.exec'), effect: 'exec' }, rules);
    return decided?.reasons.some((one) => one.startsWith(formatPrivate(''))) === true;
  };
  const prefixes = [
    'file -f ',
    'wc --files0-from=',
    'du --files0-from=',
    'man ',
    'man -l ',
    'bc ',
    'date -f ',
    'git config -l -f ',
    'git config -l --file=',
  ];
  const more = [
    'rg x --ignore-file=',
    'dircolors ',
    'who ',
    'git blame a.txt --ignore-revs-file=',
    'cat < ',
    'grep -f ',
    'dd if=',
    'sort --random-source=',
  ];
  const glued = ['file -f', 'date -f', 'git config -l -f', 'grep x -f', 'xargs -a'];
  const lines = [...prefixes, ...more].flatMap((one) => [one + state, `${one}lnk`]);
  const all = [
    ...lines,
    ...glued.flatMap((one) =>
      [`${one}lnk`, `${one}${state}`].map((word) => `${word}${one.startsWith('xargs') ? ' cat' : ''}`),
    ),
  ];
  const missed = [];
  for (const line of all) if (!(await reasons(line))) missed.push(line);
  expect(missed).toEqual([]);
  const plain = ['ls -l', 'stat', 'echo', 'test -f', 'file', 'readlink -f', 'du -sh', 'find'].flatMap((one) => [
    `${one} ${state}`,
    `${one} lnk`,
  ]);
  const alarms = [];
  for (const line of [...plain, `grep '${state}' a.txt`, 'man ls', "sed -n '/lnk/p' a.txt"])
    if (await reasons(line)) alarms.push(line);
  expect(alarms).toEqual([]);
});

test('a line with more words than are looked up is asked about', async () => {
  using home = new Home();
  const words = Array.from({ length: 2100 }, (_, at) => `f${at}`);
  const decided = await gateAt(home.work, home.home).decide(
    { ...tool({ command: `cat ${words.join(' ')}` }, 'aish.exec'), effect: 'exec' },
    { ...rules, approve: ['cat'] },
  );
  expect(decided?.decision).toBe('ask');
});

test('an edit of what is kept from others is asked about like reading it, also by a link, and writing it whole is not', async () => {
  using home = new Home();
  const gate = gateAt(home.work, home.home);
  writeFileSync(join(home.work, '.env'), 'NOTE=call bob\n');
  symlinkSync(join(home.work, '.env'), join(home.work, 'link'));
  const decide = async (name: string, path: string) =>
    (await gate.decide(tool({ path, old: 'a', new: 'b' }, `aish.${name}`), rules))?.rule ?? null;
  const edits = ['.env', 'link', 'src/a.ts'].map((path) => decide('edit_file', path));
  expect(await Promise.all(edits)).toEqual([BUILT_IN_RULES.private, BUILT_IN_RULES.private, null]);
  expect(await decide('write_file', '.env')).toBeNull();
});

test('a rule for git does not let it print a secret of the history', async () => {
  using home = new Home();
  writeFileSync(join(home.work, '.env'), 'PASSWORD=hunter2\n');
  home.git('add', '-f', '.env');
  home.git('commit', '-qm', 'secret');
  home.git('rm', '-q', '.env');
  home.git('commit', '-qm', 'gone');
  const decide = classifyWith(home, ['git log', 'git diff', 'git commit']);
  const lines = [
    'git log -p',
    'git diff HEAD~2 HEAD',
    'git log',
    'git log -p -- README',
    'git diff',
    'git commit -m x',
  ];
  expect(await Promise.all(lines.map(decide))).toEqual(['ask', 'ask', 'allow', 'allow', 'allow', 'allow']);
});

test('a path that goes up from where a link leads is looked up there', async () => {
  using home = new Home();
  mkdirSync(join(home.home, '.app'));
  writeFileSync(join(home.home, '.app/token'), 'x\n', { mode: 0o600 });
  mkdirSync(join(home.home, 'Downloads'));
  symlinkSync(join(home.home, 'Downloads'), join(home.work, 'dl'));
  const decide = classifyWith(home, ['cat', 'touch']);
  mkdirSync(join(home.home, '.aish'));
  const lines = ['cat dl/../.app/token', 'cd dl && cat ../.app/token', 'touch dl/../.aish/config.toml', 'cat README'];
  expect(await Promise.all(lines.map(decide))).toEqual(['ask', 'ask', 'deny', 'allow']);
});

test('a command that a rule approves is asked about where the shell has not told which names it redefines', async () => {
  using home = new Home();
  expect(await classifyWith(home, ['make'])('make all')).toBe('allow');
  expect(await classifyWith(home, ['make'], { isTold: false })('make all')).toBe('ask');
});
