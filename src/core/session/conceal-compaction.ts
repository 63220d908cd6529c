import type { SessionEvent } from '../../protocol/event.ts';

type CompactionEvent = Extract<
  SessionEvent,
  { type: 'compaction.started' | 'context.compacted' | 'compaction.failed' }
>;

/** A fact of a compaction without the secrets in it: a model may write down what it should not know. */
export function concealCompaction(event: CompactionEvent, text: (text: string) => string): SessionEvent {
  switch (event.type) {
    case 'compaction.started':
      return event.focus === undefined ? event : { ...event, focus: text(event.focus) };
    case 'context.compacted': {
      const { summary, kept } = event.compaction;
      return { ...event, compaction: { ...event.compaction, summary: text(summary), kept: text(kept) } };
    }
    case 'compaction.failed':
      return { ...event, error: { ...event.error, message: text(event.error.message) } };
  }
}
