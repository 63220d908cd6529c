import { escapeForDisplay, sanitizeColoured, sanitizeLine, sanitizeText } from '../../src/core/text/sanitize.ts';

/** The place of untrusted text on the screen. */
export type ScreenPlace = 'text' | 'line' | 'question' | 'proposed-output' | 'own-output';

/** A text as the program shows it in a place: each place has its own function, and what the user ran passes as it is. */
export const SHOWN_IN: Readonly<Record<ScreenPlace, (text: string) => string>> = {
  text: sanitizeText,
  line: sanitizeLine,
  question: escapeForDisplay,
  'proposed-output': sanitizeColoured,
  'own-output': (text) => text,
};
