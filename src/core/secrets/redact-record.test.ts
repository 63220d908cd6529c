import { expect, test } from 'bun:test';
import type { CommandRecord } from '../../protocol/command.ts';
import { createSecretMatcher } from './matcher.ts';
import { redactRecord } from './redact-event.ts';

const record: CommandRecord = {
  line: 'export KEY=zebra-zebra',
  driver: 'user',
  exit: 0,
  cwd: '/',
  output: '',
  bytes: 0,
  durationMs: 0,
};
const { redact } = createSecretMatcher([{ name: 'KEY', value: 'zebra-zebra', from: 'environment' }]);

test('a record loses its secrets in line and output', () => {
  expect(redactRecord({ ...record, output: 'is zebra-zebra\n' }, { text: redact })).toEqual({
    ...record,
    line: 'export KEY=⟨secret:KEY⟩',
    output: 'is ⟨secret:KEY⟩\n',
  });
});

test('the middle that a record leaves out stays where it is', () => {
  const note = '\n[… 3 lines left out …]\n';
  const output = `zebra-zebra${note}zebra-zebra`;
  const errors = [{ line: 2, text: 'denied: zebra-zebra' }];
  const gap = { from: 11, to: 11 + note.length, lines: 3, errors };
  const clean = redactRecord({ ...record, output, gap }, { text: redact });
  expect(clean.output).toBe(`⟨secret:KEY⟩${note}⟨secret:KEY⟩`);
  expect(clean.gap).toEqual({
    from: 12,
    to: 12 + note.length,
    lines: 3,
    errors: [{ line: 2, text: 'denied: ⟨secret:KEY⟩' }],
  });
});
