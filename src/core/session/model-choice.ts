import type { ModelChoice, TurnFacts } from '../../protocol/model.ts';
import type { ModelOption, Settings } from '../../protocol/settings.ts';

/** The complexity score as data: from each value on, a fact adds these points instead of fewer. */
const SCORE: Readonly<Record<keyof TurnFacts, Readonly<Record<number, number>>>> = {
  characters: { 200: 1, 800: 2, 3000: 3 },
  files: { 1: 1, 3: 2 },
  calls: { 1: 1, 6: 2 },
  failures: { 1: 2, 3: 4 },
};

const FACTS = ['characters', 'files', 'calls', 'failures'] as const;

/** The highest score for the fast model, and the lowest one for the deep model. */
const FAST_UP_TO = 0;
const DEEP_FROM = 4;

/** The name for `:model auto`, unless a model of the configuration has it. */
export const AUTO = 'auto';

/** Chooses the model of a turn by its complexity. */
export function chooseModel(facts: TurnFacts, settings: Settings): { readonly model: string | null; readonly choice: ModelChoice } {
  const points: Record<string, number> = {};
  for (const fact of FACTS) {
    for (const [from, added] of Object.entries(SCORE[fact])) if (facts[fact] >= Number(from)) points[fact] = added;
  }
  const score = Object.values(points).reduce((sum, one) => sum + one, 0);
  const role = score <= FAST_UP_TO ? 'fast' : score >= DEEP_FROM ? 'deep' : null;
  const { models = [] } = settings;
  const usual = models.find((model) => model.role === undefined) ?? models[0];
  const wanted = optionFor(models, role) ?? usual;
  const isHeldBack = wanted?.isCloud === true && usual?.isCloud !== true && settings.cloud !== true;
  const chosen = isHeldBack ? usual : wanted;
  return { model: chosen?.name ?? null, choice: { score, points, role, ...(isHeldBack ? { isHeldBack } : {}) } };
}

/** The model for a role. A cloud model stands in for a missing deep one. */
function optionFor(models: readonly ModelOption[], role: ModelChoice['role']): ModelOption | undefined {
  if (role === null) return undefined;
  return models.find((model) => model.role === role) ?? (role === 'deep' ? models.find((model) => model.role === 'cloud') : undefined);
}

/** A message that begins with `@NAME` of a configured model, and is meant for that model alone; null for any other. */
export function parseAddressed(text: string, names: readonly string[]): { readonly model: string; readonly text: string } | null {
  const [, model, rest] = /^\s*@([\w-]+)\s+(\S[\s\S]*)$/.exec(text) ?? [];
  return model !== undefined && rest !== undefined && names.includes(model) ? { model, text: rest } : null;
}
