/** What a comment says is no text. */
export const FAULT = 'What was typed is gone.';
export const FINE = 'no such file or folder';
export const formatFault = (name: string): string => `Who owns ${name} and \`the rest\` is asked.`;
