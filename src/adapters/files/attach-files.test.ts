import { beforeEach, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { AishError } from '../../protocol/error.ts';
import { type AttachOptions, attachFiles, attachmentBudget } from './attach-files.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const base = useFolder('attach');
let options: AttachOptions;

beforeEach(() => {
  const cwd = mkdtempSync(join(base, 'work-'));
  options = { cwd, home: join(cwd, 'home'), images: true, budget: 10_000 };
  writeFileSync(join(cwd, 'a.ts'), 'one\ntwo\nthree\n');
  writeFileSync(join(cwd, 'my notes.txt'), 'note');
});

async function failure(text: string): Promise<string> {
  const thrown = await attachFiles(text, options).catch((error: unknown) => error);
  return thrown instanceof AishError ? `${thrown.code}: ${thrown.message} (${thrown.hint})` : 'attached';
}

test('the files of a message are read as they are, each once, and told in a line each', async () => {
  expect(await attachFiles('compare @a.ts, @"my notes.txt" and @a.ts', options)).toEqual({
    files: [
      { type: 'text', path: 'a.ts', about: '3 lines', text: 'one\ntwo\nthree\n' },
      { type: 'text', path: 'my notes.txt', about: '1 line', text: 'note' },
    ],
    lines: ['attached a.ts, 3 lines', 'attached my notes.txt, 1 line'],
    images: [],
  });
});

test('a resource of a server goes along, marked as such; a name before a colon that is no server stays a text', async () => {
  const readResource = async (uri: string) => `content of ${uri}`;
  const known = { statuses: () => [{ alias: 'notes' }], server: () => ({ readResource }) };
  const { files } = await attachFiles('read @notes:note://1 and ask @me:now', {
    ...options,
    servers: async () => known,
  });
  const text = 'content of note://1';
  expect(files).toEqual([{ type: 'text', path: 'notes:note://1', about: '1 line', text, server: true }]);
});

test.each(['file:///home/ana/.ssh/id_rsa', 'file:///srv/%2Eenv', 'x://notes/a/.env?raw#top', '/srv/.env'])(
  'a resource whose address tells of a secret, %s, goes along with an exclamation mark only',
  async (uri) => {
    const read: string[] = [];
    const readResource = async (address: string) => `content ${read.push(address)}`;
    const known = { statuses: () => [{ alias: 'fs' }], server: () => ({ readResource }) };
    const attach = (text: string) => attachFiles(text, { ...options, servers: async () => known });
    const refused = await attach(`see @fs:${uri}`).catch((thrown) => thrown.code);
    const { files } = await attach(`see @!fs:${uri}`);
    expect([refused, files.length, read]).toEqual(['attach.secret', 1, [uri]]);
  },
);

test('only the lines that are named go along', async () => {
  const { files } = await attachFiles('@a.ts:2-9 @a.ts:1', options);
  expect(files).toEqual([
    { type: 'text', path: 'a.ts', about: 'lines 2-3 of 3', text: 'two\nthree' },
    { type: 'text', path: 'a.ts', about: 'lines 1-1 of 3', text: 'one' },
  ]);
});

test('a name that need not be a file is left alone, one that must be is missed before anything is sent', async () => {
  const none = await attachFiles('ask @alice about @types/node and me@example.org', options);
  expect([none.files, await failure('see @b.ts')]).toEqual([
    [],
    `attach.missing: there is no file b.ts to attach (aish looked for ${join(options.cwd, 'b.ts')}) (correct the path, or write it without the @)`,
  ]);
});

test('a directory goes along as a list', async () => {
  mkdirSync(join(options.cwd, 'src', 'deep'), { recursive: true });
  writeFileSync(join(options.cwd, 'src', 'x'), '');
  expect((await attachFiles('@src', options)).files).toEqual([
    { type: 'text', path: 'src', about: 'a directory of 2 entries', text: 'deep/\nx' },
  ]);
});

test('long files share the room and are shortened in the middle', async () => {
  const long = Array.from({ length: 2000 }, (_, at) => `line ${at}`).join('\n');
  writeFileSync(join(options.cwd, 'x.log'), long);
  writeFileSync(join(options.cwd, 'y.log'), long);
  const { files, lines } = await attachFiles('@x.log @y.log', { ...options, budget: 4000 });
  const texts = files.map((file) => (file.type === 'text' ? file.text : ''));
  expect(texts.map((text) => [text.startsWith('line 0\n'), text.endsWith('line 1999'), text.length < 2200])).toEqual([
    [true, true, true],
    [true, true, true],
  ]);
  expect(lines).toEqual([
    'attached x.log, 2000 lines, shortened in the middle',
    'attached y.log, 2000 lines, shortened in the middle',
  ]);
});

test('of a very long file both ends are read', async () => {
  writeFileSync(join(options.cwd, 'x.log'), `begin\n${'middle\n'.repeat(900_000)}end`);
  const [file] = (await attachFiles('@x.log', options)).files;
  expect(file?.about).toBe('both ends of 6.3 MB');
  expect(file?.type === 'text' && file.text.startsWith('begin') && file.text.endsWith('end')).toBe(true);
});

test('binary data is refused with a word', async () => {
  writeFileSync(join(options.cwd, 'x.log'), Buffer.from([1, 0, 2]));
  expect(await failure('@x.log')).toContain('attach.binary: x.log contains binary data');
});

test('what looks like a secret is refused unless it is insisted on, also behind a link', async () => {
  writeFileSync(join(options.cwd, '.env'), 'KEY=1');
  writeFileSync(join(options.cwd, 'server.pem'), 'x');
  symlinkSync(join(options.cwd, '.env'), join(options.cwd, 'harmless.txt'));
  expect(await failure('@.env')).toBe(
    'attach.secret: .env looks like a secret; aish sent nothing (to attach it anyway, write @!.env)',
  );
  expect(await failure('@server.pem')).toContain('attach.secret');
  expect(await failure('@harmless.txt')).toContain('attach.secret');
  expect((await attachFiles('@!.env', options)).lines).toEqual(['attached .env, 1 line']);
});

test('an image goes along as one where the model takes it, whatever its name', async () => {
  writeFileSync(join(options.cwd, 'shot'), PIXEL);
  const image = {
    type: 'image',
    path: 'shot',
    about: '1 kB',
    mediaType: 'image/png',
    data: PIXEL.toString('base64'),
  } as const;
  expect([await attachFiles('@shot', options), await attachFiles('@shot', { ...options, images: false })]).toEqual([
    {
      files: [image],
      lines: ['attached shot, 1 kB'],
      images: [{ path: join(options.cwd, 'shot'), mime: 'image/png', bytes: PIXEL.length }],
    },
    {
      files: [],
      images: [],
      lines: [
        'the model gets only the name of shot: it takes no images; if it does, set images = true in its [models] section',
      ],
    },
  ]);
});

test('images that are too large, alone or together, are refused', async () => {
  const large = Buffer.concat([PIXEL, Buffer.alloc(4_000_000)]);
  for (const name of ['a.png', 'b.png', 'c.png']) writeFileSync(join(options.cwd, name), large);
  writeFileSync(join(options.cwd, 'd.png'), Buffer.concat([large, large]));
  expect(await failure('@a.png @b.png @c.png')).toContain('attach.too-large: the images have 12.0 MB');
  expect(await failure('@d.png')).toContain('attach.too-large: the image d.png has 8.0 MB');
  const named = await attachFiles('@d.png', { ...options, images: false });
  expect(named).toEqual({ files: [], lines: [expect.stringContaining('only the name of d.png')], images: [] });
});

test('what cannot be read, and what is no file, is told', async () => {
  expect(await failure('@/dev/null')).toContain('attach.not-a-file');
  expect(await failure('@a.ts:9-10')).toContain('attach.no-lines: a.ts has 3 lines, so it has no line 9');
});

test.skipIf(process.getuid?.() === 0)('a file without permission is told with the reason', async () => {
  chmodSync(join(options.cwd, 'a.ts'), 0);
  expect(await failure('@a.ts')).toContain('attach.unreadable');
});

test('the room for files is half of what the model can hold, and never without end', () => {
  expect([attachmentBudget(8192), attachmentBudget(undefined), attachmentBudget(1_000_000)]).toEqual([
    12_288, 24_000, 200_000,
  ]);
});
