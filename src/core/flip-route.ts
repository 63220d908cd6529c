import type { Route } from './router/route.ts';

/** The mark that forces the other way: a command becomes a message and a message a command. */
const OTHER: Readonly<Record<Route['type'], string>> = { command: '?', message: '!', meta: '', nothing: '' };

/**
 * The line as it must be typed to go the other way: a mark that forces it is put in front, or taken away where the line goes
 * the other way without it. What is for aish itself stays as it is.
 */
export function flipRoute(text: string, route: (text: string) => Route): string {
  const now = route(text).type;
  if (OTHER[now] === '') return text;
  const marked = /^(\s*)[?!]\s*(.*)$/s.exec(text);
  if (marked === null) return `${OTHER[now]}${text.trimStart()}`;
  const bare = `${marked[1]}${marked[2]}`;
  const alone = route(bare).type;
  return alone !== now && OTHER[alone] !== '' ? bare : `${OTHER[now]}${bare.trimStart()}`;
}
