import type { Decision, Op } from '../../src/protocol/op.ts';
import type { Random } from '../fidelity/random.ts';
import { USERS_JOB } from './actors-world.ts';

/** Codes that answers and other requests may be refused with while others do the same. */
const USUAL_REFUSALS = new Set([
  'call.not-asked',
  'call.asked-again',
  'call.not-editable',
  'rule.refused',
  'dry-run.not-asked',
  'dry-run.running',
  'dry-run.open',
  'dry-run.none',
  'dry-run.unknown-item',
  'restore.not-asked',
  'restore.unknown-choice',
  'restore.open',
  'session.busy',
  'session.idle',
  'session.queue-full',
  'taint.none',
  // A client may only make the owner's settings stricter.
  'settings.refused',
  'context.nothing-to-free',
]);

/** Whether a request may be refused with this code while others do the same. */
export function isUsualRefusal(code: string): boolean {
  return USUAL_REFUSALS.has(code);
}

/** A command line with a number of its own; some wait for keys, and some leave a job behind. */
export function randomCommand(random: Random, number: number): string {
  const at = random.below(20);
  if (at < 12) return `echo L${number}`;
  if (at < 15) return `sleep 0.0${random.below(9)}; echo L${number}`;
  if (at < 18) return `read -r word; echo "L${number} $word"`;
  if (at < 19) return `${USERS_JOB} & echo L${number}`;
  return `cd .; seq 2000; echo L${number}`;
}

/** An answer to an approval prompt; some do not say which prompt about the call they answer, or name another one. */
export function randomAnswer(random: Random, { callId, prompt }: { readonly callId: string; readonly prompt: number }) {
  const other = random.below(12) === 0 ? 1 : 0;
  const which = random.below(8) === 0 ? {} : { prompt: prompt + other };
  const answer: Extract<Op, { type: 'decide' }> = {
    type: 'decide',
    callId,
    decision: randomDecision(random),
    by: 'user',
    ...which,
  };
  return answer;
}

function randomDecision(random: Random): Decision {
  const at = random.below(12);
  if (at < 8) return { type: 'allow' };
  if (at < 10) return { type: 'deny', reason: 'not now' };
  if (at < 11) return { type: 'edit', command: 'echo edited' };
  return { type: 'allow-always', rule: 'aish.write_file' };
}

/** An undo or a redo, of one step or two. */
export function randomRestore(random: Random): Op {
  const direction = random.below(3) === 0 ? ({ direction: 'redo' } as const) : {};
  const steps = random.below(4) === 0 ? { steps: 2 } : {};
  return { type: 'restore', checkpoint: null, ...direction, ...steps };
}

/** Other settings. */
export function randomSettings(random: Random): Op {
  const approve = random.pick(['ask', 'ask', 'read-only'] as const);
  return {
    type: 'configure',
    settings: random.below(2) === 0 ? { approve } : { maxSteps: 5 + random.below(20) },
  };
}
