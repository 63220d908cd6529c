import type { HeldContent } from '../../core/context/held-content.ts';

/* Everything that this room reports: lines for the user, behind a prefix. */

/** A server failed before it began to answer. */
export const formatFallback = (model: string, next: string) => `${model} does not answer, so ${next} answers instead`;

/** A fallback that would take the conversation off this network. */
export const formatHeldBack = (model: string, host: string, held: HeldContent) => {
  return `aish does not pass this conversation to ${model} (${host}): ${formatContent(held)} would leave your network. To allow it in this session: :cloud on`;
};

const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** `:cloud`: whether the session may move to a cloud model by itself. */
export const formatCloud = (isAllowed: boolean, held: HeldContent) =>
  isAllowed
    ? `aish may pass this conversation to a cloud model by itself: ${formatContent(held)}. To stop it: :cloud off`
    : `aish does not pass this conversation to a cloud model by itself: ${formatContent(held)}. To allow it: :cloud on`;

function formatContent({ files, outputs, messages }: HeldContent): string {
  return [
    countOf(messages, 'message'),
    ...(files.length === 0
      ? []
      : [`${countOf(files.length, 'file')} (${files.slice(0, 5).join(', ')}${files.length > 5 ? ', …' : ''})`]),
    ...(outputs === 0 ? [] : [countOf(outputs, 'command or tool output')]),
  ].join(', ');
}
