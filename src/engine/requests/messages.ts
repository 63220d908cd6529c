import type { HeldContent } from '../../core/context/compaction.ts';

/** Texts about requests, models and notes. */

export const formatLearned = (model: string, lessons: readonly string[]) =>
  `${model} ${lessons.join('; it ')} (aish models show ${model})`;

export const NO_TOOL = 'there is no tool of this name; call a tool of the `tools` field';
export const BAD_ARGUMENTS = 'the arguments are not a valid JSON object; correct them and call the tool again';
export const CUT_OFF = 'the answer was cut off at the token limit, so the call may be incomplete; send a shorter call';
export const FILTERED = 'a content filter stopped the answer, so the call may be incomplete; try another way';
export const NO_MODEL = 'aish found no model on this machine; commands still work, and :demo shows the rest';
export const formatNotRun = (why: string) => `[aish] not run: ${why}`;
export const formatUntrustedNotes = (path: string, hasChanged: boolean) =>
  `${path} ${hasChanged ? 'has changed since you trusted it' : 'is not trusted yet'}, so the model does not get it; to review it, run: aish config trust`;

/** A server failed before it began to answer. */
export const formatFallback = (model: string, next: string) => `${model} does not answer, so ${next} answers instead`;

/** A fallback that would take the conversation off this network. */
export const formatHeldBack = (model: string, host: string, held: HeldContent) =>
  `aish does not pass this conversation to ${model} (${host}): ${formatContent(held)} would leave your network. To allow it in this session: :cloud on`;

const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** `:cloud`: whether the session may move to a cloud model by itself. */
export const formatCloud = (isAllowed: boolean, held: HeldContent) =>
  isAllowed
    ? `aish may pass this conversation to a cloud model by itself: ${formatContent(held)}. To stop it: :cloud off`
    : `aish does not pass this conversation to a cloud model by itself: ${formatContent(held)}. To allow it: :cloud on`;

const formatContent = ({ files, outputs, messages }: HeldContent): string =>
  [
    countOf(messages, 'message'),
    ...(files.length === 0
      ? []
      : [`${countOf(files.length, 'file')} (${files.slice(0, 5).join(', ')}${files.length > 5 ? ', …' : ''})`]),
    ...(outputs === 0 ? [] : [countOf(outputs, 'command or tool output')]),
  ].join(', ');
