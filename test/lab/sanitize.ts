/** Scores the screen's door: reads `{"where","text"}` a line and prints `{"text"}` a line, in order. */
import { type ScreenPlace, SHOWN_IN } from '../support/screen-places.ts';

/** The scorer's names of places. */
const PLACES: Readonly<Record<string, ScreenPlace>> = {
  prompt: 'question',
  'model-exec': 'proposed-output',
  'user-exec': 'own-output',
  'shell-output': 'own-output',
  foreground: 'own-output',
  'server-name': 'line',
  'tool-name': 'line',
  'session-name': 'line',
  status: 'line',
  title: 'line',
  error: 'line',
};

const answers: string[] = [];
for await (const line of console) {
  if (line.trim() === '') continue;
  const { where, text } = JSON.parse(line);
  answers.push(JSON.stringify({ text: SHOWN_IN[PLACES[where] ?? placeLike(where)](text) }));
}
console.log(answers.join('\n'));

/** A place under another name. */
function placeLike(where: string): ScreenPlace {
  if (where.startsWith('user')) return 'own-output';
  if (/prompt|question|approval/.test(where)) return 'question';
  if (where.endsWith('exec')) return 'proposed-output';
  if (/name|branch|label$/.test(where)) return 'line';
  return /title|status|path|error|notice/.test(where) ? 'line' : 'text';
}
