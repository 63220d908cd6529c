/** Texts about custom commands, skills and hooks. */

/** The description of a command whose file has none. */
export const SENDS_FILE = 'send the text of its file to the model';

// Why the output of a hook is no answer

export const BAD_ANSWER = 'its output is not one JSON object of texts';
export const formatUnknownField = (field: string, known: readonly string[]): string =>
  `its answer has the unknown field "${field}"; known fields: ${known.join(', ')}`;
export const formatBadDecision = (decision: string, known: readonly string[]): string =>
  `its answer has the unknown decision "${decision}"; known decisions: ${known.join(', ')}`;

// Skills

/** The head of the list of skills, for the model. */
export const SKILLS_HEAD =
  'Skills are instructions of the user for certain tasks. If a skill fits the task, read its file with aish.read_file before you begin:';
