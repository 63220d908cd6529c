import { describe, expect, test } from 'bun:test';
import { paintShell } from '../../../../core/code-colours/paint-shell.ts';
import { highlightLine } from './highlight-line.ts';

const COMMANDS = ['ls', 'git', 'grep', 'echo', 'rm', 'cat', 'sudo', 'timeout'];
const PATHS = ['out.txt', 'my file', 'src/a.ts', './bin'];

function show(text: string, type: 'command' | 'message' | 'meta' = 'command', knowsNothing = false): string[] {
  const spans = highlightLine(
    text,
    { type },
    {
      knows: (word) => (knowsNothing ? null : COMMANDS.includes(word)),
      isPath: (path) => PATHS.includes(path),
      paint: paintShell,
    },
  );
  return spans.map(({ start, end, style }) => `${text.slice(start, end)} ${style}`);
}

describe('a line for the shell', () => {
  test('shows commands, options, operators and existing paths', () => {
    expect(show('ls -la | grep foo > out.txt')).toEqual([
      'ls command',
      '-la option',
      '| operator',
      'grep command',
      '> operator',
      'out.txt path',
    ]);
  });

  test('shows variables and substitutions inside of strings', () => {
    expect(show('echo "hi $USER $(ls -l)" \'$no\'')).toEqual([
      'echo command',
      '"hi  string',
      '$USER variable',
      '  string',
      '$( variable',
      'ls command',
      '-l option',
      ') variable',
      '" string',
      "'$no' string",
    ]);
  });

  test('calls a command unknown only when it is no longer being typed', () => {
    expect([show('gti'), show('gti status')]).toEqual([[], ['gti unknown']]);
  });

  test('calls nothing unknown while there is no shell that could know it', () => {
    expect(show('gti status', 'command', true)).toEqual([]);
  });

  test('knows the functions that the line itself defines', () => {
    expect(show('f() { ls; }; f x')).toEqual([
      'f command',
      '() operator',
      '{ keyword',
      'ls command',
      '; operator',
      '} keyword',
      '; operator',
      'f command',
    ]);
  });

  test('colours an unfinished line up to its last character', () => {
    expect([show('if ls; then echo "a $b'), show('echo $(ls |'), show('echo `ls')]).toEqual([
      ['if keyword', 'ls command', '; operator', 'then keyword', 'echo command', '"a  string', '$b variable'],
      ['echo command', '$( variable', 'ls command', '| operator'],
      ['echo command', '` variable', 'ls command'],
    ]);
  });

  test('looks for the command behind sudo and its options', () => {
    expect(show('sudo -u bob gti x')).toEqual(['sudo command', '-u option', 'gti unknown']);
    expect(show('timeout -k 9 5 gti x')).toEqual(['timeout command', '-k option', 'gti unknown']);
  });

  test('takes a word of a sentence for what it is: not a keyword, not an option behind --', () => {
    expect(show('echo if -- -x #1')).toEqual(['echo command', '-- option', '#1 comment']);
  });

  test('underlines a quoted path whole and a path that is called', () => {
    expect([show('cat "my file"'), show('./bin x')]).toEqual([
      ['cat command', '"my file" string-path'],
      ['./bin path'],
    ]);
  });

  test('marks the sign that forces the shell, and leaves its negation to it', () => {
    expect([show('!ls'), show('! ls')]).toEqual([
      ['! shell', 'ls command'],
      ['! keyword', 'ls command'],
    ]);
  });

  test('colours globs, assignments and here-documents', () => {
    expect(show('A=1 ls *.ts a{b,c} <<E\n$x\nE')).toEqual([
      'A variable',
      '= operator',
      'ls command',
      '* glob',
      '{b,c} glob',
      '<< operator',
      'E keyword',
      '$x variable',
      '\n string',
      'E keyword',
    ]);
  });

  test('has no colours where it is longer than anybody types', () => {
    expect([show(`echo ${'x '.repeat(50_000)}`), show(`echo ${'$('.repeat(500)}`)]).toEqual([[], []]);
  });
});

test('a message is plain but for its mark and its mentions', () => {
  expect(show('? why does if fail in @src/a.ts and @gone.ts', 'message')).toEqual([
    '? ai',
    '@src/a.ts mention',
    '@gone.ts variable',
  ]);
});

test('a meta line shows whether its command is known, a private one also its line', () => {
  const lines = [
    ':mcp list',
    ':mcp foo x',
    ':modle x',
    ':mod',
    ':private gti x',
    ':dry-run gti x',
    ':dry gti x',
    '%12',
  ];
  expect(lines.map((line) => show(line, 'meta'))).toEqual([
    [':mcp meta', 'list meta'],
    [':mcp meta', 'foo unknown'],
    [':modle unknown'],
    [],
    [':private meta', 'gti unknown'],
    [':dry-run meta', 'gti unknown'],
    [':dry meta', 'gti unknown'],
    ['%12 meta'],
  ]);
});

test('spans are in order and apart for whatever is typed', () => {
  const pieces = ['"', "'", '$(', '`', '{', 'if ', '<<E\n', '((', '[[ ', '${', '#', ' ', '\\', 'a', ')', '}', ';', '@'];
  for (let seed = 1; seed < 2000; seed += 1) {
    let state = seed;
    const text = Array.from({ length: 12 }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return pieces[state % pieces.length];
    }).join('');
    const spans = highlightLine(
      text,
      { type: 'command' },
      { knows: () => false, isPath: () => true, paint: paintShell },
    );
    const places = spans.flatMap(({ start, end }) => [start, end - 0.5]);
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(Math.max(0, ...spans.map(({ end }) => end))).toBeLessThanOrEqual(text.length);
  }
});

test('without the parser a line for the shell is plain, and the others have their colours', () => {
  const facts = { knows: () => true, isPath: () => true, paint: () => null };
  const spans = ['ls', ':help'].map((text, at) => {
    return highlightLine(text, { type: at === 0 ? 'command' : 'meta' }, facts);
  });
  expect(spans).toEqual([[], [{ start: 0, end: 5, style: 'meta' }]]);
});
