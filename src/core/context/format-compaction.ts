import type { SessionEvent } from '../../protocol/event.ts';

/** What is told of a compaction. */
export type CompactionEvent = Extract<
  SessionEvent,
  { type: 'compaction.started' | 'context.compacted' | 'compaction.failed' }
>;

const REASONS = {
  threshold: 'the context is nearly full',
  overflow: 'the model cannot hold the conversation',
  person: 'you asked for it',
} as const;

/** What people read of a compaction, in one line. */
export function formatCompaction(event: CompactionEvent): string {
  switch (event.type) {
    case 'compaction.started':
      return `compacting the conversation: ${REASONS[event.reason]}`;
    case 'context.compacted': {
      const { compaction, tokensBefore, tokensAfter, model } = event;
      const without =
        compaction.room === null ? 'what was said and done is kept, outputs are not' : 'long texts were cut';
      const how = model === undefined ? without : `summarised by ${model}`;
      return `compacted from about ${formatTokens(tokensBefore)} to ${formatTokens(tokensAfter)} tokens (${how}); the log keeps all of it`;
    }
    case 'compaction.failed':
      return `not compacted: ${event.error.message}`;
  }
}

/** A number of tokens as people read it: `6,144`. */
export function formatTokens(tokens: number): string {
  return String(Math.round(tokens)).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
