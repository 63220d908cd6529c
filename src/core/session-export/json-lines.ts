import type { Recorded } from '../../protocol/event.ts';

/** What a terminal or a reader of lines could take for more than text: controls of C1, line ends of Unicode, marks that reorder. */
const STEERING = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A session's facts, one JSON object a line, with nothing in them that steers a terminal: reading it back gives them as they were. */
export function formatJsonLines(recorded: readonly Recorded[]): string {
  return recorded.map((one) => `${escapeSteering(JSON.stringify(one))}\n`).join('');
}

function escapeSteering(json: string): string {
  return json.replaceAll(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
