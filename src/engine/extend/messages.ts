/** Texts about hooks and skills, for the user and the model. */

const because = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);

export const formatDenied = (line: string, reason: string | undefined): string =>
  `the hook \`${line}\` denied it${because(reason)}`;
export const formatAsks = (line: string, reason: string | undefined): string =>
  `The hook \`${line}\` asks for your approval${because(reason)}`;
export const formatNobodyAsks = (asks: string): string =>
  `${asks} (nobody is there to approve it in an autonomous run)`;
export const formatWithheld = (line: string, reason: string | undefined): string =>
  `[aish] the call ran, but the hook \`${line}\` withheld its result${because(reason)}`;
export const formatNote = (line: string, note: string): string => `[note of the hook \`${line}\`]\n${note}`;
export const formatRefused = (line: string, reason: string | undefined): string =>
  `the hook \`${line}\` refused the message, so no model gets it${because(reason)}`;

// Why a hook counts as one that denies

export const formatUntrustedHook = (path: string): string =>
  `it names ${path}, a file of the project that you do not trust with its present content (put it into .aish/hooks, then run: aish config trust)`;
export const formatCut = (cut: 'time' | 'size' | 'start', timeoutMs: number): string => {
  const causes = {
    time: `it did not end within ${timeoutMs} ms`,
    size: 'it printed more than 64 kB',
    start: 'it could not start',
  };
  return causes[cut];
};
export const formatFailed = (exit: number, error: string): string =>
  `it failed with exit status ${exit}${error === '' ? '' : ` (${error})`}`;

// Skills

export const formatOffered = (names: readonly string[], left: number): string => {
  const more = left === 0 ? '' : `; ${left} more have no room`;
  return names.length === 0
    ? `${left} skills have no room in the context`
    : `skills: ${names.join(', ')}${more} (:skills)`;
};
export const formatUntrustedSkill = (path: string): string =>
  `aish does not offer the skill of ${path}, because you do not trust its present content; to review it, run: aish config trust`;
