import { sanitizeLine } from '../sanitize.ts';
import { cutHead } from '../truncate.ts';
import type { Entry } from './state.ts';

/** Characters of a line that are shown. */
const LONGEST_LINE = 72;

/** The last message of the person and the beginning of the last answer to it, a line each, for who goes on with a session; none for neither. */
export function formatLastExchange(entries: readonly Entry[]): readonly string[] {
  const at = entries.findLastIndex(({ type }) => type === 'user');
  const asked = entries[at];
  if (asked?.type !== 'user') return [];
  const answer = entries.slice(at).findLast((entry) => isAnswer(entry));
  const said = answer?.type === 'assistant' || answer?.type === 'unanswered' ? answer.text : '';
  return [`> ${toLine(asked.text)}`, ...(said === '' ? [] : [`  ${toLine(said)}`])];
}

function isAnswer(entry: Entry): boolean {
  return (entry.type === 'assistant' || entry.type === 'unanswered') && entry.text.trim() !== '';
}

/** Where a session was begun, when the shell stands elsewhere; null where that is the same. */
export function formatBegunElsewhere(begun: string, cwd: string, home: string | undefined): string | null {
  if (begun === cwd) return null;
  const shown = (path: string): string =>
    sanitizeLine(home !== undefined && `${path}/`.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
  return `it was begun in ${shown(begun)}; the shell is in ${shown(cwd)}, and :undo takes back what was done there`;
}

/** The first line that says something, no longer than is shown. */
function toLine(text: string): string {
  const [first = '', ...rest] = text
    .split('\n')
    .map((line) => sanitizeLine(line).trim())
    .filter((line) => line !== '');
  if (first.length > LONGEST_LINE) return `${cutHead(first, LONGEST_LINE)}…`;
  return rest.length === 0 ? first : `${first} …`;
}
