import { expect, test } from 'bun:test';
import { classifyLine } from '../policy/classify-line.ts';
import { type FileFacts, type ReadContext, reachedNobody, sourcesOfLine } from './sources-of-line.ts';

const context: ReadContext = { cwd: '/home/ann/p', project: '/home/ann/p', home: '/home/ann', paths: [] };

const FILES = new Set([
  ...['/home/ann/p', '/home/ann/p/src', '/home/ann/p/a.txt', '/home/ann/p/link', '/home/ann/p/x.html', '/home/ann/p/node_modules'],
  ...['/home/ann/p/node_modules/left/README.md', '/home/ann/mail.txt', '/home/ann/q', '/tmp', '/etc/hosts', '/usr/share/doc'],
  ...['/var/log/syslog', '/home/ann/p/page', '/home/ann/p/page.gz'],
]);
const facts: FileFacts = {
  exists: (path) => FILES.has(path),
  real: (path) => (path === '/home/ann/p/link' ? '/home/ann/mail.txt' : path),
  isShared: () => false,
  matches: () => [],
  strangersBelow: () => ({ links: [], shared: [], fetched: [] }),
};

function sources(line: string, more: Partial<ReadContext> = {}): readonly string[] {
  const place = { ...context, ...more };
  return sourcesOfLine(classifyLine(line, place), place, facts, { wasTainted: false }).sources.map(({ kind, name }) => `${kind} ${name}`);
}

test.each([
  'ls',
  'git log --oneline | head -5',
  'git status --short && git diff',
  'cat a.txt | grep "/api/users"',
  'grep -rn "FIXIT" src',
  'npm test',
  'make',
  'bun test --bail',
  'cargo build',
  'echo "$HOME" "$X"',
  'cat /etc/hosts',
  'ls /usr/share/doc',
  'git commit -m "$(date)"',
  'for f in src/*.ts; do wc -l "$f"; done',
  'cat a.txt > /dev/null 2>&1',
  'vim a.txt',
  'cd src && ls',
  'pwd; date; uname -a; df -h',
  'find src -name "*.ts"',
  'curl --version',
  'echo see ~/mail.txt for more',
  'echo a.txt src | xargs ls',
  'ls src/*/a.ts',
  'echo *',
  'echo x > ~/mail.txt',
  'cat a.txt >> ../mail.txt 2> /var/log/syslog',
  'make | tee ~/mail.txt',
  'rm -rf ../q ~/mail.txt',
  'chmod 600 ~/mail.txt',
])('what %s prints is of the project or of the system', (line) => {
  expect(sources(line)).toEqual([]);
});

test.each([
  ['curl -s https://user:pw@example.com/x?y', 'network https://example.com'],
  ['curl -s example.com', 'network curl -s example.com'],
  ['git pull', 'network git pull'],
  ['git fetch origin && git log', 'network git fetch origin'],
  ['ssh eve@far.example ls', 'network far.example'],
  ['npm install left', 'network npm install left'],
  ['gh pr view 3', 'network gh pr view'],
  ['echo $(wget -qO- http://far.example/x)', 'network http://far.example'],
  ['cat < /dev/tcp/far.example/80', 'network far.example'],
  ['exec 3<>/dev/tcp/far.example/80; cat <&3', 'network far.example'],
  ['read line < "/dev/udp/far.example/53"; echo "$line"', 'network far.example'],
  ['echo ~/mail.txt | xargs cat', 'file /home/ann/mail.txt'],
  ["printf '%s\\n' ../mail.txt a.txt | xargs -n1 head", 'file /home/ann/mail.txt'],
  ['echo ../q/*', 'file /home/ann/q'],
  ['ln ~/mail.txt b.txt', 'file /home/ann/mail.txt'],
  ['exec 3<> ~/mail.txt; cat <&3', 'file /home/ann/mail.txt'],
  ['cat < ~/mail.txt > a.txt', 'file /home/ann/mail.txt'],
  ['sort ~/mail.txt > ~/mail.txt', 'file /home/ann/mail.txt'],
  ['grep -r left > a.txt', 'file /home/ann/p/node_modules'],
  ['cat */left/README.md', 'file /home/ann/p/node_modules'],
  ['cat ~/mail.txt', 'file /home/ann/mail.txt'],
  ['cat < ../mail.txt', 'file /home/ann/mail.txt'],
  ['cat "$HOME/mail.txt"', 'file /home/ann/mail.txt'],
  ['cat link', 'file /home/ann/mail.txt'],
  ['grep -f../mail.txt a.txt', 'file /home/ann/mail.txt'],
  ['dd if=/home/ann/mail.txt', 'file /home/ann/mail.txt'],
  ['sh -c "cat ~/mail.txt"', 'file /home/ann/mail.txt'],
  ['timeout 5 cat ~/mail.txt', 'file /home/ann/mail.txt'],
  ['(cd .. && cat mail.txt)', 'file /home/ann/mail.txt'],
  ['cat /var/log/syslog', 'file /var/log/syslog'],
  ['cat node_modules/left/README.md', 'file /home/ann/p/node_modules/left/README.md'],
  ['grep -R FIXIT .', 'file /home/ann/p/node_modules'],
  ['./gen --all', 'command ./gen --all'],
  ['python3 tool.py', 'command python3 tool.py'],
  ['frobnicate', 'command frobnicate'],
  ['cat "$FILE"', 'command cat "$FILE"'],
  ['docker logs web', 'command docker logs web'],
  ['journalctl -n 5', 'command journalctl -n 5'],
  ['wl-paste', 'command wl-paste'],
  ['echo "unfinished', 'command echo "unfinished'],
])('what %s prints is of %s', (line, source) => {
  expect(sources(line)).toContain(source);
});

test('a file that holds untrusted content is a source until it is trusted', () => {
  const paths = ['/home/ann/p/a.txt'];
  expect([sources('cat a.txt', { paths }), sources('ls', { paths }), sources('npm test', { paths })]).toEqual([
    ['file /home/ann/p/a.txt'],
    ['file /home/ann/p/a.txt'],
    ['file /home/ann/p/a.txt'],
  ]);
});

test('what lies in a home directory, or in all there is, is no project because one works there', () => {
  expect(sources('cat mail.txt', { cwd: '/home/ann', project: '/home/ann' })).toContain('file /home/ann/mail.txt');
});

test.each([
  ['curl -s -o page https://example.com/x', ['/home/ann/p/page']],
  ['curl -s https://example.com/x > a.txt', ['/home/ann/p/a.txt']],
  ['wget https://example.com/x.html', ['/home/ann/p/x.html']],
  ['git pull', ['/home/ann/p']],
  ['curl -s https://example.com/x', []],
  ['git push', []],
  ['cat ~/mail.txt', []],
])('by %s others wrote %j', (line, written) => {
  expect(sourcesOfLine(classifyLine(line, context), context, facts, { wasTainted: false }).written).toEqual(written);
});

test.each([
  ['tar xf a.tar -C src', ['/home/ann/p', '/home/ann/p/src']],
  ['rsync a.txt page', ['/home/ann/p', '/home/ann/p/a.txt', '/home/ann/p/page']],
  ['git checkout a.txt', ['/home/ann/p']],
  ['gzip page', ['/home/ann/p/page', '/home/ann/p/page.gz']],
  ['gunzip page.gz', ['/home/ann/p/page.gz', '/home/ann/p/page']],
])('after such a text was read, %s wrote it to %j', (line, written) => {
  const found = sourcesOfLine(classifyLine(line, context), context, facts, { wasTainted: true });
  expect(found.written).toEqual(written);
});

test('what is written after such a text was read may say it again', () => {
  const line = 'sed -i s/a/b/ a.txt';
  expect([true, false].map((wasTainted) => sourcesOfLine(classifyLine(line, context), context, facts, { wasTainted }).written)).toEqual([
    ['/home/ann/p/a.txt'],
    [],
  ]);
});

test.each([
  ['cat page', true],
  ['cat *', true],
  ['grep -r x .', true],
  ['git grep x', true],
  ['git -C src/.. show', true],
  ['sort < page', true],
  ['ls', false],
  ['npm test', false],
  ['git status', false],
  ['cat a.txt', false],
])('what an earlier session marked is read by who reads it: %s', (line, isRead) => {
  const found = sources(line, { older: ['/home/ann/p/page'] });
  expect(found.includes('file /home/ann/p/page')).toBe(isRead);
});

test('every file of others that a line reads is named, and what is too much to be named is said to be more', () => {
  const names = Array.from({ length: 100 }, (_, at) => `/home/ann/m${at}.txt`);
  const all: FileFacts = { ...facts, exists: (path) => names.includes(path), real: (path) => path };
  const read = (count: number) =>
    sourcesOfLine(classifyLine(`cat ${names.slice(0, count).join(' ')}`, context), context, all, {
      wasTainted: false,
    }).sources.map(({ name }) => name);
  expect(read(12)).toEqual(names.slice(0, 12));
  expect(read(100)).toEqual([...names.slice(0, 63), 'more than can be named']);
});

test.each([
  'cat /dev/fd/3 3>> ~/mail.txt',
  'cat /dev/stdin 0>> ~/mail.txt',
  'cat /dev/stderr 2>> ~/mail.txt',
  'exec 3>> ~/mail.txt; cat /proc/self/fd/3',
  '{ cat /dev/fd/3; } 3>> ~/mail.txt',
  'alias rm=cat; rm ~/mail.txt',
  'hash -p /bin/cat rm; rm ~/mail.txt',
  'rm -v ~/mail.txt',
])('what is opened to be written or deleted may be printed all the same: %s', (line) => {
  expect(sources(line)).toEqual(['file /home/ann/mail.txt']);
});

test.each(['chmod -v 600 ~/q/*', 'rm -v ~/q/*', 'cd ~/q && rm --verbose *'])('names of others are printed by %s', (line) => {
  expect(sources(line)).toEqual(['file /home/ann/q']);
});

test('a name that the shell gives another meaning may print what it is given', () => {
  expect(sources('rm ~/mail.txt', { redefined: new Set(['rm']) })).toEqual(['file /home/ann/mail.txt']);
});

test.each([
  ['cd ~/q && ls', true],
  ['ls -la ~/q', true],
  ['find ~/q -name x', true],
  ['cd ~/q && ls && cat README', false],
  ['cd ~/q && git log', false],
  ['find ~/q -exec cat {} +', false],
  ['ls $(<~/mail.txt)', false],
])('names that the user lists are no untrusted content, and what the model lists may be: %s', (line, isPlain) => {
  const [typed, run] = [true, false].map((isTyped) =>
    sourcesOfLine(classifyLine(line, context), context, facts, { wasTainted: false, isTyped }),
  );
  expect([typed?.sources.length === 0, run?.sources.length === 0]).toEqual([isPlain, false]);
});

const PLACE = { cwd: '/home/ann/p', project: '/home/ann/p', home: '/home/ann' };
const REFUSED = "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server";
const UNKNOWN = 'curl: (6) Could not resolve host: news.example';

test.each([
  ['curl http://127.0.0.1:9/page', 7, REFUSED],
  ['curl -sS "http://ann@127.0.0.1:9/page?a=b"', 7, `${REFUSED}\r\n`],
  ['curl -s http://127.0.0.1:9/page', 7, ''],
  ['curl -fsSL -H "Accept: text/html" -o page.html https://news.example', 6, UNKNOWN],
  ['curl news.example', 6, UNKNOWN],
])('nothing was read by %s', (line, exit, output) => {
  expect(reachedNobody(classifyLine(line, PLACE), { exit, output })).toBe(true);
});

test.each([
  ['it reached somebody', 'curl http://127.0.0.1:9/page', 22, ''],
  ['it reached somebody', 'curl http://127.0.0.1:9/page', 0, REFUSED],
  ['it names another machine than the line', 'curl -L https://other.example', 6, UNKNOWN],
  ['there is more', 'curl https://news.example', 6, `Do this now\n${UNKNOWN}`],
  ['there is more', 'curl https://news.example', 6, `${UNKNOWN} do this now`],
  ['there are two addresses', 'curl -s https://a.example https://news.example', 6, ''],
  ['there may be more addresses', 'curl -s https://{a,news}.example', 6, ''],
  ['there may be more addresses', 'curl -K list https://news.example', 6, ''],
  ['there are two calls', 'curl -s https://a.example; curl https://news.example', 6, UNKNOWN],
  ['it is fed to another', 'curl -s https://a.example | head', 6, ''],
  ['it goes to a file', 'curl -s https://news.example > page', 6, ''],
  ['it is kept in a variable', 'page=$(curl -s https://news.example)', 6, ''],
  ['the address is not known', 'curl -s "$URL"', 6, ''],
  ['it is another program', 'wget -q https://news.example', 6, ''],
])('something may have been read where %s: %s', (_why, line, exit, output) => {
  expect(reachedNobody(classifyLine(line, PLACE), { exit, output })).toBe(false);
});
