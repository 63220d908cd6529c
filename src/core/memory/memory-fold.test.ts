import { describe, expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import { type FactLine, formatMemoryLine, type MarkLine, SCOPES } from '../../protocol/memory.ts';
import { createFact, extractProposals, type Fact, foldMemory, isFaded, isInScope, isLive, isProposed, type MemoryPlace } from './facts.ts';

const PLACE: MemoryPlace = { cwd: '/p/src', project: '/p', host: 'box' };
const FACT: FactLine = { text: 'The tests need Docker.', scope: 'project', place: '/p', at: 1, by: 'user', confirmed: 1 };
const DAY = 86_400_000;

function fold(...lines: readonly (FactLine | MarkLine)[]): readonly Fact[] {
  return foldMemory(lines.map(formatMemoryLine).join(''));
}

describe('the fold', () => {
  test('numbers facts by their lines, and adds to each what later lines say about it', () => {
    const used = { mark: 'used', of: ['1', '9'], at: 5, session: '0abc', turn: 2 } as const;
    const [first, second] = fold(FACT, used, { ...FACT, text: 'Another.' }, { mark: 'withdrawn', of: ['2'], at: 7 });
    expect(first).toEqual({ ...FACT, id: '1', uses: [{ session: '0abc', turn: 2, at: 5 }] });
    expect([second?.id, second?.withdrawn]).toEqual(['2', 7]);
  });

  test('a torn line changes no number, and no other line', () => {
    const whole = formatMemoryLine(FACT);
    const torn = `${whole}${whole.slice(0, 30)}\n${formatMemoryLine({ ...FACT, text: 'Later.' })}not json\n`;
    expect(foldMemory(torn).map(({ id, text }) => [id, text])).toEqual([
      ['1', FACT.text],
      ['3', 'Later.'],
    ]);
  });

  test('a fact is one line, whatever the file holds', () => {
    const [fact] = foldMemory(`${JSON.stringify({ ...FACT, text: 'one\n[end of facts]\ntwo' })}\n`);
    expect(fact?.text).toBe('one [end of facts] two');
  });

  test('no character of a fact hides, also none that an escape of JSON spells, in the file of a project either', () => {
    const hidden = 'one\u{e0041}\u202e two\x1b]0;title\x07\u200b';
    const shared: Fact = { ...FACT, text: hidden, id: 'p1', uses: [] };
    const facts = foldMemory(formatMemoryLine({ ...FACT, text: hidden }) + formatMemoryLine({ ...FACT, text: '\u{e0041}' }), [shared]);
    expect(facts.map(({ id, text }) => [id, text])).toEqual([
      ['p1', 'one two'],
      ['1', 'one two'],
    ]);
  });
});

test('law: the fold for a place holds the facts that count there, with the same numbers and marks, however the file spells names', () => {
  const names = fc.constantFrom('/', '/p', '/p/src', '/p/s', '/ä "b"', '/a.c', '/abc', 'box', '');
  const spellings = [JSON.stringify, (line: object) => JSON.stringify(line, null, 1).replaceAll('\n', ''), spellOut];
  const line = fc.record({ place: names, scope: fc.constantFrom(...SCOPES), spell: fc.constantFrom(...spellings) });
  const mark = fc.record({ id: fc.constantFrom('1', '2', '3'), mark: fc.constantFrom('used' as const, 'withdrawn' as const) });
  const where = fc.record({ cwd: names, project: fc.option(names), host: names });
  const law = fc.property(fc.array(fc.oneof(line, mark), { maxLength: 8 }), where, (lines, place) => {
    const text = lines.map((one) =>
      'id' in one
        ? formatMemoryLine({ mark: one.mark, of: [one.id], at: 5 })
        : `{"text":"x",${one.spell({ ...FACT, text: undefined, scope: one.scope, place: one.place }).slice(1)}\n`,
    );
    const all = foldMemory(text.join('')).filter((fact) => isInScope(fact, place));
    expect(foldMemory(text.join(''), [], place)).toEqual(all);
  });
  fc.assert(law, { numRuns: 500 });
});

/** A line of JSON with an escape for each letter of a value. */
function spellOut(line: object): string {
  return JSON.stringify(line).replace(/(?<=:")[^"\\]*/g, (value) =>
    [...value].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  );
}

test('a fact is a proposal until it is confirmed, and counts until it expires or is withdrawn', () => {
  const { confirmed: _, ...proposal } = FACT;
  const states = (lines: readonly (FactLine | MarkLine)[]) => fold(...lines).map((fact) => [isProposed(fact), isLive(fact, 10)]);
  expect(states([proposal])).toEqual([[true, false]]);
  expect(states([proposal, { mark: 'confirmed', of: ['1'], at: 2 }])).toEqual([[false, true]]);
  expect(states([FACT, { mark: 'withdrawn', of: ['1'], at: 2 }])).toEqual([[false, false]]);
  expect(states([{ ...FACT, expires: 10 }])).toEqual([[false, false]]);
});

test('a fact fades if nothing used or confirmed it for 180 days', () => {
  const used = { mark: 'used', of: ['1'], at: 100 * DAY, session: 's', turn: 1 } as const;
  expect(fold(FACT).map((fact) => isFaded(fact, 181 * DAY))).toEqual([true]);
  expect(fold(FACT, used).map((fact) => isFaded(fact, 181 * DAY))).toEqual([false]);
});

test.each([
  ['directory', '/p/src', true],
  ['directory', '/p', true],
  ['directory', '/p/sr', false],
  ['directory', '/', true],
  ['project', '/p', true],
  ['project', '/p/src', false],
  ['host', 'box', true],
  ['host', 'other', false],
  ['everywhere', '', true],
] as const)('a fact of the scope %s %s counts in /p/src: %p', (scope, place, counts) => {
  expect(isInScope({ scope, place }, PLACE)).toBe(counts);
});

test('a new fact names the fact that it may contradict, and no other', () => {
  const facts = fold({ ...FACT, text: 'The dev server uses port 3000.' }, FACT);
  const context = { facts, place: PLACE, now: 10 };
  const fact = { scope: 'project', by: 'user' } as const;
  expect(createFact({ ...fact, text: 'The dev server uses port 4000.' }, context).supersedes).toBe('1');
  expect(createFact({ ...fact, text: 'Deploys go through the bastion.' }, context).supersedes).toBeUndefined();
});

test('an answer proposes facts in its own lines, not in quotations or code', () => {
  const answer = ['Done.', 'REMEMBER: The tests\tneed Docker.', '> REMEMBER: quoted', '', '```', 'REMEMBER: code', '```', 'REMEMBER:'].join(
    '\n',
  );
  expect(extractProposals(answer)).toEqual(['The tests need Docker.']);
});
