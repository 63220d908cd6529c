import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { classifyLine, type LineContext } from '../../policy/classify-line.ts';
import { ruleLine } from '../../policy/rules.ts';

const home = '/home/ana';
const project = `${home}/code/app`;

/** Folders where XDG variables, AISH_CONFIG and the defaults have them. */
const CONTEXT: LineContext = {
  home,
  project,
  cwd: project,
  ours: {
    paths: [
      `${home}/.config/aish`,
      `${home}/dotfiles/aish.toml`,
      '/data/xdg/aish',
      `${home}/.local/state/aish`,
      `${home}/.cache/aish`,
      '/run/user/1000/aish',
      '/proc/4242',
      '/proc/4243',
      '/dev/pts/7',
    ],
    program: ['/usr/local/bin/aish', '/opt/aish/bin', '/opt/aish/src'],
    pids: [4242, 4243],
    names: ['bun', 'Bun Pool'],
    variables: { AISH_CONFIG: `${home}/dotfiles/aish.toml`, XDG_CONFIG_HOME: '/data/xdg' },
    pane: '%3',
  },
};

interface Row {
  readonly cmd: string;
  readonly refused: boolean;
}

const FIXTURE = join(import.meta.dir, '../../../../test/fixtures/safety/self-protection.jsonl');
const ROWS: readonly Row[] = readFileSync(FIXTURE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const refused = (cmd: string): boolean => ruleLine('ask', {}, cmd, CONTEXT).decision === 'deny';

describe('what touches aish itself', () => {
  test('is refused, whatever way it is written', () => {
    const missed = ROWS.filter((row) => row.refused && !refused(row.cmd)).map(({ cmd }) => cmd);
    expect(missed).toEqual([]);
  });

  test('is refused beside a rule that approves it and in the autonomous mode', () => {
    const rules = { approve: ['rm', 'kill', 'cp', 'tmux', 'python3'] };
    const missed = ROWS.filter((row) => row.refused)
      .filter(({ cmd }) => (['ask', 'autonomous'] as const).some((mode) => ruleLine(mode, rules, cmd, CONTEXT).decision !== 'deny'))
      .map(({ cmd }) => cmd);
    expect(missed).toEqual([]);
  });

  test('is not what only looks like it', () => {
    const wrong = ROWS.filter((row) => !row.refused && refused(row.cmd)).map(({ cmd }) => cmd);
    expect(wrong).toEqual([]);
  });

  test('may be read when the user is asked, and not without asking', () => {
    const lines = ['cat ~/.config/aish/config.toml', 'tail ~/.local/state/aish/sessions/x/log.jsonl', 'grep a /data/xdg/aish/config.toml'];
    expect(lines.map((line) => classifyLine(line, CONTEXT).decision)).toEqual(['ask', 'ask', 'ask']);
  });

  test('makes no line milder that is classified without it', () => {
    const { ours: _, ...without } = CONTEXT;
    const order = ['allow', 'ask', 'deny'];
    const milder = ROWS.filter(
      ({ cmd }) => order.indexOf(classifyLine(cmd, CONTEXT).decision) < order.indexOf(classifyLine(cmd, without).decision),
    );
    expect(milder).toEqual([]);
  });
});
