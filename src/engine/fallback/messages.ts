import type { HeldContent } from '../../core/context/held-content.ts';

/* Everything that this room reports: lines for the user, behind a prefix. */

/** A server failed before it began to answer. */
export const formatFallback = (model: string, next: string) => `${model} does not answer, so ${next} answers instead`;

/** A fallback that would take the conversation off this network. */
export const formatHeldBack = (model: string, host: string, { files, outputs, messages }: HeldContent) => {
  const parts = [
    countOf(messages, 'message'),
    ...(files.length === 0
      ? []
      : [`${countOf(files.length, 'file')} (${files.slice(0, 5).join(', ')}${files.length > 5 ? ', …' : ''})`]),
    ...(outputs === 0 ? [] : [countOf(outputs, 'command or tool output')]),
  ];
  return `aish does not pass this conversation to ${model} (${host}): ${parts.join(', ')} would leave your network. To allow it in this session: :cloud on`;
};

const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
