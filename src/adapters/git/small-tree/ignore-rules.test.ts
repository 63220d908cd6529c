import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cpuTimeOf } from '../../../../test/support/cpu-time.ts';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import fc from '../../../../test/support/properties.ts';
import { type IgnoreRules, parseIgnoreRules } from './ignore-rules.ts';

const base = useGitHome('ignore-rules', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});
const { git, put } = workIn(() => cwd);

const NAMES = ['a', 'b.log', 'ab', 'foo', '-x', '#c', ' ', 'a b', 'é', '[z]', 'a*', '!n', 'Foo', 'x1', 'bar.'];
const FOLDERS = ['', 'foo/', 'a.d/', 'foo/bar/', 'foo/a.d/b/', '-x.d/'];

const part = fc.oneof(
  fc.constantFrom('*', '**', '?', 'a', 'b', 'foo', 'bar', '.log', '*.d', '[a-f]', '[!a]', '[^x]*', '[a-cx]b', 'Foo'),
  fc.constantFrom('é', '-x', '#c', ' ', '.', '***', 'a**', '[z]', '[', '[]a]', '[[:alpha:]]', '\\a', '[a-]', '!'),
);
const pattern = fc
  .tuple(fc.constantFrom('', '', '!', '/', '!/'), fc.array(part, { minLength: 1, maxLength: 3 }), fc.boolean())
  .chain(([start, parts, isFolder]) =>
    fc.constantFrom('', '/', '').map((between) => `${start}${parts.join(between)}${isFolder ? '/' : ''}`),
  );
const line = fc.oneof(
  { weight: 8, arbitrary: pattern },
  { weight: 1, arbitrary: fc.constantFrom('', '# note', ' ', 'a ', 'a\r', '/', '!', '\ufefffoo') },
);

function makeTree(): readonly string[] {
  for (const folder of FOLDERS) mkdirSync(join(cwd, folder), { recursive: true });
  const paths = FOLDERS.flatMap((folder) => NAMES.map((name) => `${folder}${name}`));
  const files = paths.filter((path) => !FOLDERS.includes(`${path}/`));
  for (const path of files) put(path, '');
  return files;
}

/** The files that a walk from the top finds, with the rules of each folder on its way. */
function listOpen(rules: ReadonlyMap<string, IgnoreRules>, files: readonly string[]): readonly string[] {
  const isOut = (path: string, isFolder: boolean): boolean => {
    const above = path.split('/').map((_, depth, parts) => parts.slice(0, depth).join('/'));
    const answers = above.map((folder) => rules.get(folder === '' ? '' : `${folder}/`)?.(path, isFolder) ?? null);
    return answers.findLast((answer) => answer !== null) ?? false;
  };
  return files.filter((path) => {
    const parts = path.split('/');
    const folders = parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join('/'));
    return !folders.some((folder) => isOut(folder, true)) && !isOut(path, false);
  });
}

test('random ignore files hide what they hide for git', () => {
  const files = makeTree();
  const counts = { known: 0, left: 0 };
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.array(line, { maxLength: 3 }), (top, inner) => {
      const texts = new Map([
        ['', top.join('\n')],
        ['foo/', inner.join('\n')],
      ]);
      for (const [folder, text] of texts) put(`${folder}.gitignore`, text);
      const rules = [...texts].map(([folder, text]) => {
        const raw = Buffer.from(text).toString('latin1');
        return [folder, parseIgnoreRules(raw, folder)] as const;
      });
      const read = new Map(rules.flatMap(([folder, one]) => (one === null ? [] : [[folder, one] as const])));
      counts[read.size < rules.length ? 'left' : 'known'] += 1;
      if (read.size < rules.length) return;
      const raw = new Map(files.map((path) => [Buffer.from(path).toString('latin1'), path]));
      const mine = listOpen(read, [...raw.keys()]).map((path) => raw.get(path) ?? '');
      const theirs = git('ls-files', '-z', '--others', '--exclude-standard').split('\0');
      expect(mine.toSorted()).toEqual(theirs.filter((path) => path !== '' && !path.endsWith('.gitignore')).toSorted());
    }),
    { numRuns: 400 },
  );
  expect(counts.known).toBeGreaterThan(100);
  expect(counts.left).toBeGreaterThan(20);
});

test('a pattern with many stars is matched in no time', () => {
  const rules = parseIgnoreRules(`${'*a'.repeat(40)}b\n${'**/a*/'.repeat(20)}b\n`, '');
  const taken = cpuTimeOf(() => {
    expect(rules?.('a'.repeat(250), false)).toBeNull();
    expect(rules?.(`${'a/'.repeat(100)}c`, false)).toBeNull();
  });
  expect(taken).toBeLessThan(1000);
});
