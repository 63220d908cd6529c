import type { CommandEffect, EffectKind } from '../../protocol/tool.ts';
import type { Decision, Effect, HardDeny, Part } from '../commands/verdict.ts';
import { byGravity } from './messages.ts';

/** The decision about an effect without a rule. */
interface EffectPolicy {
  readonly decision: Decision;
  /** Present for a hard denial. */
  readonly hardDeny?: HardDeny;
  /** The denial applies only in autonomous mode: a user who sees the whole line may approve it. */
  readonly mayBeAsked?: true;
}

/** The effects that are allowed or denied; all others need an approval. */
const POLICIES: Partial<Record<EffectKind, EffectPolicy>> = {
  reads: { decision: 'allow' },
  adds: { decision: 'allow' },
  task: { decision: 'allow' },
  wrecks: { decision: 'deny', hardDeny: 'D1' },
  'remote code': { decision: 'deny', hardDeny: 'D2' },
  hides: { decision: 'deny', hardDeny: 'D2' },
  starts: { decision: 'deny', hardDeny: 'D2', mayBeAsked: true },
  plants: { decision: 'deny', hardDeny: 'D3' },
  self: { decision: 'deny', hardDeny: 'D3' },
  leaks: { decision: 'deny', hardDeny: 'D4' },
  deceives: { decision: 'deny', hardDeny: 'D5' },
  torn: { decision: 'deny', hardDeny: 'D5' },
};

const ASK: EffectPolicy = { decision: 'ask' };

/** The decision about an effect without a rule. */
export function policyOf({ kind }: Pick<Effect, 'kind'>): EffectPolicy {
  return POLICIES[kind] ?? ASK;
}

/** The parts of a line with their relevant effects: a variable counts only in a line of assignments, which affects later lines. */
export function effectsThatCount(parts: readonly Part[]): readonly Pick<Part, 'words' | 'effects'>[] {
  const isForLater = parts.every(({ words, effects }) => words.length === 0 || effects.some(({ kind }) => kind === 'keeps'));
  return parts.map(({ words, effects }) => ({ words, effects: effects.filter(({ kind }) => isForLater || kind !== 'keeps') }));
}

/** Effects that the class of a line already describes. */
const PLAIN: ReadonlySet<EffectKind> = new Set(['reads', 'adds']);

/** The maximum number of effects that a user reads. */
const MOST_EFFECTS = 50;

/** The effects of a line in order, without duplicates; of very many, the most severe. */
export function effectsOf(parts: readonly Part[]): readonly CommandEffect[] {
  const found = effectsThatCount(parts).flatMap(({ words, effects }) =>
    effects.filter(({ kind }) => !PLAIN.has(kind)).map((one) => toCommandEffect(one, words)),
  );
  const each = [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
  const kept = new Set(byGravity(each).slice(0, MOST_EFFECTS));
  return each.filter((one) => kept.has(one));
}

/** Number of words that name a command for the user. */
const MOST_WORDS = 3;
const LONGEST_WORD = 40;

function toCommandEffect(one: Effect, words: Part['words']): CommandEffect {
  const isDenied = policyOf(one).decision === 'deny' ? { isDenied: true as const } : {};
  const named = words.slice(0, MOST_WORDS).map((word) => word ?? '…');
  const command = named.map((word) => (word.length > LONGEST_WORD ? `${word.slice(0, LONGEST_WORD - 1)}…` : word)).join(' ');
  return { ...one, ...isDenied, ...(command === '' ? {} : { command }) };
}
