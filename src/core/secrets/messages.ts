import { formatPlaceholder } from './secret.ts';

/* The texts of this room. The problems are for the model, after `[aish] not run:`. */

export const formatUnknownSecrets = (names: readonly string[]) =>
  `there is no secret ${names.map(formatPlaceholder).join(', ')}; copy the placeholder exactly, or use the variable that holds the value`;

/** Reasons why a placeholder cannot be replaced at its position. */
const OBSTACLES = {
  nowhere: 'here; put it in quotes, outside of backquotes and $(( ))',
  'quoted here-document': 'into a here-document whose delimiter is quoted',
  code: 'into code for another program, because its value could run as code; pass it in a variable',
} as const;
export type Obstacle = keyof typeof OBSTACLES;
export const formatObstacle = (placeholder: string, obstacle: Obstacle) => `aish cannot insert ${placeholder} ${OBSTACLES[obstacle]}`;

export const CHANGES_MEANING = 'aish cannot insert the secret here: its value would change what the command does';

/** Recipients of a secret, for the end of "gives the secret to". */
export const THE_SHELL = 'the shell';
export const formatFile = (path: string) => `the file ${path}`;

/** `names`: some of the secrets that a failed command did not get. */
export const formatWithheld = (names: readonly string[], first: string) =>
  `\n[aish] the command ran without ${names.join(', ')}, because no rule grants a secret to it. If it needs one, ` +
  `name it, and the user can approve that: ${first}=$${first} …`;
