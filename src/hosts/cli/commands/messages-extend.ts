/** Texts about custom commands, skills and hooks. */

export const formatSends = (path: string, characters: number, missing: string | null): string => {
  const model = missing === null ? '' : `; no model "${missing}" is configured, so the current model answers`;
  return `aish sends ${path} (${characters} ${characters === 1 ? 'character' : 'characters'})${model}`;
};

export const formatUntrustedCommand = (name: string, path: string): string =>
  `:${name} does not work yet, because you do not trust ${path} with its present content`;
export const TRUST_HINT = 'to review it, run: aish config trust';

// Skills

export const NO_SKILLS =
  'There are no skills here. A skill is a folder with a SKILL.md in ~/.config/aish/skills or in .aish/skills.';
export const formatSkill = (name: string, description: string, place: string): string =>
  `${name}: ${description}\n  ${place}`;
export const formatNotOffered = (path: string): string => `${path} (not offered: you do not trust its present content)`;

// aish config trust

/** The question about files of a kind, and the words after another answer than yes and after yes. */
export const TRUST_TEXTS = {
  config: {
    question: 'Should this file have the same effect as your own configuration? Type yes: ',
    refused: 'Nothing changed: the file can only make things stricter.',
    trusted: 'A running aish reads it at its next start.',
  },
  notes: {
    question: 'Should aish send this to the model with every request in this project? Type yes: ',
    refused: 'Nothing changed: aish does not send the notes.',
    trusted: 'Running sessions send it from their next message on.',
  },
  memory: {
    question: 'Should aish send these facts to the model in this project? Type yes: ',
    refused: 'Nothing changed: aish does not use the facts.',
    trusted: 'New sessions use its facts.',
  },
  commands: {
    question: 'Should aish send these texts to the model when you type their commands? Type yes: ',
    refused: 'Nothing changed: the commands of the project do not work.',
    trusted: 'You can type its command.',
  },
  hooks: {
    question:
      'Should hooks run these files with your rights, outside the sandbox, if a configuration names them? Type yes: ',
    refused: 'Nothing changed: a hook that names one of these files denies everything.',
    trusted: 'Hooks may run it.',
  },
  skill: {
    question: 'Should the model read these files as your instructions when it needs them? Type yes: ',
    refused: 'Nothing changed: aish does not offer the skill.',
    trusted: 'The model may read it.',
  },
} as const;
