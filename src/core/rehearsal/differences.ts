/** What any rehearsal does otherwise than a real run would. */
const ALWAYS = 'no network, a /tmp of its own, and nothing of it lasts in the shell (cd, export)';

const MOVED = /cross-device link|\bEXDEV\b/i;
const BUSY = /device or resource busy|\bEBUSY\b/i;
const READ_ONLY = /read-only file system|\bEROFS\b/i;
const PATH = /['"‘`]?((?:\/|~\/|\.\.\/)[^\s'"’`:]+)['"’`]?/g;
const MOST_PLACES = 20;

/** Where a rehearsal went otherwise than a real run would have gone, as far as that is known. */
export function listDifferences(
  output: string,
  given: {
    readonly way: 'overlay' | 'copy';
    readonly blocked: string | null;
    readonly hidden: readonly string[];
    readonly isRoot: boolean;
  },
): readonly string[] {
  const { way, blocked, hidden, isRoot } = given;
  const moved = way === 'overlay' && MOVED.test(output);
  return [
    ALWAYS,
    ...(isRoot ? ['the superuser had only the rights of an owner'] : []),
    ...(blocked === null ? [] : [`it was held back: ${blocked}`]),
    ...(moved ? ['a folder could not be renamed in the view, which a real run could do'] : []),
    ...(BUSY.test(output) && hidden.length > 0 ? [`files that hold secrets were covered: ${hidden.join(', ')}`] : []),
  ];
}

/** True where a copy would come closer to a real run than an overlay, in which no folder of the project can be renamed. */
export function wantsCopy(output: string): boolean {
  return MOVED.test(output);
}

/** Places outside the project that a command said it could not write to. */
export function listOutside(output: string, project: string): readonly string[] {
  const lines = output.split('\n').filter((line) => READ_ONLY.test(line));
  // Who says so may be named by its path.
  const told = lines.map((line) => line.replace(/^\S+: (?:line \d+: )?(?=.*:)/, ''));
  const paths = told.flatMap((line) => [...line.matchAll(PATH)].map(([, path = '']) => path));
  const outside = paths.filter((path) => path !== project && !path.startsWith(`${project}/`));
  return [...new Set(outside)].slice(0, MOST_PLACES);
}
