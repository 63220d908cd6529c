import type { ErrorFact } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { ApproveMode, Settings } from '../../protocol/settings.ts';
import { unknownModel } from './messages.ts';
import { approveRefused, maxStepsRefused, maxToolDepthRefused } from './messages-later.ts';

/** The settings that a client may request; all others belong to the owner. */
export type SettingsWish = { readonly [K in 'model' | 'approve' | 'maxSteps' | 'maxToolDepth']?: Settings[K] | undefined };

/** Accepted settings, or the reason for refusing them. */
type LimitedSettings = { readonly ok: true; readonly settings: Partial<Settings> } | { readonly ok: false; readonly error: ErrorFact };

const LOOSENESS: Readonly<Record<ApproveMode, number>> = { ask: 0, 'read-only': 1, all: 2 };

/** Accepts a client's settings if they are no looser than the daemon's, or `read-only`: a client that sends ops may read anyway. */
export function limitSettings(owner: Settings, wish: SettingsWish, models: readonly string[]): LimitedSettings {
  const { model, approve, maxSteps, maxToolDepth } = wish;
  if (typeof model === 'string' && !models.includes(model)) return refuse(unknownModel(model, models, { isAddable: false }));
  if (approve !== undefined && LOOSENESS[approve] > Math.max(LOOSENESS[owner.approve], LOOSENESS['read-only']))
    return refuse(approveRefused(approve));
  if (maxSteps !== undefined && owner.maxSteps !== null && (maxSteps ?? Number.POSITIVE_INFINITY) > owner.maxSteps)
    return refuse(maxStepsRefused(owner.maxSteps));
  if (maxToolDepth !== undefined && maxToolDepth > owner.maxToolDepth) return refuse(maxToolDepthRefused(owner.maxToolDepth));
  return { ok: true, settings: omitUndefined({ model, approve, maxSteps, maxToolDepth }) };
}

function refuse(error: ErrorFact): LimitedSettings {
  return { ok: false, error };
}
