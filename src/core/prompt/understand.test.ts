import { describe, expect, test } from 'bun:test';
import { toBashForms } from '../routing/fish-forms.ts';
import { type Route, routeLine } from '../routing/router.ts';
import { flipRoute, isExitLine, type LineContext, type Understood, understand } from './understand.ts';

const HISTORY: LineContext['history'] = {
  find: () => null,
  commands: () => ['make all', '!deploy now'],
  numbered: (number) => (number === 107 ? '!deploy now' : undefined),
};

const READY: LineContext = {
  routeLine,
  toBashForms: null,
  shell: 'bash',
  knows: (word) => /^(ls|echo|cat|make|deploy|sudo|for|if|function)$/.test(word),
  knowsCall: () => false,
  hasFile: () => false,
  hasRef: () => false,
  hasHost: () => false,
  hasContainer: () => false,
  asksModel: true,
  isBooting: false,
  knowsCommands: true,
  isAsking: () => false,
  isPrivate: false,
  handles: { jobs: [1], hasOutput: (handle) => handle === 7 },
  history: HISTORY,
};

const FISH: LineContext = { ...READY, shell: 'fish', toBashForms };

const BOOTING: LineContext = { ...READY, knows: () => false, isBooting: true, knowsCommands: false };

function type(line: string, change: Partial<LineContext> = {}): Understood {
  return understand(line, { ...READY, ...change });
}

describe('where a line goes', () => {
  test('a line is nowhere while the rules are being loaded, but the handle of an output is known', () => {
    const { route, waitsFor } = type('ls', { routeLine: null });
    expect([route.type, waitsFor, type('%7', { routeLine: null }).route.type]).toEqual(['nothing', 'rules', 'meta']);
  });

  const handles: readonly (readonly [string, Partial<LineContext>, Route['type'], string])[] = [
    ['%7', {}, 'meta', ':output 7'],
    ['%7 | wc', {}, 'command', '%7 | wc'],
    // The job of that number, and a number that nothing has.
    ['%1', {}, 'command', '%1'],
    ['%9', {}, 'command', '%9'],
    ['%9', { handles: { jobs: [], hasOutput: () => false } }, 'meta', ':output 9'],
    ['%9 | wc', { handles: { jobs: [], hasOutput: () => false } }, 'meta', ':output 9'],
  ];
  for (const [line, change, route, text] of handles) {
    test(`${line} is ${route} ${text}`, () => expect(type(line, change).route).toMatchObject({ type: route, text }));
  }
});

describe('what a line waits for', () => {
  const cases: readonly (readonly [string, string, LineContext, Understood['waitsFor'], Route['type']])[] = [
    ['a command', 'ls -l', READY, null, 'command'],
    ['a command while a disk is asked', 'ls -l', { ...READY, isAsking: () => true }, 'answers', 'command'],
    ['a mark, whatever is asked', ':help', { ...READY, isAsking: () => true }, null, 'meta'],
    ['what looks like a message while the shell starts', 'why is that', BOOTING, 'shell', 'nothing'],
    ['a certain message while the shell starts', '? why is that', BOOTING, null, 'message'],
    ['a certain command while the shell starts', './x -l', BOOTING, null, 'command'],
  ];
  for (const [name, line, context, waitsFor, shown] of cases) {
    test(name, () => {
      const understood = understand(line, context);
      expect([understood.waitsFor, understood.shown.type]).toEqual([waitsFor, shown]);
    });
  }

  test('no line runs while it waits for the shell', () => {
    expect(understand('why is that', BOOTING).entered).toEqual({
      type: 'put back',
      text: 'why is that',
      because: 'still starting',
    });
  });
});

describe('whether a line is whole', () => {
  const cases: readonly (readonly [string, LineContext, Understood['whole']])[] = [
    ['ls', READY, 'whole'],
    ['echo "a', READY, 'asked'],
    ['for x in a', READY, 'asked'],
    ['cat <<END', READY, 'open'],
    ['cat <<END', FISH, 'asked'],
    ['function f --argument-names x', FISH, 'asked'],
    ['function f -a x; echo $x; end', FISH, 'whole'],
    ['ls \\', READY, 'open'],
    ['for f (a b) {', { ...READY, shell: 'zsh' }, 'asked'],
    ['{\necho a\n} always {', { ...READY, shell: 'zsh' }, 'asked'],
    ['echo "{"; ls', { ...READY, shell: 'zsh' }, 'whole'],
    ["what's that", READY, 'whole'],
    // As long as nobody knows the commands, it may be one.
    ["what's that", BOOTING, 'open'],
    ["? what's that", BOOTING, 'whole'],
    [":remember the tests don't pass", BOOTING, 'whole'],
  ];
  for (const [line, context, whole] of cases) {
    test(`${JSON.stringify(line)}: ${whole}`, () => expect(understand(line, context).whole).toBe(whole));
  }
});

test('a meta-command that means what is there now is told from the others', () => {
  const lines = [':undo', ' :redo 2', ':halt', ':undone', ':halt now', ':help', 'undo'];
  expect(lines.map((line) => type(line).aboutNow)).toEqual(['undo', 'redo', 'halt', null, null, null, 'message']);
  const ofRun = [':pause', ':resume-run', ':norris', ':norris plan add x y', ':norris receipt'];
  expect(ofRun.map((line) => type(line).aboutNow)).toEqual(ofRun.map(() => 'run'));
  const later = [':norris undo', ':norris resume', ":norris 'x' until 'y'", ':pause it', ':norris planned'];
  expect(later.map((line) => type(line).aboutNow)).toEqual(later.map(() => null));
  expect(type('?use awk').aboutNow).toBe('message');
});

describe('what is private', () => {
  const cases: readonly (readonly [string, boolean, 'open' | 'private' | 'held back'])[] = [
    ['ls', false, 'open'],
    [' ls', false, 'private'],
    ['\tls', false, 'private'],
    ['ls', true, 'private'],
    ['why is that', false, 'open'],
    [' why is that', false, 'held back'],
    ['why is that', true, 'held back'],
    ['?why is that', true, 'open'],
    [':output', false, 'open'],
    [':private echo x', false, 'private'],
    [':private', false, 'open'],
  ];
  for (const [line, isPrivate, privacy] of cases) {
    test(`"${line}" is ${privacy}${isPrivate ? ' in private mode' : ''}`, () => {
      const { entered } = type(line, { isPrivate });
      const found = entered.type === 'run' ? (entered.isPrivate ? 'private' : 'open') : 'held back';
      expect([found, entered.type === 'run' && entered.kept]).toEqual([
        privacy,
        privacy === 'open' ? line : privacy === 'private' ? null : false,
      ]);
    });
  }
});

describe('history forms', () => {
  test('those of a command are replaced', () => {
    expect([type('sudo !!').entered, type('^now^later').entered]).toMatchObject([
      { type: 'run', text: 'sudo deploy now', isExpanded: true, kept: 'sudo deploy now', route: { type: 'command' } },
      { type: 'run', text: 'deploy later', isExpanded: true, kept: 'deploy later', route: { type: 'command' } },
    ]);
  });

  test('words of a message and the mark that forces the shell are none', () => {
    expect([type('why !! then').entered, type('!ls').entered]).toMatchObject([
      { type: 'run', text: 'why !! then', isExpanded: false, route: { type: 'message' } },
      { type: 'run', text: '!ls', isExpanded: false, kept: '!ls', route: { type: 'command', text: 'ls' } },
    ]);
  });

  test('a command named by its number is looked at first, and one that is not there is an error', () => {
    expect([type('!107').entered, type('ls !nothing').entered]).toEqual([
      { type: 'put back', text: 'deploy now', because: 'look first' },
      { type: 'error', message: 'no command begins with "nothing", so nothing ran' },
    ]);
  });

  test('a private line stays private', () => {
    expect(type(' sudo !!').entered).toMatchObject({ type: 'run', isPrivate: true, kept: null });
  });

  test('no history is searched before the line is entered', () => {
    const commands = (): never => {
      throw new Error('the history was searched');
    };
    const understood = type('sudo !!', { history: { ...HISTORY, commands } });
    expect(understood.route.type).toBe('command');
    expect(() => understood.entered).toThrow('the history was searched');
  });
});

test('the prompt of a documentation is not kept with its command', () => {
  expect(type('$ ls -l').entered).toMatchObject({ kept: 'ls -l', route: { type: 'command' } });
});

test('a line that only leaves is told from a command that holds the word', () => {
  expect(['exit', ' logout 3 ;', 'exit 1; ls', 'exited'].map(isExitLine)).toEqual([true, true, false, false]);
});

const route = (text: string): Route => type(text).route;

test.each([
  ['ls src', '?ls src'],
  ['?ls src', 'ls src'],
  ['frobnicate it', '!frobnicate it'],
  ['!frobnicate it', 'frobnicate it'],
  ['? why', '!why'],
  ['!ls', '?ls'],
  [':help', ':help'],
  ['', ''],
])('%j becomes %j', (text, flipped) => {
  expect(flipRoute(text, route)).toBe(flipped);
});
