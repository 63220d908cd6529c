import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { dirname } from 'node:path';
import { AISH, Home } from '../support/aish.ts';
import { PATIENCE } from '../support/at-prompt.ts';
import { hasProgram } from '../support/programs.ts';
import { openTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

function homeWithModels(): Home {
  const home = new Home();
  home.configure('[models.large]\nbase_url = "http://127.0.0.1:1"\n[models.little]\nbase_url = "http://127.0.0.1:1"\n');
  return home;
}

function environment(home: Home): Record<string, string> {
  return { ...home.env, PATH: `${dirname(AISH)}:${home.env.PATH}` };
}

/** Asks bash itself, by a Tab key for each line; the answer is what the line became. */
async function pressTab(
  home: Home,
  shell: readonly string[],
  setup: string,
  lines: readonly string[],
): Promise<string[]> {
  const [command = 'bash', ...args] = shell;
  await using terminal = openTerminal({
    command,
    args,
    cwd: home.work,
    columns: 120,
    env: { ...environment(home), PS1: 'ready> ' },
  });
  await terminal.waitFor('ready>', PATIENCE);
  terminal.type(`${setup}; echo se''t\n`);
  // Before its prompt is back the shell reads no keys, and the terminal prints them itself.
  await terminal.waitFor(/\nset\s+ready>\s*$/, PATIENCE);
  const became: string[] = [];
  for (const [line, wanted] of lines.map((line) => line.split(' => '))) {
    terminal.type(line ?? '');
    terminal.press('tab');
    await terminal.waitFor((screen) => screen.trimEnd().endsWith((wanted ?? '').trimEnd()), PATIENCE);
    became.push(terminal.screen().split('ready> ').at(-1)?.trimEnd() ?? '');
    // A key that is read in its turn: a signal might stop a completion that is shown already and has not come to its end.
    terminal.press('ctrl-u');
    await terminal.waitFor((screen) => screen.trimEnd().endsWith('ready>'), PATIENCE);
  }
  return became;
}

const LINES = [
  'aish --mo => aish --model',
  'aish ses => aish sessions',
  'aish config ch => aish config check',
  'aish --output st => aish --output stream-json',
  'aish --model li => aish --model little',
];
const BECAME = LINES.map((line) => line.split(' => ')[1] ?? '');

test('[cli.completion] bash completes options, subcommands, their words, values and models', async () => {
  using home = homeWithModels();
  const became = await pressTab(home, ['bash', '--norc', '--noprofile', '-i'], 'eval "$(aish completion bash)"', LINES);
  expect(became).toEqual(BECAME);
});

describe.skipIf(!hasProgram('zsh'))('in zsh', () => {
  test('[cli.completion] zsh completes the same, with what each means', async () => {
    using home = homeWithModels();
    const setup = 'autoload -U compinit; compinit -D -u; eval "$(aish completion zsh)"';
    expect(await pressTab(home, ['zsh', '-f', '-i'], setup, LINES)).toEqual(BECAME);
  });
});

describe.skipIf(!hasProgram('fish'))('in fish', () => {
  test('[cli.completion] fish completes the same, with what each means', async () => {
    using home = homeWithModels();
    const ask = (line: string) => {
      const done = Bun.spawnSync(['fish', '-N', '-c', `aish completion fish | source; complete -C '${line}'`], {
        env: environment(home),
        cwd: home.work,
      });
      return done.stdout.toString().trim().split('\n');
    };
    expect(['aish --mo', 'aish ses', 'aish config ch', 'aish --output st', 'aish --model li'].map(ask)).toEqual([
      ['--model\tuse this model, by its name or as PROVIDER:MODEL'],
      ['sessions\tlist, search and replay earlier sessions'],
      ['check\tcheck the file for mistakes'],
      ['stream-json\tchoose the format of the answer'],
      ['little\tuse this model, by its name or as PROVIDER:MODEL'],
    ]);
  });
});

test('[cli.completion] another shell is a wrong command line', async () => {
  using home = new Home();
  const { code, error } = await home.run(['completion', 'tcsh']);
  expect([code, error.split('\n')[0]]).toEqual([2, 'aish: aish completion takes bash | zsh | fish']);
});

test('[cli.help] --help lists all, and behind a subcommand tells of it alone', async () => {
  using home = new Home();
  const [all, one] = [await home.run(['--help']), await home.run(['sessions', 'show', '--help'])];
  expect(all.out).toContain('  --output text|json|stream-json  choose the format of the answer\n');
  expect(one.out).toStartWith('aish sessions [ACTION]: ');
});
