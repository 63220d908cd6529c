import { escapeForDisplay } from '../../../core/sanitize.ts';
import type { CallPreview, HandedSecret } from '../../../protocol/tool.ts';
import { foldProse } from './fold.ts';
import { styled, type Theme } from './theme.ts';

/** Which secrets a call would be handed, and who gets them: what a yes gives away stands out, what a rule does is told. */
export function formatHanded({ secrets = [] }: CallPreview, columns: number, theme: Theme): readonly string[] {
  const ruled = secrets.filter(({ rule }) => rule !== undefined);
  const asked = secrets.filter(({ rule }) => rule === undefined);
  return [
    ...group(asked).flatMap((text) => foldProse(text, columns).map((row) => styled(theme, 'warning', row))),
    ...group(ruled).flatMap((text) => foldProse(text, columns)),
  ];
}

/** The same in words, one line for each receiver. */
export function describeHanded({ secrets = [] }: CallPreview): readonly string[] {
  return group(secrets);
}

function group(secrets: readonly HandedSecret[]): readonly string[] {
  const byEnd = new Map<string, Set<string>>();
  for (const { name, to, rule } of secrets) {
    const end = ` to ${to}${rule === undefined ? '' : ` by the rule "${rule}"`}`;
    byEnd.set(end, (byEnd.get(end) ?? new Set()).add(name));
  }
  return [...byEnd].map(([end, names]) => escapeForDisplay(`hands ${[...names].join(', ')}${end}`));
}
