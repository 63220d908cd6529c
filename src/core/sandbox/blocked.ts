/** What a sandbox answers, as programs put it, and what it means. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/read-only file system|\bEROFS\b/i, 'it wrote where nothing may be written'],
  [
    /network is unreachable|could not resolve host|name resolution|name or service not known|\bENETUNREACH\b|\bEAI_AGAIN\b/i,
    'it has no network there',
  ],
  [
    /resource temporarily unavailable|cannot allocate memory|no space left on device|file size limit exceeded/i,
    'it came to the limits there',
  ],
  [
    /operation not permitted|\bEPERM\b|connect.*permission denied|permission denied.*(?:socket|connect)/i,
    'it reached for what is forbidden there',
  ],
];

/** What a command does not find in there as it is outside. */
export interface KeptApart {
  /** Names of files that nobody can read in there: any other that it may not read is not the sandbox's doing. */
  readonly names: readonly string[];
  /** Whether a path, as it was written, leads to what nobody can read in there. */
  isHidden(path: string): boolean;
  /** The folder that is empty in there and that a path, or a program of this name, lies in outside; null for none. */
  emptyFolderOf(path: string): string | null;
}

const DENIED = /permission denied|\bEACCES\b/i;
const MISSING = /no such file|not found|\bENOENT\b/i;
/** So much of what was printed is looked through. */
const MOST_LINES = 200;

/** Why a sandboxed command failed, where what it printed says that the sandbox stood in its way; null otherwise. */
export function whyBlocked(output: string, kept: KeptApart): string | null {
  const sign = SIGNS.find(([pattern]) => pattern.test(output));
  if (sign !== undefined) return sign[1];
  const lines = output.split('\n').slice(0, MOST_LINES);
  for (const line of lines) {
    if (DENIED.test(line)) {
      const name = kept.names.find((one) => line.includes(one)) ?? pathsIn(line).find((path) => kept.isHidden(path));
      if (name !== undefined) return `${name} is hidden there`;
    }
    if (!MISSING.test(line)) continue;
    for (const path of pathsIn(line)) {
      const folder = kept.emptyFolderOf(path);
      if (folder !== null) return `${path} is not there: ${folder} is empty there`;
    }
  }
  return null;
}

/** What a message may name: what stands in quotes, and what stands between colons, whole and by its last word. */
function pathsIn(line: string): readonly string[] {
  const quoted = [...line.matchAll(/['"‘`]([^'"’`]+)['"’`]/g)].flatMap(([, text]) => text ?? []);
  const parts = line.split(/:(?:\s|$)/).map((part) => part.trim());
  const last = parts.flatMap((part) => (part.includes(' ') ? part.slice(part.lastIndexOf(' ') + 1) : []));
  return [...quoted, ...parts, ...last].filter((text) => text !== '');
}
