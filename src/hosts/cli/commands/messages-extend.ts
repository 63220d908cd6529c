/** Texts about custom commands, skills and hooks. */

export const formatSends = (path: string, characters: number, missing: string | null): string => {
  const model = missing === null ? '' : `; no model "${missing}" is configured, so the current model answers`;
  return `aish sends ${path} (${characters} ${characters === 1 ? 'character' : 'characters'})${model}`;
};

export const formatUntrustedCommand = (name: string, path: string): string =>
  `:${name} does not work yet, because you do not trust ${path} with its present content`;
export const TRUST_HINT = 'to review it, run: aish config trust';

// aish config trust

export const TRUST_COMMANDS_QUESTION =
  'Should aish send these texts to the model when you type their commands? Type yes: ';
export const COMMANDS_NOT_TRUSTED = 'Nothing changed: the commands of the project do not work.';
export const COMMANDS_TRUSTED = 'You can type its command.';
export const TRUST_HOOKS_QUESTION =
  'Should hooks run these files with your rights, outside the sandbox, if a configuration names them? Type yes: ';
export const HOOKS_NOT_TRUSTED = 'Nothing changed: a hook that names one of these files denies everything.';
export const HOOKS_TRUSTED = 'Hooks may run it.';

// Skills

export const NO_SKILLS =
  'There are no skills here. A skill is a folder with a SKILL.md in ~/.config/aish/skills or in .aish/skills.';
export const formatSkill = (name: string, description: string, place: string): string =>
  `${name}: ${description}\n  ${place}`;
export const formatNotOffered = (path: string): string => `${path} (not offered: you do not trust its present content)`;
export const TRUST_SKILL_QUESTION =
  'Should the model read these files as your instructions when it needs them? Type yes: ';
export const SKILL_NOT_TRUSTED = 'Nothing changed: aish does not offer the skill.';
export const SKILL_TRUSTED = 'The model may read it.';
