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
