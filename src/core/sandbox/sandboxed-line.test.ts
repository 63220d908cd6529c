import { describe, expect, test } from 'bun:test';
import { classifyLine } from '../policy/classify-line.ts';
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
    ['cd src', 'it reads or changes the shell itself'],
    ['alias', 'it reads or changes the shell itself'],
    ['jobs; ls', 'it reads or changes the shell itself'],
    ['x=1', 'it changes nothing but the shell itself'],
    ['ps aux', 'it asks about the machine, of which a sandbox shows another'],
    ['command ps', 'it asks about the machine, of which a sandbox shows another'],
    ['ls | xargs df', 'it asks about the machine, of which a sandbox shows another'],
    ['ls /tmp', 'it looks into folders that a sandbox has of its own'],
    ['cat /proc/1/status', 'it looks into folders that a sandbox has of its own'],
    ['echo $draft', 'it uses the variable draft of the shell'],
    [`echo "\${draft:-}"`, 'it uses the variable draft of the shell'],
    ['echo $(echo $draft)', 'it uses the variable draft of the shell'],
    ['tail -f a.txt', 'tail goes on until it is stopped'],
    ['tail -n3 -F a.txt | grep x', 'tail goes on until it is stopped'],
    ['watch ls', 'watch goes on until it is stopped'],
    ['yes', 'yes goes on until it is stopped'],
    ['yes | cat', 'yes goes on until it is stopped'],
    ['sleep infinity', 'sleep goes on until it is stopped'],
    ['echo $$', 'it uses the variable $ of the shell'],
  ])('%s', (text, because) => expect(why(text)).toBe(because));

  test('what looks beyond a project among temporary files', () => {
    const place = { ...PLACE, cwd: '/tmp/p', project: '/tmp/p' };
    expect([why('ls ..', place), why('ls', place)]).toEqual(['it looks beyond the project, where a sandbox has folders of its own', null]);
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
  ['touch: cannot touch x: Read-only file system', 'it wrote where nothing may be written'],
  ['fatal: Could not resolve host: example.com', 'it has no network there'],
  ['cat: .env: Permission denied', '.env is hidden there'],
  ['cat: other: Permission denied', null],
  ["ls: cannot open directory '/home/ann/.ssh': Permission denied", '/home/ann/.ssh is hidden there'],
  ['cat: notes.txt: Permission denied', 'notes.txt is hidden there'],
  ['bash: line 1: /tmp/x/run.sh: No such file or directory', '/tmp/x/run.sh is not there: /tmp is empty there'],
  ['bash: line 1: mytool: command not found', 'mytool is not there: /tmp is empty there'],
  ['bash: line 1: other: command not found', null],
  ['strace: ptrace: Operation not permitted', 'it reached for what is forbidden there'],
  ['bash: fork: Resource temporarily unavailable', 'it came to the limits there'],
  ['no such file', null],
])('"%s"', (output, why) => expect(whyBlocked(output, kept)).toBe(why));
