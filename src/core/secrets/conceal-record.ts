import type { CommandRecord } from '../../protocol/command.ts';

/** A record without the secrets in what was typed and printed. */
export function concealRecord(record: CommandRecord, conceal: (text: string) => string): CommandRecord {
  const { gap } = record;
  const clean = { ...record, line: conceal(record.line) };
  if (gap === undefined) return { ...clean, output: conceal(record.output) };
  const head = conceal(record.output.slice(0, gap.from));
  const note = record.output.slice(gap.from, gap.to);
  return {
    ...clean,
    output: head + note + conceal(record.output.slice(gap.to)),
    gap: {
      ...gap,
      from: head.length,
      to: head.length + note.length,
      errors: gap.errors.map(({ line, text }) => ({ line, text: conceal(text) })),
    },
  };
}
