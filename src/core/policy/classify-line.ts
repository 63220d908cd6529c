import type { PathContext } from '../commands/place.ts';
import { classifyCloned, classifyNewRemote } from '../commands/programs/classify-program.ts';
import { classifyHandedOn } from '../commands/programs/self-protection.ts';
import { beginScope, TOO_DEEP } from '../commands/scope.ts';
import { classifyText } from '../commands/text-check.ts';
import {
  type Classification,
  type CommandClass,
  type Decision,
  type Effect,
  effect,
  graver,
  type Part,
  stricter,
} from '../commands/verdict.ts';
import { effectsThatCount, policyOf } from './effect-policy.ts';
import { classifyFetched } from './fetched-code.ts';
import { outputOf } from './test-expression.ts';
import { Walk } from './walk.ts';
import { classifyEndless, classifyFound, classifyLayout, classifyShellConnection } from './whole-line.ts';

/** The surroundings of a line. */
export interface LineContext extends PathContext {
  /** Absolute. */
  readonly cwd: string;
  /** Names with another meaning in the user's own shell: its aliases and functions. */
  readonly redefined?: ReadonlySet<string>;
}

const LONGEST = 10_000;
const LONGEST_READ = 50_000;
const MOST_PARTS = 500;
/** Wrappers within wrappers take the classifier longest: some hundred characters of them take seconds. */
const LONGEST_QUICK = 100;
const MOST_WORDS = 12;
/** Quotes, slashes, operators and whatever else is neither a letter nor a digit. */
const MOST_SIGNS = 24;
/** Syntax that nests or expands: substitutions, groups, brackets, comments, escapes, here-documents and further lines. */
const NESTS = /[$`(){}[\]<!#\\\n\r]/;

/**
 * Classifies a line from its text alone: its class, and whether it may run without asking. Only exactly the classified text may run. A line
 * over 10,000 characters, or of more than 500 parts, is read completely but needs at least an approval; beyond 50,000 characters it needs
 * an approval unread.
 */
export function classifyLine(text: string, context: LineContext): Classification {
  if (text.length > LONGEST_READ) return unread(text, effect('unclear', 'the command is too long to classify'));
  const walk = new Walk();
  const scope = beginScope(context, context.cwd, outputOf);
  const { trace } = scope;
  walk.note(...classifyText(text));
  try {
    walk.text(text, scope);
    const found = walk.sum();
    walk.note(
      ...classifyLayout(text, found),
      ...classifyFetched(found),
      ...classifyCloned(found),
      ...classifyNewRemote(found),
      ...classifyFound(found, walk.spelled),
      ...classifyShellConnection(found),
    );
    walk.note(...classifyEndless(text, found), ...classifyHandedOn(found, text, context.ours));
  } catch (error) {
    // The syntax is nested deeper than the stack of this process, so the rest is unread.
    if (!(error instanceof RangeError)) throw error;
    walk.note(TOO_DEEP);
  }
  if (text.length > LONGEST || walk.parts.length > MOST_PARTS) walk.note(effect('unclear', 'the command is too long to classify'));
  const renamed = walk.parts.flatMap((part) => part.words[0] ?? []).find((name) => context.redefined?.has(name) === true);
  if (renamed !== undefined) walk.note(effect('runs', `your shell redefines ${renamed}`));
  const named = [...scope.named].map(([path, isRead]) => ({ path, isRead }));
  return { line: text, ...sumUp(walk.sum()), trace: trace ?? [], named, variables: [...walk.variables] };
}

/** Whether a line is so plain that classifying it takes a few milliseconds. Any other line is for a worker that can be ended. */
export function isQuickLine(line: string): boolean {
  if (line.length > LONGEST_QUICK || NESTS.test(line)) return false;
  const signs = line.replace(/[\w.-]+/g, '').length;
  return signs <= MOST_SIGNS && line.split(/[\s|&;]+/).length <= MOST_WORDS;
}

/** The classification of a line that a worker did not finish in time: it needs an approval, and this thread does not read it. */
export function classifySlowLine(text: string): Classification {
  return unread(text, effect('unclear', { because: 'too-slow' }));
}

/** Whether a line was not classified in time: the thread of the session classifies none of its parts either. */
export function isSlow({ parts }: Pick<Classification, 'parts'>): boolean {
  return parts.some(({ effects }) => effects.some(({ because }) => because === 'too-slow'));
}

function unread(line: string, why: Effect): Classification {
  const effects = [...classifyText(line), why];
  return { line, ...sumUp([{ words: [], plain: false, effects }]), trace: [], named: [], variables: [] };
}

/** Combines the effects of all parts. A line without effects is read-only. */
function sumUp(parts: readonly Part[]): Pick<Classification, 'class' | 'decision' | 'parts' | 'hardDenials'> {
  const effects = effectsThatCount(parts).flatMap((part) => part.effects);
  let highest: CommandClass = 'read-only';
  let decision: Decision = 'allow';
  for (const effect of effects) {
    highest = graver(highest, effect.class);
    decision = stricter(decision, policyOf(effect).decision);
  }
  const hardDenials = effects.flatMap((effect) => policyOf(effect).hardDeny ?? []);
  return { class: highest, decision, parts, hardDenials: [...new Set(hardDenials)] };
}
