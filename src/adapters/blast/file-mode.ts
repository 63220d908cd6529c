const CLASSES: Readonly<Record<string, number>> = { u: 0o700, g: 0o070, o: 0o007 };
const RIGHTS: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111 };

/** The mode that a file has after `chmod`, as far as that can be told without the person's umask; null where it cannot. */
export function modeAfter(written: string, mode: number, isFolder: boolean): number | null {
  if (/^[0-7]{1,4}$/.test(written)) return numeric(written, mode, isFolder);
  let after: number | null = mode;
  for (const clause of written.split(',')) after = after === null ? null : apply(clause, after, isFolder);
  return after;
}

/** Digits leave the special bits of a folder as they are, unless there are more than four. */
function numeric(written: string, mode: number, isFolder: boolean): number {
  const wanted = Number.parseInt(written, 8);
  return isFolder ? wanted | (mode & 0o6000) : wanted;
}

function apply(clause: string, mode: number, isFolder: boolean): number | null {
  const [, who, operator, rights] = /^([ugoa]+)([-+=])([rwxX]*)$/.exec(clause) ?? [];
  if (who === undefined || operator === undefined || rights === undefined) return null;
  const classes = who.includes('a') ? 0o777 : [...who].reduce((mask, one) => mask | (CLASSES[one] ?? 0), 0);
  const isRunnable = isFolder || (mode & 0o111) !== 0;
  const bits =
    [...rights].reduce((sum, one) => sum | (RIGHTS[one === 'X' && isRunnable ? 'x' : one] ?? 0), 0) & classes;
  if (operator === '+') return mode | bits;
  if (operator === '-') return mode & ~bits;
  return isFolder && (mode & 0o6000) !== 0 ? null : (mode & ~classes) | bits;
}
