import { describe, expect, test } from 'bun:test';
import { AishError } from '../../protocol/error.ts';
import { optionsOf, SHELL_OPTIONS, SUBCOMMAND_ROWS } from './command-table.ts';
import { COMPLETION_SHELLS, completeArgs } from './completion-scripts.ts';
import { formatUsage } from './help.ts';
import { type Invocation, isLoginShell, parseArgs, SUBCOMMANDS } from './invocation.ts';

const PLAIN = { output: 'text', continue: false, color: true } as const;

function parse(...argv: readonly string[]): Invocation {
  return parseArgs(argv, 'aish');
}

function failure(...argv: readonly string[]): string {
  try {
    parse(...argv);
  } catch (thrown) {
    if (thrown instanceof AishError) return `${thrown.code}: ${thrown.message}`;
  }
  return 'understood';
}

describe('options', () => {
  test('take their value from the next word or from behind =', () => {
    const options = { ...PLAIN, output: 'json', model: 'large', maxSteps: 3, cwd: '/x' } as const;
    expect(parse('--output', 'json', '--model=large', '--max-steps', '3', '--cwd=/x', 'hello')).toEqual({
      type: 'print',
      prompt: 'hello',
      options,
    });
  });

  test('that need no value leave the next option alone', () => {
    expect([parse('--resume', '--no-color'), parse('--resume', 'abc'), parse('--resume=abc', 'hi')]).toEqual([
      { type: 'shell', login: false, options: { ...PLAIN, resume: '', color: false } },
      { type: 'shell', login: false, options: { ...PLAIN, resume: 'abc' } },
      { type: 'print', prompt: 'hi', options: { ...PLAIN, resume: 'abc' } },
    ]);
  });

  test('with a short name mean the same', () => {
    expect([parse('-p', 'a', 'b'), parse('-l'), parse('-V'), parse('-h')]).toEqual([
      { type: 'print', prompt: 'a b', options: PLAIN },
      { type: 'shell', login: true, options: PLAIN },
      { type: 'version' },
      { type: 'help' },
    ]);
  });

  test('that are wrong are told with what is right', () => {
    expect([
      failure('--colour'),
      failure('--output', 'xml'),
      failure('--max-steps', '0'),
      failure('--model'),
      failure('--continue=yes'),
    ]).toEqual([
      'usage: unknown option --colour',
      'usage: --output takes text, json, stream-json, not xml',
      'usage: --max-steps takes a whole number from 1, not 0',
      'usage: --model needs a value',
      'usage: --continue takes no value',
    ]);
  });
});

describe('subcommands', () => {
  test('keep their own words, and take the common options from among them', () => {
    expect(parse('sessions', '--cwd', '/x', 'show', 'abc')).toEqual({
      type: 'subcommand',
      name: 'sessions',
      args: ['show', 'abc'],
      options: { ...PLAIN, cwd: '/x' },
    });
  });

  test('leave the words behind -- alone', () => {
    expect(parse('undo', '--', '--cwd')).toMatchObject({ args: ['--', '--cwd'], options: PLAIN });
  });

  test('take no options from the command of a server', () => {
    const args = ['add', 'fs', 'npx', '-y', 'server', '--model', 'x', '--help'];
    expect(parse('mcp', '--cwd', '/x', ...args)).toMatchObject({ args, options: { ...PLAIN, cwd: '/x' } });
  });

  test('tell of themselves', () => {
    expect(parse('config', 'show', '--help')).toEqual({ type: 'help', topic: 'config' });
    expect(parse('help', 'config')).toEqual({ type: 'help', topic: 'config' });
    expect(parse('help')).toEqual({ type: 'help' });
    expect(parse('help', 'me')).toMatchObject({ type: 'print', prompt: 'help me' });
  });

  test('are none behind -p, behind -- and behind a word', () => {
    expect([parse('-p', 'models'), parse('--', 'models'), parse('explain', 'models')]).toEqual([
      { type: 'print', prompt: 'models', options: PLAIN },
      { type: 'print', prompt: 'models', options: PLAIN },
      { type: 'print', prompt: 'explain models', options: PLAIN },
    ]);
  });
});

test('a call as other programs call a shell belongs to the shell with all that follows', () => {
  const calls = [
    ['-l', '-c', 'echo $0', '--help'],
    ['-e', '-c', 'false; echo'],
    ['-x', '+e', '-c', 'true'],
    ['-o', 'pipefail', '-c', 'false | true'],
    ['-eo', 'pipefail', '-lc', 'true'],
    ['-s', 'argument'],
    ['run.sh', '-p', 'models'],
    ['-x', 'run.sh'],
  ];
  const isScript = (path: string) => path === 'run.sh';
  expect(calls.map((args) => parseArgs(args, 'aish', isScript))).toEqual(calls.map((args) => ({ type: 'exec', args, login: false })));
  expect([parse('run.sh').type, parse('-p', 'run.sh').type, failure('-e'), failure('-c')]).toEqual([
    'print',
    'print',
    'usage: unknown option -e',
    'usage: -c needs a command',
  ]);
});

test('one word that is nearly a subcommand is refused, and sends nothing', () => {
  expect([failure('sesions'), failure('unod'), failure('confg')]).toEqual([
    'usage: there is no subcommand sesions',
    'usage: there is no subcommand unod',
    'usage: there is no subcommand confg',
  ]);
  const messages = [['-p', 'sesions'], ['--', 'sesions'], ['sesions', 'of', 'mine'], ['explain']];
  expect(messages.map((args) => parse(...args).type)).toEqual(['print', 'print', 'print', 'print']);
});

test('help tells of every row of the table', () => {
  const help = formatUsage();
  const rows = [...SUBCOMMAND_ROWS.map(({ summary }) => summary), ...SHELL_OPTIONS.flatMap(({ names }) => names)];
  expect(rows.filter((row) => !help.includes(row))).toEqual([]);
});

test('help on a subcommand tells its words and options', () => {
  const told = SUBCOMMAND_ROWS.map((row) => {
    const help = formatUsage(parseName(row.name));
    const words = [...(row.actions ?? []).map(({ name }) => name), ...optionsOf(row).flatMap(({ names }) => names)];
    return words.filter((word) => !help.includes(word));
  });
  expect(told.flat()).toEqual([]);
});

function parseName(name: string) {
  const invocation = parse(name);
  return invocation.type === 'subcommand' ? invocation.name : undefined;
}

test('the subcommands of the parser are those of the table', () => {
  expect(SUBCOMMAND_ROWS.map(({ name }) => name)).toEqual([...SUBCOMMANDS]);
});

test('the shells of completion are those of the table', () => {
  const row = SUBCOMMAND_ROWS.find(({ name }) => name === 'completion');
  expect(row?.actions?.map(({ name }) => name)).toEqual(Object.keys(COMPLETION_SHELLS));
});

test('an option of aish before a script or -c is refused, because nothing would use it', () => {
  const isScript = (path: string) => path === 'run.sh';
  const refused = [
    ['--continue', 'run.sh'],
    ['--model', 'small', 'run.sh'],
    ['--approve=ask', '-l', '-c', 'ls'],
  ].map((args) => {
    try {
      return parseArgs(args, 'aish', isScript).type;
    } catch (thrown) {
      return String(thrown);
    }
  });
  expect(refused.map((text) => / (--\S+) does not work with a script/.exec(text)?.[1])).toEqual(['--continue', '--model', '--approve']);
  expect(parseArgs(['--login', '-i', 'run.sh'], 'aish', isScript)).toEqual({
    type: 'exec',
    args: ['-i', 'run.sh'],
    login: true,
  });
});

test('a login shell is known by its hyphen, and behind a script by what the system set', () => {
  const inside = { SHELL: '/bin/bash', SHLVL: '1' };
  expect([
    isLoginShell('-aish', {}),
    isLoginShell('bun', { SHELL: '/usr/local/bin/aish' }),
    isLoginShell('bun', { SHELL: '/usr/local/bin/aish', SHLVL: '2' }),
    isLoginShell('bun', inside),
  ]).toEqual([true, true, false, false]);
});

describe('completion', () => {
  const complete = (line: string) => {
    const found = completeArgs(line.split(' '));
    return found.type === 'names' ? `${found.prefix}:${found.kind}` : found.candidates.map(({ text }) => text).join(' ');
  };

  test('offers subcommands, their actions, and the kind of a word', () => {
    expect(complete('')).toBe(SUBCOMMANDS.join(' '));
    expect(complete('--no-color --model little config ')).toBe('show path check init trust untrust');
    expect(['sessions show ', 'undo ', 'cost ', 'explain th'].map(complete)).toEqual([':session', ':file', '', ':file']);
  });

  test('offers the options that may stand there, and their values', () => {
    expect(complete('checkpoints list -')).toBe('--all --apart --output --model --cwd --config --no-color --help -h');
    expect(complete('checkpoints prune -')).toContain('--older-than');
    expect(['--output ', '--output=', '--cwd ', 'run --cwd=', '--resume ', '--max-steps '].map(complete)).toEqual([
      'text json stream-json',
      '--output=text --output=json --output=stream-json',
      ':folder',
      '--cwd=:folder',
      ':session',
      '',
    ]);
  });
});
