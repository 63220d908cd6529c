import type { ControlSequence } from './sanitize-sequence.ts';

/*
 * A program that a model proposed may still be one that a person uses, such as a pager or an editor. It may draw, but only on the
 * alternate screen, where nothing that was shown before can be changed, and with nothing but what moves, erases and colours. Settings that
 * would outlive it are put back when it leaves.
 */

/** What of a sequence passes, and on which screen the terminal is behind it. */
export interface Drawing {
  readonly text: string;
  readonly isAlternate: boolean;
}

/** Puts back what may have been set on the alternate screen: scrolling region, cursor keys, wrapping, the cursor, colours. */
export const LEAVE_ALTERNATE = '\x1b[r\x1b[?1l\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l';

const SET = 0x68;
const RESET = 0x6c;
const ENTER_ALTERNATE = '\x1b[?1049h';
const SWITCH = /^\?(?:1049|1047|47)$/;
const SETTING = /^\?(?:1|7|12|25)$/;
const MOVES = '@ABCDEFGHIJKLMPSTXZ^`adefgr';

/** True for what goes to the alternate screen. */
export function isEntry({ parameters, final }: ControlSequence): boolean {
  return final === SET && SWITCH.test(parameters);
}

/** What of a control sequence passes that goes to the alternate screen or stands on it; the text is empty for none. */
export function toSafeDrawing(sequence: ControlSequence, isAlternate: boolean): Drawing {
  const { parameters, final } = sequence;
  if (isEntry(sequence)) return { text: isAlternate ? '' : ENTER_ALTERNATE, isAlternate: true };
  if (final === RESET && SWITCH.test(parameters)) return { text: LEAVE_ALTERNATE, isAlternate: false };
  const end = String.fromCodePoint(final);
  return { text: draws(parameters, end) ? `\x1b[${parameters}${end}` : '', isAlternate };
}

function draws(parameters: string, end: string): boolean {
  if (end === 'h' || end === 'l') return SETTING.test(parameters) || (parameters === '4' && end === 'l');
  // 3 J erases what has scrolled away.
  return MOVES.includes(end) && /^[0-9;]*$/.test(parameters) && !(end === 'J' && /3/.test(parameters));
}
