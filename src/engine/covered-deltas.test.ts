import { expect, test } from 'bun:test';
import { createSecretMatcher } from '../core/secrets/matcher.ts';
import type { SessionEvent } from '../protocol/event.ts';
import { CoveredDeltas } from './covered-deltas.ts';

test('a secret cut in two by the pieces is covered, and what only began like one is told in the end', () => {
  const told: SessionEvent[] = [];
  const matcher = createSecretMatcher([{ name: 'K', value: 'Zebra4Crossing8', from: 'test' }]);
  const deltas = new CoveredDeltas(
    () => matcher.stream(),
    (event) => told.push(event),
  );
  for (const text of ['it is Zebra4', 'Crossing8, no', 't Zebra4']) deltas.take({ type: 'reasoning', text });
  deltas.take({ type: 'text', text: 'Zebra4Crossing8' });
  deltas.take({ type: 'tool-call', name: 'f' });
  deltas.end();
  const joined = (type: string): string =>
    told.flatMap((event) => (event.type === type && 'text' in event ? [event.text] : [])).join('');
  expect([joined('reasoning.delta'), joined('text.delta'), told.at(-1)]).toEqual([
    'it is ⟨secret:K⟩, not Zebra4',
    '⟨secret:K⟩',
    { type: 'tool-call.delta', name: 'f' },
  ]);
});
