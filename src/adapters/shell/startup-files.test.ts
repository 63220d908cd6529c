import { describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestShell, type TestShell } from '../../../test/support/test-shell.ts';
import { until } from '../../../test/support/until.ts';

const FIXTURES = join(import.meta.dir, '../../../test/fixtures/startup');
const RC = { bash: '.bashrc', zsh: '.zshrc' } as const;
/** The text that an instant prompt draws at the start, and wipes out at the first prompt. */
const INSTANT = /\x1b\[2J\x1b\[Hinstant> (?:\r\x1b\[J)?/;
type Program = keyof typeof RC;

/** A shell whose startup files are in the manner of these programs. */
function openWith(program: Program, ...names: string[]): TestShell {
  const text = names.map((name) => readFileSync(join(FIXTURES, `${name}.${program}`), 'utf8')).join('\n');
  return openTestShell(program, { files: { [RC[program]]: text }, env: { USER: 'ada' } });
}

const SETS: readonly (readonly [Program, ...string[]])[] = [
  ['bash', 'bash-preexec'],
  ['bash', 'starship'],
  ['bash', 'direnv'],
  ['bash', 'titles'],
  ['bash', 'lazy'],
  ['bash', 'oh-my-bash'],
  ['bash', 'atuin'],
  ['bash', 'powerlevel'],
  ['bash', 'titles', 'lazy', 'direnv', 'bash-preexec'],
  ['bash', 'bash-preexec', 'direnv'],
  ['bash', 'direnv', 'starship'],
  ['zsh', 'oh-my-zsh'],
  ['zsh', 'powerlevel'],
  ['zsh', 'starship'],
  ['zsh', 'instant'],
  ['zsh', 'instant', 'starship', 'atuin'],
  ['zsh', 'atuin'],
  ['zsh', 'suggestions'],
  ['zsh', 'direnv'],
  ['zsh', 'powerlevel', 'oh-my-zsh', 'atuin', 'suggestions', 'direnv'],
];

describe.each(SETS.map((names) => ({ title: names.join(' '), names })))('startup files as of $title', ({ names }) => {
  test('statuses, directories and output are right, and nothing of hooks is seen', async () => {
    await using t = openWith(...names);
    mkdirSync(join(t.home, 'project dir'));
    const lines = [
      'true',
      'false',
      '(exit 42)',
      'true | false',
      'cd "project dir"',
      'pwd',
      'cd ..',
      'if true; then',
      'echo $((6*7))',
    ];
    const told = [];
    for (const line of lines) {
      const { exit, cwd, output } = await t.run(line);
      told.push([exit, cwd.slice(t.home.length), line.startsWith('if') ? '' : output]);
    }
    const inside = '/project dir';
    const failed = names[0] === 'bash' ? 2 : 1;
    expect(told).toEqual([
      [0, '', ''],
      [1, '', ''],
      [42, '', ''],
      [1, '', ''],
      [0, inside, ''],
      [0, inside, `${t.home}${inside}\n`],
      [0, '', ''],
      [failed, '', ''],
      [0, '', '42\n'],
    ]);
    expect(visible(t.outside()).replace(INSTANT, '')).toBe('');
  });

  test('Ctrl-C, a job in the background and the status of the line before work', async () => {
    await using t = openWith(...names);
    await t.run(':');
    const running = t.run('sleep 60');
    await until(
      { what: 'sleep at the terminal' },
      () => t.shell.foregroundName,
      (name) => name === 'sleep',
    );
    t.shell.interrupt();
    expect((await running).exit).toBe(130);
    expect((await t.run('echo $?')).output).toBe('130\n');
    expect((await t.run('sleep 60 & :')).exit).toBe(0);
    expect((await t.run('kill %%; wait; echo done')).output).toContain('done\n');
  });
});

describe.each([
  ['bash', 'bash-preexec'],
  ['bash', 'atuin'],
  ['zsh', 'atuin'],
] as const)('a recorder of history in %s', (program, name) => {
  test('sees each line of the user once, as typed, with its status, and none of ours', async () => {
    await using t = openWith(program, name);
    const lines = ['echo "a  b"', 'false', 'for i in 1 2; do\n  :\ndone', "sh -c 'exit 3'"];
    for (const line of lines) await t.run(line);
    await t.ready();
    const recorded = readFileSync(join(t.home, 'recorded'), 'utf8');
    const loop = program === 'bash' ? 'for i in 1 2; do   :; done' : 'for i in 1 2; do\n  :\ndone';
    expect(recorded).toBe(`echo "a  b"|0\nfalse|1\n${loop}|0\nsh -c 'exit 3'|3\n`);
  });
});

test.each([
  ['bash', 'starship'],
  ['zsh', 'starship'],
] as const)(
  'a prompt in %s that a program makes is rendered with the status, the jobs and the pipeline of the line',
  async (program, name) => {
    const text = readFileSync(join(FIXTURES, `${name}.${program}`), 'utf8');
    await using t = openTestShell(program, { files: { [RC[program]]: text }, renderPrompt: true });
    await t.run('mkdir sub; cd sub; sleep 60 &');
    await t.run('true | (exit 3)');
    await t.ready();
    const shown = (t.shell.report.prompt ?? '').replace(/\x1b\[[\d;]*m/g, '');
    expect(shown).toContain('sub');
    // In bash a function of aish evaluates the line, and has a pipeline of its own.
    expect(shown).toContain(program === 'bash' ? 'st=3 jobs=1 pipes=1>' : 'st=3 jobs=1 pipes=2>');
  },
);

test.each([
  ['bash', 'powerlevel'],
  ['zsh', 'instant'],
] as const)(
  'in %s the snapshot of a prompt at the start belongs to no command, and output comes back',
  async (program, name) => {
    await using t = openWith(program, name);
    expect((await t.run('echo here; echo there >&2')).output).toBe('here\nthere\n');
    expect(visible(t.outside())).toContain('instant> ');
    expect(t.outside()).not.toContain('kept away');
  },
);

test('what a program finds and replaces in PROMPT_COMMAND is done once, and it does not grow', async () => {
  await using t = openWith('bash', 'bash-preexec', 'direnv');
  const measure = 'echo "${#PROMPT_COMMAND[*]} ${#PROMPT_COMMAND[0]}"; trap -p DEBUG';
  await t.run(':');
  const first = (await t.run(measure)).output;
  for (let count = 0; count < 5; count++) await t.run(':');
  expect((await t.run(measure)).output).toBe(first);
  expect(first).toContain('__bp_preexec_invoke_exec');
});

test('a hook that is asked what to remember sees the lines of the user', async () => {
  await using t = openWith('zsh', 'atuin');
  await t.run('echo one');
  await t.run(' echo two');
  expect(readFileSync(join(t.home, 'added'), 'utf8')).toBe('echo one\n echo two\n');
});

test.each(['bash', 'zsh'] as const)(
  'in %s the environment follows the directory, and what the hook says is shown',
  async (program) => {
    await using t = openWith(program, 'direnv');
    mkdirSync(join(t.home, 'web'));
    writeFileSync(join(t.home, 'web', '.envrc'), '');
    await t.run('cd web');
    expect((await t.run('echo "[$PROJECT]"')).output).toBe('[web]\n');
    await t.run('cd ..');
    expect((await t.run('echo "[$PROJECT]"')).output).toBe('[]\n');
  },
);

/** The visible rest of a text without titles and other control strings. */
function visible(text: string): string {
  return text.replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, '');
}
