import { escapeForDisplay, sanitizeColoured, sanitizeLine, sanitizeText } from './sanitize.ts';

/** Where untrusted text goes on the screen. */
export type ScreenPlace = 'text' | 'line' | 'name' | 'question' | 'proposed-output' | 'own-output';

const LONGEST_NAME = 64;

/**
 * Makes text fit for a place: text loses what is no text, a line its line ends too, a name what is too long; a question shows
 * what is hidden; the output of a proposed command keeps its colours; what the person ran passes as it is.
 */
export function sanitizeFor(place: ScreenPlace, text: string): string {
  switch (place) {
    case 'text':
      return sanitizeText(text);
    case 'line':
      return sanitizeLine(text);
    case 'name':
      return cut(sanitizeLine(text));
    case 'question':
      return escapeForDisplay(text);
    case 'proposed-output':
      return sanitizeColoured(text);
    case 'own-output':
      return text;
  }
}

function cut(name: string): string {
  const characters = [...name];
  if (characters.length <= LONGEST_NAME) return name;
  // Once more, as the cut may leave a joiner without what it joined.
  return sanitizeLine(`${characters.slice(0, LONGEST_NAME - 1).join('')}…`);
}
