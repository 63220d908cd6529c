import { expect, test } from 'bun:test';
import { classifyLine } from './classify-line.ts';
import { codeFilesOf } from './fetched-code.ts';

const context = { home: '/home/user', project: '/p', cwd: '/p' };

const read = (line: string): readonly string[] => codeFilesOf(classifyLine(line, context).parts);

test.each([
  ['sh a.sh', '/p/a.sh'],
  ['sh ../b/a.sh', '/b/a.sh'],
  ['. ./a.sh', '/p/a.sh'],
  ['cd sub && ./a.sh', '/p/sub/a.sh'],
  ['sh < a.sh', '/p/a.sh'],
  ['cat a.sh | sh', '/p/a.sh'],
  ['sed s/x/y/ a.sh | bash -s', '/p/a.sh'],
  ['eval "$(cat a.sh)"', '/p/a.sh'],
  ['python3 < a.py', '/p/a.py'],
  ['make', '/p/Makefile'],
  ['cd sub && make all', '/p/sub/Makefile'],
  ['make -f other.mk', '/p/other.mk'],
  ['npm test', '/p/package.json'],
  ['touch x && npm run build', '/p/package.json'],
])('%p runs the code of %p', (line, path) => expect(read(line)).toContain(path));

test.each(['ls', 'cat a.sh', 'rm -rf build', 'git status'])('%p runs the code of no file', (line) => {
  expect(read(line)).toEqual([]);
});
