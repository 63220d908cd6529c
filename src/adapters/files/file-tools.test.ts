import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILE_TOOLS } from '../../engine/tools/toolbox.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { previewFileTool, runFileTool } from './file-tools.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'aish-files-')));
const stateBefore = process.env.XDG_STATE_HOME;
let cwd = '';

beforeAll(() => {
  process.env.XDG_STATE_HOME = join(base, 'state');
});
beforeEach(() => {
  cwd = mkdtempSync(join(base, 'work-'));
});
afterAll(() => {
  if (stateBefore === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = stateBefore;
  rmSync(base, { recursive: true });
});

const run = (name: string, args: JsonObject) =>
  runFileTool(`aish.${name}`, args, { cwd, signal: new AbortController().signal });
const preview = (name: string, args: JsonObject) =>
  previewFileTool(`aish.${name}`, args, { cwd, signal: new AbortController().signal });
const put = (name: string, content: string | Buffer) => writeFileSync(join(cwd, name), content);
const get = (name: string) => readFileSync(join(cwd, name), 'utf8');

test('the definitions of all three together stay under one kilobyte', () => {
  expect(JSON.stringify(FILE_TOOLS).length).toBeLessThan(1000);
});

test('reading gives the text as it is', async () => {
  put('a.txt', 'one\ntwo');
  expect(await run('read_file', { path: 'a.txt' })).toEqual({ text: 'one\ntwo', isError: false });
});

test('reading a part says where it lies in the whole', async () => {
  put('a.txt', 'one\ntwo\nthree\nfour\n');
  const result = await run('read_file', { path: 'a.txt', offset: 2, limit: 2 });
  expect(result.text).toBe('two\nthree\n[lines 2-3 of 4; read on with offset 4]');
});

test('a file over the bound is cut at a line and counted whole', async () => {
  put('a.txt', 'x\n'.repeat(5000));
  const { text } = await run('read_file', { path: 'a.txt' });
  expect(text.slice(-50)).toEndWith('[lines 1-2000 of 5000; read on with offset 2001]');
});

test('a file that is read in pieces is counted whole, and read from the same line', async () => {
  put('a.txt', 'seven!\n'.repeat(100_000));
  const result = await run('read_file', { path: 'a.txt', offset: 99_999 });
  expect(result.text).toBe('seven!\nseven!\n[lines 99999-100000 of 100000]');
});

test('an empty file is told as one', async () => {
  put('a.txt', '');
  expect(await run('read_file', { path: 'a.txt' })).toEqual({ text: '[the file is empty]', isError: false });
});

test.skipIf(process.platform !== 'linux')('a file that does not tell its size is read to its end', async () => {
  const result = await run('read_file', { path: '/proc/self/limits', limit: 1 });
  expect(result.text.startsWith('Limit')).toBe(true);
});

test('one endless line is cut and said to be', async () => {
  put('a.txt', 'x'.repeat(200_000));
  const { text } = await run('read_file', { path: 'a.txt' });
  expect([text.length < 49_000, text.endsWith('[lines 1-1 of 1, line 1 cut]')]).toEqual([true, true]);
});

test('an offset past the end is answered with the number of lines', async () => {
  put('a.txt', 'x\n');
  expect((await run('read_file', { path: 'a.txt', offset: 9 })).text).toBe(
    '[the file has 1 line; line 9 is after its end]',
  );
});

test('binary data is not read', async () => {
  put('a.bin', Buffer.from([1, 0, 2]));
  expect((await run('read_file', { path: 'a.bin' })).isError).toBe(true);
});

test('a directory is listed', async () => {
  mkdirSync(join(cwd, 'sub'));
  put('a', '');
  expect((await run('read_file', { path: '.' })).text).toBe(`${cwd} is a directory. It contains:\na\nsub/`);
});

test('a missing file is answered with what its directory holds', async () => {
  put('real.txt', '');
  expect(await run('read_file', { path: 'reel.txt' })).toEqual({
    text: `${cwd}/reel.txt does not exist\n  ${cwd} contains: real.txt`,
    isError: true,
  });
});

test('a FIFO is neither read nor written', async () => {
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  expect((await run('read_file', { path: 'pipe' })).isError).toBe(true);
  expect((await run('write_file', { path: 'pipe', content: 'x' })).isError).toBe(true);
});

test('writing makes the file and its directories', async () => {
  expect(await run('write_file', { path: 'a/b/c.txt', content: 'hi' })).toEqual({
    text: `created ${cwd}/a/b/c.txt: 2 bytes`,
    isError: false,
  });
  expect(get('a/b/c.txt')).toBe('hi');
});

test('replacing a file keeps its mode and leaves nothing beside it', async () => {
  put('run.sh', 'old');
  chmodSync(join(cwd, 'run.sh'), 0o750);
  await run('write_file', { path: 'run.sh', content: 'new' });
  expect([get('run.sh'), statSync(join(cwd, 'run.sh')).mode & 0o777]).toEqual(['new', 0o750]);
  expect(execFileSync('ls', ['-A', cwd], { encoding: 'utf8' })).toBe('run.sh\n');
});

test('a directory is not written', async () => {
  mkdirSync(join(cwd, 'd'));
  expect(await run('write_file', { path: 'd', content: '' })).toEqual({
    text: `${cwd}/d is a directory\n  name a file in it`,
    isError: true,
  });
});

test('a path below a file is refused', async () => {
  put('f', '');
  expect((await run('write_file', { path: 'f/x', content: '' })).isError).toBe(true);
});

test('a write through a link keeps the link and says where it went', async () => {
  put('real.txt', 'old');
  symlinkSync('real.txt', join(cwd, 'link.txt'));
  const result = await run('write_file', { path: 'link.txt', content: 'new' });
  expect(result.text).toBe(`replaced ${cwd}/real.txt (through ${cwd}/link.txt): 3 bytes`);
  expect([get('real.txt'), realpathSync(join(cwd, 'link.txt'))]).toEqual(['new', join(cwd, 'real.txt')]);
});

test('a link that leads nowhere is followed to what it names', async () => {
  symlinkSync('../elsewhere', join(cwd, 'link'));
  expect((await preview('write_file', { path: 'link', content: '' })).path).toBe(join(base, 'elsewhere'));
});

test('an edit replaces exact text once', async () => {
  put('a.txt', 'one\ntwo\n');
  expect((await run('edit_file', { path: 'a.txt', old: 'two', new: '2' })).text).toBe(`edited ${cwd}/a.txt at line 2`);
  expect(get('a.txt')).toBe('one\n2\n');
});

test('dollar signs in the new text mean themselves', async () => {
  put('a.txt', 'x');
  await run('edit_file', { path: 'a.txt', old: 'x', new: '$& $1' });
  expect(get('a.txt')).toBe('$& $1');
});

test('text that occurs twice is not guessed at', async () => {
  put('a.txt', 'x\ny\nx\n');
  const { text, isError } = await run('edit_file', { path: 'a.txt', old: 'x', new: 'z' });
  expect(isError).toBe(true);
  expect(text).toBe(
    `${cwd}/a.txt: "old" occurs 2 times (lines 1, 3)\n  add lines around it to make it unique, or set "all" to true`,
  );
});

test('all replaces every place', async () => {
  put('a.txt', 'x\ny\nx\n');
  expect((await run('edit_file', { path: 'a.txt', old: 'x', new: 'z', all: true })).text).toEndWith('in 2 places');
  expect(get('a.txt')).toBe('z\ny\nz\n');
});

test('text that is not there is answered with the nearest line', async () => {
  put('a.txt', 'function add(a, b) {\n  return a + b;\n}\n');
  const { text } = await run('edit_file', { path: 'a.txt', old: 'return a+b;', new: 'x' });
  expect(text).toBe(
    `${cwd}/a.txt: "old" was not found\n  the most similar line is 2: "  return a + b;"; read the file and copy the text exactly`,
  );
});

test('an edit keeps CR LF, the byte order mark and bytes that are not UTF-8', async () => {
  put('a.txt', Buffer.from('\xef\xbb\xbfone\r\ntwo\r\n\xff\r\n', 'latin1'));
  await run('edit_file', { path: 'a.txt', old: 'one\ntwo', new: 'ä\nb\nc' });
  expect(readFileSync(join(cwd, 'a.txt')).toString('latin1')).toBe('\xef\xbb\xbf\xc3\xa4\r\nb\r\nc\r\n\xff\r\n');
});

test('wrong arguments are told, not thrown', async () => {
  expect(await run('write_file', { path: 'a' })).toEqual({
    text: 'aish.write_file needs "content", the whole text of the file',
    isError: true,
  });
});

test('the preview shows the diff and writes nothing', async () => {
  execFileSync('git', ['init', '-q', cwd]);
  expect(await preview('write_file', { path: 'a.txt', content: 'hi\n' })).toEqual({
    path: `${cwd}/a.txt`,
    seen: 'none',
    undoable: true,
    diff: '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+hi\n',
  });
  expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
});

test('the preview of a read tells where links lead, and that it is outside of the work tree', async () => {
  execFileSync('git', ['init', '-q', cwd]);
  const secret = join(base, 'secret');
  writeFileSync(secret, 'key');
  symlinkSync(secret, join(cwd, 'notes.txt'));
  put('a.txt', 'a');
  symlinkSync('a.txt', join(cwd, 'b.txt'));
  const previews = ['notes.txt', secret, 'a.txt', 'b.txt'].map((path) => preview('read_file', { path }));
  expect(await Promise.all(previews)).toEqual([
    { undoable: true, path: secret, linked: true, foreign: true },
    { undoable: true, path: secret, foreign: true },
    { undoable: true, path: join(cwd, 'a.txt') },
    { undoable: true, path: join(cwd, 'a.txt'), linked: true },
  ]);
});

test('the work tree, and not the directory, is what a read may stay in; without one it is the directory', async () => {
  const parent = cwd;
  put('a.txt', 'a');
  mkdirSync(join(cwd, 'sub'));
  const read = () => preview('read_file', { path: '../a.txt' });
  cwd = join(parent, 'sub');
  const outside = await read();
  execFileSync('git', ['init', '-q', parent]);
  expect([outside.foreign, (await read()).foreign]).toEqual([true, undefined]);
});

test('a directory that was entered through a link makes no file in it a linked one', async () => {
  put('a.txt', 'a');
  symlinkSync(cwd, `${cwd}-link`);
  const real = cwd;
  cwd = `${cwd}-link`;
  for (const path of ['a.txt', `${cwd}/a.txt`, `${real}/a.txt`])
    expect(await preview('read_file', { path })).toEqual({ undoable: true, path: `${real}/a.txt` });
});

test('the preview tells that a file outside the work tree cannot be put back', async () => {
  execFileSync('git', ['init', '-q', cwd]);
  const { undoable, why, outside } = await preview('write_file', { path: '../other', content: '' });
  const reason = `${base}/other is outside the work tree ${cwd}`;
  expect({ undoable, why, outside }).toEqual({ undoable: false, why: reason, outside: reason });
});

test('the preview sees through a link that leads out of the work tree', async () => {
  execFileSync('git', ['init', '-q', cwd]);
  symlinkSync(base, join(cwd, 'out'));
  expect((await preview('write_file', { path: 'out/x', content: '' })).undoable).toBe(false);
});

test('the preview tells that an ignored file cannot be put back', async () => {
  execFileSync('git', ['init', '-q', cwd]);
  put('.gitignore', '.env\n');
  expect((await preview('write_file', { path: '.env', content: '' })).why).toBe(
    'git ignores this file, so no checkpoint holds it',
  );
});

test('the preview of an edit that would fail says why', async () => {
  expect((await preview('edit_file', { path: 'nope', old: 'a', new: 'b' })).problem).toStartWith(
    `${cwd}/nope does not exist`,
  );
});

test('a link that leads elsewhere than was shown is not written through', async () => {
  put('shown.txt', 'old');
  put('other.txt', 'kept');
  symlinkSync('shown.txt', join(cwd, 'link'));
  const args = { path: 'link', content: 'new' };
  const expected = (await preview('write_file', args)).path ?? '';
  rmSync(join(cwd, 'link'));
  symlinkSync('other.txt', join(cwd, 'link'));
  const context = { cwd, signal: new AbortController().signal, expected };
  const real = realpathSync(cwd);
  expect(await runFileTool('aish.write_file', args, context)).toEqual({
    text: `aish wrote nothing: link now leads to ${real}/other.txt, but the user allowed ${real}/shown.txt\n  call again, so that the user can allow the new path`,
    isError: true,
  });
  expect([get('shown.txt'), get('other.txt')]).toEqual(['old', 'kept']);
});

test('a file that changed since it was shown is not written', async () => {
  put('a.txt', 'old\n');
  for (const [name, args] of [
    ['write_file', { path: 'a.txt', content: 'new' }],
    ['edit_file', { path: 'a.txt', old: 'o', new: 'n' }],
  ] as const) {
    put('a.txt', 'old\n');
    const { seen } = await preview(name, args);
    put('a.txt', 'precious old\n');
    const context = { cwd, signal: new AbortController().signal, seen };
    const path = join(realpathSync(cwd), 'a.txt');
    expect(await runFileTool(`aish.${name}`, args, context)).toEqual({
      text: `aish wrote nothing: ${path} changed after aish showed the diff\n  read the file, then call the tool again; the user can then allow the new change`,
      isError: true,
    });
    expect(get('a.txt')).toBe('precious old\n');
  }
});

test('a path that leads where it was shown to is written', async () => {
  const args = { path: 'new/a.txt', content: 'x' };
  const expected = (await preview('write_file', args)).path ?? '';
  const context = { cwd, signal: new AbortController().signal, expected };
  expect((await runFileTool('aish.write_file', args, context)).isError).toBe(false);
  expect(get('new/a.txt')).toBe('x');
});
