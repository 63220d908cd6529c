/** Why aish does not apply a path of a working copy. Each one follows `PATH:`. */
export const CHANGED_HERE = 'you changed it since the run began';
export const NO_FILE = 'no snapshot can hold what is in its place';

export const formatLarge = (path: string, size: string) => `${path} (${size})`;
