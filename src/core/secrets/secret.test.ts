import { expect, test } from 'bun:test';
import { formatPlaceholder, placeholdersIn, revealPlaceholders } from './secret.ts';

test('placeholders are found by their names, each once', () => {
  const text = `a ${formatPlaceholder('A')} ${formatPlaceholder('git.host-2')} ${formatPlaceholder('A')} ⟨secret:⟩ ⟨secret:b c⟩`;
  expect(placeholdersIn(text)).toEqual(['A', 'git.host-2']);
});

test('a placeholder becomes its value, and one nobody knows stays', () => {
  expect(revealPlaceholders('x ⟨secret:A⟩ ⟨secret:B⟩', (name) => (name === 'A' ? '$&1' : null))).toBe('x $&1 ⟨secret:B⟩');
});
