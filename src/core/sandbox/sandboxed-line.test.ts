import { describe, expect, test } from 'bun:test';
import { classifyLine } from '../policy/classify-line.ts';
import * as messages from './messages.ts';
import { scrubEnvironment, whyBlocked, whyNotApart } from './sandboxed-line.ts';

const PLACE = { cwd: '/home/ann/project', project: '/home/ann/project', home: '/home/ann', own: [] };
const why = (text: string, place = PLACE) => whyNotApart(classifyLine(text, place), place);

describe('comes to the same apart from the shell', () => {
  test.each([
    'git status',
    'ls -la src | head -5',
    'cd src && ls',
    'cat $HOME/project/a 2>/dev/null',
    'for f in *.ts; do wc -l "$f"; done',
    'x=1; echo $x',
    "awk '{print $NF}' a.txt",
    'cat /home/ann/project/tmp/a',
    'read -r a b < x; echo $b',
    'echo $?',
    'env LC_ALL=C ls',
    'grep -rn id src',
    'echo free users',
    'tail -n 5 a.txt',
    'timeout 5 tail -f a.txt',
    'yes | head -3',
    'ls ../other',
    'whoami',
  ])('%s', (text) => expect(why(text)).toBeNull());
});

describe('does not', () => {
  test.each([
    ['cd src', messages.USES_SHELL],
    ['alias', messages.USES_SHELL],
    ['jobs; ls', messages.USES_SHELL],
    ['x=1', messages.CHANGES_SHELL],
    ['ps aux', messages.USES_MACHINE],
    ['command ps', messages.USES_MACHINE],
    ['ls | xargs df', messages.USES_MACHINE],
    ['ls /tmp', messages.READS_OTHER_FOLDERS],
    ['cat /proc/1/status', messages.READS_OTHER_FOLDERS],
    ['echo $draft', messages.formatShellVariable('draft')],
    [`echo "\${draft:-}"`, messages.formatShellVariable('draft')],
    ['echo $(echo $draft)', messages.formatShellVariable('draft')],
    ['tail -f a.txt', messages.formatEndless('tail')],
    ['tail -n3 -F a.txt | grep x', messages.formatEndless('tail')],
    ['watch ls', messages.formatEndless('watch')],
    ['yes', messages.formatEndless('yes')],
    ['yes | cat', messages.formatEndless('yes')],
    ['sleep infinity', messages.formatEndless('sleep')],
    ['echo $$', messages.formatShellVariable('$')],
  ])('%s', (text, because) => expect(why(text)).toBe(because));

  test('what looks beyond a project among temporary files', () => {
    const place = { ...PLACE, cwd: '/tmp/p', project: '/tmp/p' };
    expect([why('ls ..', place), why('ls', place)]).toEqual([messages.READS_BEYOND, null]);
  });
});

const ALWAYS = {
  TMPDIR: '/tmp',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
};

test('names that are known to be harmless go in as they are', () => {
  const env = { PATH: '/bin', HOME: '/home/ann', LC_ALL: 'C', LANG: 'C.UTF-8', NO_COLOR: '1' };
  expect(scrubEnvironment(env)).toEqual({ ...env, ...ALWAYS });
});

test('what loads code, steers git or holds a secret stays outside', () => {
  const env = {
    ...{ BASH_ENV: '/x', ENV: '/x', LD_PRELOAD: '/x.so', GIT_SSH_COMMAND: 'x', NODE_OPTIONS: '-r x', PYTHONPATH: '/x' },
    ...{ PERL5LIB: '/x', PROMPT_COMMAND: 'x', SSH_AUTH_SOCK: '/x', DBUS_SESSION_BUS_ADDRESS: 'x', DISPLAY: ':0' },
    ...{
      WAYLAND_DISPLAY: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      OPENAI_API_KEY: 'x',
      LC_TOKEN: 'x',
      'BASH_FUNC_ls%%': '() { x; }',
    },
  };
  expect(scrubEnvironment(env)).toEqual(ALWAYS);
});

test('a function in a harmless name stays outside', () => {
  expect(scrubEnvironment({ TERM: '() { :;}; x' })).toEqual(ALWAYS);
});

test('where the caller pages or keeps temporary files does not count', () => {
  expect(scrubEnvironment({ PAGER: 'evil', GIT_PAGER: 'evil', TMPDIR: '/home/ann/tmp' })).toEqual(ALWAYS);
});

const kept = {
  names: ['.env'],
  isHidden: (path: string) => path === '/home/ann/.ssh' || path === 'notes.txt',
  emptyFolderOf: (path: string) => (path === '/tmp/x/run.sh' || path === 'mytool' ? '/tmp' : null),
};

test.each([
  ['touch: cannot touch x: Read-only file system', messages.WROTE],
  ['fatal: Could not resolve host: example.com', messages.NO_NETWORK],
  ['cat: .env: Permission denied', messages.formatHidden('.env')],
  ['cat: other: Permission denied', null],
  ["ls: cannot open directory '/home/ann/.ssh': Permission denied", messages.formatHidden('/home/ann/.ssh')],
  ['cat: notes.txt: Permission denied', messages.formatHidden('notes.txt')],
  ['bash: line 1: /tmp/x/run.sh: No such file or directory', messages.formatEmptied('/tmp/x/run.sh', '/tmp')],
  ['bash: line 1: mytool: command not found', messages.formatEmptied('mytool', '/tmp')],
  ['bash: line 1: other: command not found', null],
  ['strace: ptrace: Operation not permitted', messages.FORBIDDEN],
  ['bash: fork: Resource temporarily unavailable', messages.LIMIT_REACHED],
  ['no such file', null],
])('"%s"', (output, why) => expect(whyBlocked(output, kept)).toBe(why));
