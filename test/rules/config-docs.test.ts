import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateDocs } from '../../scripts/generate-docs.ts';

const root = join(import.meta.dir, '..', '..');

for (const [path, text] of generateDocs()) {
  test(`${path} is what scripts/generate-docs.ts makes`, () => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(text);
  });
}
