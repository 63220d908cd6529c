import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from '../../../test/support/properties.ts';
import { type ScreenPlace, SHOWN_IN } from '../../../test/support/screen-places.ts';
import { TextSanitizer } from './sanitize.ts';

type Where = 'model-text' | 'tool-result' | 'server-name' | 'tool-name' | 'prompt' | 'model-exec' | 'user-exec';

interface Row {
  readonly id: string;
  readonly where: Where;
  readonly policy: 'strip' | 'sgr' | 'raw';
  readonly single_line: boolean;
  readonly text: string;
  readonly must_keep: readonly string[];
  readonly must_not: readonly string[];
  readonly not_equal?: readonly string[];
  readonly max_len?: number;
  readonly why: string;
}

const PLACES: Readonly<Record<Where, ScreenPlace>> = {
  'model-text': 'text',
  'tool-result': 'text',
  'server-name': 'line',
  'tool-name': 'line',
  prompt: 'question',
  'model-exec': 'proposed-output',
  'user-exec': 'own-output',
};

const ROWS = readFileSync(join(import.meta.dir, '../../../test/fixtures/safety/escapes.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line): Row => JSON.parse(line));

const HIDDEN = new RegExp(
  [
    String.raw`[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e`,
    String.raw`\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]`,
  ].join(''),
  'u',
);

describe('escapes written from the definition', () => {
  test.each(ROWS.map((row) => [row.id, row.why, row] as const))('%s %s', (_id, _why, row) => {
    const shown = SHOWN_IN[PLACES[row.where]](row.text);
    expect(row.must_keep.filter((part) => !shown.includes(part))).toEqual([]);
    expect(row.must_not.filter((part) => shown.includes(part))).toEqual([]);
    expect(row.not_equal ?? []).not.toContain(shown.trim());
    // How long a name may be is up to who shows it.
    const longest = PLACES[row.where] === 'line' ? undefined : row.max_len;
    expect([...shown].length).toBeLessThanOrEqual(longest ?? Number.POSITIVE_INFINITY);
    if (row.policy === 'raw') expect(shown).toBe(row.text);
    else expectClean(shown, row);
  });
});

function expectClean(shown: string, { policy, single_line }: Row): void {
  const colours = policy === 'sgr' ? [...shown.matchAll(/\x1b\[([0-9;:]*)m/g)].map(([, numbers]) => numbers) : [];
  const rest = policy === 'sgr' ? shown.replace(/\x1b\[[0-9;:]*m/g, '') : shown;
  expect(rest).not.toMatch(single_line ? /[\x00-\x1f\x7f-\x9f]/ : /[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  expect(rest).not.toMatch(HIDDEN);
  expect(['', '0', undefined]).toContain(colours.at(-1));
}

describe('text that arrives in pieces', () => {
  const kinds = [
    ['text', {}],
    ['proposed-output', { keepColours: true }],
  ] as const;

  test.each(kinds)('as %s comes out the same wherever it is cut in two', (place, options) => {
    for (const { text } of ROWS) {
      const whole = SHOWN_IN[place](text);
      for (let cut = 0; cut <= text.length; cut++)
        expect([cut, inPieces([text.slice(0, cut), text.slice(cut)], options)]).toEqual([cut, whole]);
    }
  });

  test.each(kinds)('as %s comes out the same in single units', (place, options) => {
    for (const { text } of ROWS) expect(inPieces(text.split(''), options)).toBe(SHOWN_IN[place](text));
  });

  test.each(kinds)('as %s comes out the same in any pieces of any rows joined', (place, options) => {
    const anyRows = fc.array(fc.constantFrom(...ROWS.map((row) => row.text.slice(0, 60))), { maxLength: 6 });
    const anyCuts = fc.array(fc.nat(400), { maxLength: 12 });
    fc.assert(
      fc.property(anyRows, anyCuts, (rows, cuts) => {
        const text = rows.join('');
        const ends = [0, ...cuts.sort((one, other) => one - other), text.length];
        const pieces = ends.slice(1).map((end, at) => text.slice(ends[at], end));
        expect(inPieces(pieces, options)).toBe(SHOWN_IN[place](text));
      }),
      { numRuns: 300 },
    );
  });
});

function inPieces(pieces: readonly string[], options: { readonly keepColours?: boolean }): string {
  const sanitizer = new TextSanitizer(options);
  return pieces.map((piece) => sanitizer.push(piece)).join('') + sanitizer.end();
}
