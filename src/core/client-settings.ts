import type { ErrorFact } from '../protocol/error.ts';
import type { ApproveMode, Settings } from '../protocol/settings.ts';

/** What a client from outside may ask for; the rest of the settings is the owner's. */
export type SettingsWish = {
  readonly [K in 'model' | 'approve' | 'maxSteps' | 'maxToolDepth']?: Settings[K] | undefined;
};

/** Settings that may hold, or why they may not. */
export type LimitedSettings =
  | { readonly ok: true; readonly settings: Partial<Settings> }
  | { readonly ok: false; readonly error: ErrorFact };

const LOOSENESS: Readonly<Record<ApproveMode, number>> = { ask: 0, 'read-only': 1, all: 2 };

/**
 * Takes over a client's wishes where they are no looser than what the owner of the daemon started it with. Looking at
 * files unasked is always one of them: who may send ops may look anyway.
 */
export function limitSettings(owner: Settings, wish: SettingsWish, models: readonly string[]): LimitedSettings {
  const { model, approve, maxSteps, maxToolDepth } = wish;
  if (typeof model === 'string' && !models.includes(model)) return refuse('model.unknown', unknownModel(model, models));
  if (approve !== undefined && LOOSENESS[approve] > Math.max(LOOSENESS[owner.approve], LOOSENESS['read-only'])) {
    return refuse('settings.refused', {
      message: `approve "${approve}" is more than this daemon allows`,
      hint: `start it with: aish serve --approve ${approve}`,
    });
  }
  if (maxSteps !== undefined && owner.maxSteps !== null && (maxSteps ?? Number.POSITIVE_INFINITY) > owner.maxSteps) {
    return refuse('settings.refused', {
      message: `maxSteps is at most ${owner.maxSteps} here`,
      hint: 'ask for fewer, or start the daemon with a larger --max-steps',
    });
  }
  if (maxToolDepth !== undefined && maxToolDepth > owner.maxToolDepth) {
    return refuse('settings.refused', {
      message: `maxToolDepth is at most ${owner.maxToolDepth} here`,
      hint: 'ask for less, or raise mcp.max_tool_depth in the configuration',
    });
  }
  return { ok: true, settings: definedOf({ model, approve, maxSteps, maxToolDepth }) };
}

function unknownModel(model: string, models: readonly string[]): Omit<ErrorFact, 'code'> {
  const known = models.length === 0 ? 'no model is configured' : `configured are ${models.join(', ')}`;
  return { message: `there is no model "${model}": ${known}`, hint: 'use one of them, or leave the model out' };
}

function refuse(code: string, error: Omit<ErrorFact, 'code'>): LimitedSettings {
  return { ok: false, error: { code, ...error } };
}

function definedOf({ model, approve, maxSteps, maxToolDepth }: SettingsWish): Partial<Settings> {
  return {
    ...(model === undefined ? {} : { model }),
    ...(approve === undefined ? {} : { approve }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(maxToolDepth === undefined ? {} : { maxToolDepth }),
  };
}
