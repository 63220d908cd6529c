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

/**
 * Why a sandboxed command failed, where what it printed says that the sandbox stood in its way; null otherwise. `hidden` are
 * names of files that nobody can read in there: any other that it may not read is not the sandbox's doing.
 */
export function whyBlocked(output: string, hidden: readonly string[]): string | null {
  const sign = SIGNS.find(([pattern]) => pattern.test(output));
  if (sign !== undefined) return sign[1];
  const denied = output.split('\n').filter((line) => /permission denied|\bEACCES\b/i.test(line));
  const name = hidden.find((one) => denied.some((line) => line.includes(one)));
  return name === undefined ? null : `${name} is hidden there`;
}
