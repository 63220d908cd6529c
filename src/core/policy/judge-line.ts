import type { PathContext } from '../commands/place.ts';
import { judgeCloned, judgeNewRemote } from '../commands/programs/judge-program.ts';
import { judgeHandedOn } from '../commands/programs/self-protection.ts';
import { beginScope, TOO_DEEP } from '../commands/scope.ts';
import { judgeText } from '../commands/text-check.ts';
import {
  CLASSES,
  type CommandClass,
  DECISIONS,
  type Decision,
  type Effect,
  type EffectKind,
  effect,
  type Floor,
  graver,
  type Judgement,
  type Part,
  stricter,
} from '../commands/verdict.ts';
import { judgeFetched } from './fetched-code.ts';
import { formatReason } from './messages.ts';
import { outputOf } from './test-expression.ts';
import { Walk } from './walk.ts';
import { judgeEndless, judgeFound, judgeLayout, judgeShellConnection } from './whole-line.ts';

/** Where a line would run. */
export interface LineContext extends PathContext {
  /** Absolute. */
  readonly cwd: string;
  /** Names that the person's own shell gives another meaning: its aliases and functions. */
  readonly redefined?: ReadonlySet<string>;
}

const LONGEST = 10_000;
const LONGEST_READ = 50_000;
const MOST_PARTS = 500;

/**
 * Judges a line from its text alone: what it does by class, and whether it may run unasked. Exactly the text that is judged
 * may run. A longer line than 10,000 characters, or one of more than 500 parts, is read whole and asked at least; beyond 50,000 characters
 * it is asked unread.
 */
export function judgeLine(text: string, context: LineContext): Judgement {
  if (text.length > LONGEST_READ) return unread(text, effect('unclear', 'too long to be judged'));
  const walk = new Walk();
  const scope = beginScope(context, context.cwd, outputOf);
  const { trace } = scope;
  walk.note(...judgeText(text));
  try {
    walk.text(text, scope);
    walk.note(
      ...judgeLayout(text, walk.parts),
      ...judgeFetched(walk.parts),
      ...judgeCloned(walk.parts),
      ...judgeNewRemote(walk.parts),
      ...judgeFound(walk.parts),
      ...judgeShellConnection(walk.parts),
    );
    walk.note(...judgeEndless(text, walk.parts), ...judgeHandedOn(walk.parts, text, context.ours));
  } catch (error) {
    // The syntax is nested deeper than the stack of this process: whatever stands there has been seen by nobody.
    if (!(error instanceof RangeError)) throw error;
    walk.note(TOO_DEEP);
  }
  if (text.length > LONGEST || walk.parts.length > MOST_PARTS) walk.note(effect('unclear', 'too long to be judged'));
  const renamed = walk.parts.flatMap((part) => part.words[0] ?? []).find((name) => context.redefined?.has(name) === true);
  if (renamed !== undefined) walk.note(effect('runs', `${renamed} has another meaning in this shell`));
  const named = [...scope.named].map(([path, isRead]) => ({ path, isRead }));
  return { line: text, ...sumUp(walk.parts), trace: trace ?? [], named, variables: [...walk.variables] };
}

/** What is said of a line that a worker did not classify in time: it needs an approval, and this thread does not read it. */
export function judgeSlowLine(text: string): Judgement {
  return unread(text, effect('unclear', { because: 'too-slow' }));
}

/** True for a line that was not classified in time: no part of it is classified in the thread of the session either. */
export function isSlow({ parts }: Pick<Judgement, 'parts'>): boolean {
  return parts.some(({ effects }) => effects.some(({ because }) => because === 'too-slow'));
}

function unread(line: string, why: Effect): Judgement {
  const effects = [...judgeText(line), why];
  return { line, ...sumUp([{ words: [], plain: false, effects }]), trace: [], named: [], variables: [] };
}

/** Makes one judgement of all that was found in a line. A line in which nothing was found does nothing. */
function sumUp(parts: readonly Part[]): Pick<Judgement, 'class' | 'decision' | 'parts' | 'reasons' | 'floors'> {
  // A variable that the rest of the line reads changes nothing by itself; a line of nothing but assignments is for the lines after it.
  const isForLater = parts.every(({ words }) => words.length === 0);
  const effects = parts.flatMap((part) => part.effects).filter(({ kind }) => isForLater || kind !== 'keeps');
  let highest: CommandClass = 'read-only';
  let decision: Decision = 'allow';
  for (const effect of effects) {
    highest = graver(highest, effect.class);
    decision = stricter(decision, policyOf(effect).decision);
  }
  const gravest = effects
    .filter((effect) => policyOf(effect).decision !== 'allow')
    .sort((a, b) => rank(b) - rank(a))
    .map(formatReason);
  const floors = effects.flatMap((effect) => policyOf(effect).floor ?? []);
  return { class: highest, decision, parts, reasons: [...new Set(gravest)], floors: [...new Set(floors)] };
}

function rank(effect: Effect): number {
  return DECISIONS.indexOf(policyOf(effect).decision) * CLASSES.length + CLASSES.indexOf(effect.class);
}

/** What becomes of an effect where no rule says otherwise. */
interface EffectPolicy {
  readonly decision: Decision;
  /** Given for a refusal. */
  readonly floor?: Floor;
  /** A refusal only where nobody watches: a user who sees the whole line may say yes. */
  readonly mayBeAsked?: true;
}

/** The effects that are allowed or denied; every other one needs an approval. */
const POLICIES: Partial<Record<EffectKind, EffectPolicy>> = {
  reads: { decision: 'allow' },
  adds: { decision: 'allow' },
  task: { decision: 'allow' },
  wrecks: { decision: 'deny', floor: 'D1' },
  'remote code': { decision: 'deny', floor: 'D2' },
  hides: { decision: 'deny', floor: 'D2' },
  starts: { decision: 'deny', floor: 'D2', mayBeAsked: true },
  plants: { decision: 'deny', floor: 'D3' },
  self: { decision: 'deny', floor: 'D3' },
  leaks: { decision: 'deny', floor: 'D4' },
  deceives: { decision: 'deny', floor: 'D5' },
  torn: { decision: 'deny', floor: 'D5' },
};

const ASK: EffectPolicy = { decision: 'ask' };

/** What becomes of an effect where no rule says otherwise. */
export function policyOf({ kind }: Pick<Effect, 'kind'>): EffectPolicy {
  return POLICIES[kind] ?? ASK;
}
