/** Tells whether a line matches. */
export type LinePattern = (line: string) => boolean;

/**
 * A search text as a test for lines: letter case is ignored, `*` stands for anything, `|` between texts for "or", and a backslash takes
 * either literally. Not a regular expression: no text can make it take longer than a few looks through the line.
 */
export function parseLinePattern(text: string): LinePattern {
  const alternatives = splitUnescaped(text, '|').map((one) =>
    splitUnescaped(one.replaceAll('.*', '*'), '*')
      .map((part) => part.replace(/\\([\\*|])/g, '$1').toLowerCase())
      .filter((part) => part !== ''),
  );
  return (line) => {
    const lower = line.toLowerCase();
    return alternatives.some((parts) => holdsInOrder(lower, parts));
  };
}

function holdsInOrder(line: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts) {
    const found = line.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

function splitUnescaped(text: string, separator: string): string[] {
  const parts = [''];
  for (const [piece] of text.matchAll(/\\[\s\S]|[\s\S]/g)) {
    if (piece === separator) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}
