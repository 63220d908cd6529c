import { sanitizeLine } from '../../core/text/sanitize.ts';

/**
 * The sequences of shells that terminals understand: OSC 133 for the beginning and end of a command's output, OSC 7 for the directory.
 * Terminals use them to jump between commands, to select an output, and to open the next window in the same place.
 */
const OUTPUT_BEGINS = new TextEncoder().encode('\x1b]133;C\x07');

const NOTHING = new Uint8Array(0);
/** Terminals that would show an unknown control string instead of leaving it out. */
const SHOWS_MARKS = /^(?:dumb|emacs|eterm.*|linux|cons25.*|vt\d.*|ansi|)$/;

/**
 * Whether the terminal bears the marks. tmux takes both for itself, to know the directory of a pane and to jump between prompts; GNU
 * screen knows neither and would keep them from the terminal anyway.
 */
export function takesMarks(env: Readonly<Record<string, string | undefined>>): boolean {
  const { TERM = '', STY, TMUX } = env;
  return !SHOWS_MARKS.test(TERM) && (STY === undefined || TMUX !== undefined);
}

/** The sequences that the terminal around aish understands. */
export interface OuterTerminal {
  readonly marks: boolean;
  readonly sequences: boolean;
}

/** Tells what the terminal understands by its environment. */
export function toOuterTerminal(env: Readonly<Record<string, string | undefined>>): OuterTerminal {
  return { marks: takesMarks(env), sequences: !/^(?:dumb|)$/.test(env.TERM ?? '') };
}

/** Right before a command's output. */
export function formatOutputBegin({ marks }: OuterTerminal): Uint8Array {
  return marks ? OUTPUT_BEGINS : NOTHING;
}

/**
 * The modes that a full-screen program undoes itself unless it is killed: its screen, its keys, mouse and focus reports, its paste marks,
 * its look.
 */
const LEAVE_FULL_SCREEN =
  '\x1b[?1049l\x1b[?1l\x1b>\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[0m';
const SHOW_CURSOR = '\x1b[?25h';

/** After a command: the terminal as a line of text wants it, the status and the directory. The marks of a prompt come with the prompt. */
export function formatCommandEnd(
  exit: number | null,
  cwd: string,
  { isAlternate, marks, sequences }: OuterTerminal & { readonly isAlternate: boolean },
): Uint8Array {
  if (!sequences) return NOTHING;
  const status = exit === null ? '' : `;${exit}`;
  const leave = isAlternate ? LEAVE_FULL_SCREEN : '';
  const said = `\x1b]133;D${status}\x07\x1b]7;${toFileUrl(cwd)}\x07`;
  return new TextEncoder().encode(`${leave}${marks ? said : ''}${SHOW_CURSOR}`);
}

function toFileUrl(path: string): string {
  return `file://${process.getBuiltinModule('node:os').hostname()}${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The title of the window. */
export function formatTitle(title: string, { sequences }: OuterTerminal): Uint8Array {
  return sequences ? Buffer.from(`\x1b]0;${sanitizeLine(title)}\x07`) : NOTHING;
}
