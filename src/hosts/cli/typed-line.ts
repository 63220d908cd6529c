import { expandHistory } from '../../core/history-expansion.ts';
import type { Route } from '../../core/router/route.ts';
import type { Look } from './screen/theme.ts';

/** A line as it is to be taken. */
export interface MeantLine {
  readonly text: string;
  readonly route: Route;
}

/** What becomes of history forms goes through these. */
export interface TypedLineParts {
  /** Earlier commands, oldest first. */
  readonly commands: () => readonly string[];
  /** The line that `:history` shows with a number. */
  readonly numbered: (number: number) => string | undefined;
  readonly say: (look: Look, text: string) => void;
  /** Puts a line back into the editor, to be looked at first. */
  readonly insert: (line: string) => void;
}

const QUICK = /^\^[^^\s][^^]*\^/;
/** The mark that sends a line to the shell belongs to aish and not to the command. */
const FORCED = /^!(?=[A-Za-z0-9_./~"'$({])/;

/** Replaces `!!`, `!$`, `^a^b` and the like in a command and shows what came of it; null when nothing is to run. Other lines have none. */
export function expandTyped(
  text: string,
  route: Route,
  { commands, numbered, say, insert }: TypedLineParts,
): MeantLine | null {
  const isQuick = QUICK.test(text);
  if (!isQuick && (route.type !== 'command' || !route.text.includes('!'))) return { text, route };
  const line = isQuick || route.type !== 'command' ? text : route.text;
  const earlier = commands().map((command) => command.trim().replace(FORCED, ''));
  const result = expandHistory(line, earlier, (number) => numbered(number)?.trim().replace(FORCED, ''));
  if (result.type === 'unchanged') return { text, route };
  if (result.type === 'error') say('error', `${result.message}, so nothing ran`);
  else if (result.look) insert(result.text);
  else say('dim', result.text);
  return result.type === 'expanded' && !result.look
    ? { text: result.text, route: { type: 'command', text: result.text, reason: 'from the history' } }
    : null;
}
