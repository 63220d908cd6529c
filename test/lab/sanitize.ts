/** Scores the screen's door: reads `{"where","text"}` a line and prints `{"text"}` a line, in order. */
import { type ScreenPlace, sanitizeFor } from '../../src/core/sanitize-for.ts';

/** The scorer's names of places. */
const PLACES: Readonly<Record<string, ScreenPlace>> = {
  prompt: 'question',
  'model-exec': 'proposed-output',
  'user-exec': 'own-output',
  'user-output': 'own-output',
  foreground: 'own-output',
  'server-name': 'name',
  'tool-name': 'name',
  'session-name': 'name',
  status: 'line',
  title: 'line',
  error: 'line',
};

const answers: string[] = [];
for await (const line of console) {
  if (line.trim() === '') continue;
  const { where, text } = JSON.parse(line);
  answers.push(JSON.stringify({ text: sanitizeFor(PLACES[where] ?? 'text', text) }));
}
console.log(answers.join('\n'));
