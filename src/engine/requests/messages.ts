import type { Lesson } from '../../core/model/endpoint-profile.ts';

/** Texts about requests, models and notes. */

/** A lesson about a server as the end of a sentence: `refuses stream_options, so aish leaves it out`. */
export function formatLesson(lesson: Lesson): string {
  switch (lesson.type) {
    case 'omit':
      return `refuses ${lesson.field}, so aish leaves it out`;
    case 'text-tool-turns':
      return 'refuses messages of tools, so aish sends calls and results as text';
    case 'no-tools':
      return 'takes no tools, so the model can only talk and propose commands';
    case 'most-tools':
      return `takes at most ${lesson.count} tools, so aish offers only the first ${lesson.count}`;
    case 'fold-system':
      return 'refuses a system message, so aish puts it in front of your first message';
    case 'empty-content':
      return `refuses empty content beside calls, so aish ${EMPTY_FORMS[lesson.form]}`;
    case 'token-limit':
      return `wants a token limit, so aish sends ${lesson.field} = ${lesson.tokens}`;
    case 'no-stream':
      return 'does not stream, so an answer appears when it is complete';
    case 'plain-schema':
      return 'refuses a part of the schema of tools, so aish sends simpler schemas';
    case 'plainest':
      return 'gives no reason for its refusal, so aish leaves out everything optional';
  }
}

const EMPTY_FORMS = { null: 'sends null', space: 'sends a blank', omitted: 'leaves it out' } as const;

export const formatLearned = (model: string, lessons: readonly string[]) =>
  `${model} ${lessons.join('; it ')} (aish models show ${model})`;

export const NO_TOOL = 'there is no tool of this name; call a tool of the `tools` field';
export const BAD_ARGUMENTS = 'the arguments are not a valid JSON object; correct them and call the tool again';
export const CUT_OFF = 'the answer was cut off at the token limit, so the call may be incomplete; send a shorter call';
export const FILTERED = 'a content filter stopped the answer, so the call may be incomplete; try another way';
export const NO_MODEL = 'aish found no model on this machine; commands still work, and `aish demo` shows the rest';
export const formatNotRun = (why: string) => `[aish] not run: ${why}`;
export const formatUntrustedNotes = (path: string, hasChanged: boolean) =>
  `${path} ${hasChanged ? 'has changed since you trusted it' : 'is not trusted yet'}, so the model does not get it; to review it, run: aish config trust`;
