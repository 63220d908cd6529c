import { expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import { type FactLine, formatMemoryLine, type MarkLine, SCOPES } from '../../protocol/memory.ts';
import { estimateTokens } from '../context/estimate.ts';
import { formatFacts } from '../context/messages.ts';
import { foldMemory, isInScope, MEMORY_TOKENS, type MemoryPlace, recall } from './facts.ts';

const PLACE: MemoryPlace = { cwd: '/p', project: '/p', host: 'box' };
const BASE = { scope: 'project', place: '/p', at: 1, by: 'user', confirmed: 1 } as const;
const NOW = 10;

function fold(lines: readonly (FactLine | MarkLine)[]) {
  return foldMemory(lines.map(formatMemoryLine).join(''));
}

const places = fc.constantFrom('/a', '/a/b', '/a/bc', '/a/b/c', '/', 'box', 'other', '');
const fact = fc.record({
  text: fc.stringMatching(/^[a-f]{2,4}( [a-f]{2,4}){0,6}$/),
  scope: fc.constantFrom(...SCOPES),
  place: places,
  at: fc.nat(9),
  by: fc.constant('user' as const),
  confirmed: fc.constantFrom(1, undefined),
  expires: fc.constantFrom(5, 50, undefined),
  supersedes: fc.constantFrom('1', '2', '3', undefined),
});
const mark = fc.record({
  mark: fc.constantFrom('confirmed' as const, 'withdrawn' as const, 'used' as const),
  of: fc.array(fc.nat(12).map(String), { maxLength: 3 }),
  at: fc.nat(9),
});
const session = fc.record({
  cwd: fc.constantFrom('/a', '/a/b', '/a/bc/d', '/x'),
  project: fc.constantFrom('/a', '/a/b', null),
  host: fc.constantFrom('box', 'other'),
});

test('law: in 1,000 random sessions no fact crosses its scope, and none is sent that is forgotten, expired or not accepted', () => {
  const history = fc.array(fc.oneof({ arbitrary: fact, weight: 3 }, mark), { maxLength: 20 });
  const law = fc.property(history, session, fc.stringMatching(/^[a-f ]{0,20}$/), (lines, place, text) => {
    const facts = fold(lines);
    const sent = recall(facts, { text, place, now: NOW });
    for (const { id, text: shown } of sent) {
      const one = facts.find((known) => known.id === id);
      if (one === undefined || !isInScope(one, place)) throw new Error(`fact ${id} crossed its scope`);
      if (one.confirmed === undefined || one.withdrawn !== undefined || (one.expires ?? NOW + 1) <= NOW)
        throw new Error(`fact ${id} does not count`);
      const older = facts.find((known) => known.id === one.supersedes);
      const isOlderShown = shown !== one.text;
      if (isOlderShown && (older === undefined || older.withdrawn !== undefined || !isInScope(older, place)))
        throw new Error('the older fact does not count');
    }
    // A fact that another one may replace is never sent by itself.
    const replaced = new Set(sent.flatMap(({ id }) => facts.find((known) => known.id === id)?.supersedes ?? []));
    if (sent.some(({ id }) => replaced.has(id))) throw new Error('a contradiction is not marked');
    if (sent.length > 0 && estimateTokens(formatFacts(sent)) > MEMORY_TOKENS) throw new Error('over the budget');
  });
  fc.assert(law, { numRuns: 1000 });
});

const SUBJECTS = ['invoice', 'billing', 'search', 'upload', 'login', 'report', 'catalogue', 'payment', 'mail', 'backup'];
const MATTERS = [
  'staging host',
  'retry limit',
  'log folder',
  'release branch',
  'seed file',
  'cache key',
  'rate limit',
  'owner',
  'queue name',
  'port',
];
const PLANTED = SUBJECTS.flatMap((subject) => MATTERS.map((matter) => ({ subject, matter })));

test('of 100 planted facts among 10,000, at least 95 are recalled within the budget', () => {
  const noise = Array.from({ length: 9900 }, (_, at) => ({
    ...BASE,
    text: `Note ${at}: module m${at % 997} talks to service s${at % 89} about topic t${at}.`,
  }));
  const planted = PLANTED.map(({ subject, matter }, at) => ({ ...BASE, text: `The ${matter} of the ${subject} service is value${at}.` }));
  const facts = fold([...noise.slice(0, 5000), ...planted, ...noise.slice(5000)]);
  const found = PLANTED.filter(({ subject, matter }, at) => {
    const sent = recall(facts, { text: `please check the ${subject} services: which ${matter} do we use?`, place: PLACE, now: NOW });
    return sent.some(({ text }) => text.includes(`value${at}.`)) && estimateTokens(formatFacts(sent)) <= MEMORY_TOKENS;
  });
  expect(found.length).toBeGreaterThanOrEqual(95);
});

test('a fact that contradicts an earlier one is sent with it, and marked', () => {
  const facts = fold([
    { ...BASE, text: 'The port is 3000.' },
    { ...BASE, text: 'The port is 4000.', supersedes: '1' },
    { ...BASE, text: 'Copied from a page.', untrusted: ['https://example.org'] },
  ]);
  expect(recall(facts, { text: 'which port?', place: PLACE, now: NOW })).toEqual([
    { id: '2', text: 'The port is 4000. (newer; an earlier fact says: The port is 3000.)' },
    { id: '3', text: 'Copied from a page. (learned while reading untrusted content)' },
  ]);
});

test('if nothing fits the message, narrow scopes and newer facts come first', () => {
  const facts = fold([
    { ...BASE, text: 'everywhere', scope: 'everywhere', place: '' },
    { ...BASE, text: 'old' },
    { ...BASE, text: 'new', at: 2 },
  ]);
  expect(recall(facts, { text: 'hello', place: PLACE, now: NOW }).map(({ text }) => text)).toEqual(['new', 'old', 'everywhere']);
});
