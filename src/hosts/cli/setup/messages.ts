/* All texts of the configuration at the start. An error follows the prefix `aish: `, so it begins in lower case. */

export const formatStartsIn = (problem: string, folder: string): string => `${problem}; aish starts in ${folder}`;
export const DEFAULTS_HINT = 'until then aish uses its defaults, and only a model on this machine';
export const formatNoSession = (folder: string): string => `there is no earlier session in ${folder}`;
export const NO_SESSION_HINT = 'to list the sessions of all folders: aish sessions';
