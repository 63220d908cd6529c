/** Texts about requests, models and notes. */

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
