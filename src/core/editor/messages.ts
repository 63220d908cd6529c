/* All texts of the line editor. They stand below or inside the line that the user types. */

export const FOLD_HINT = '  Tab shows it';
export const TOO_LONG_TO_SHOW = 'This is too long to show here. Press Ctrl-X Ctrl-E to open it in your editor.';
export const formatRepeatCount = (times: number): string => `repeat count: ${times}`;
export const formatPosition = (selected: number, count: number): string =>
  selected < 0 ? `${count} ${count === 1 ? 'completion' : 'completions'}` : `${selected + 1} of ${count}`;

/** The status of Ctrl-R, and its key for the other scope. */
export function formatFound(lines: number, onlyHere: boolean): string {
  const found = lines === 0 ? 'not found' : `${lines} ${lines === 1 ? 'line' : 'lines'}`;
  return onlyHere ? `${found} in this directory · Ctrl-T searches everywhere` : `${found} everywhere · Ctrl-T searches only this directory`;
}
