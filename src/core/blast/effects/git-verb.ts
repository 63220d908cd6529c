import type { Argument } from '../../gate/argument.ts';
import type { GivenWords, OptionGrammar } from '../../gate/options.ts';
import type { EffectCall } from '../program-effect.ts';

/** What one verb of git does, as steps. The answer `unhandled` leaves it to what the gate found. */
export interface GitVerb {
  readonly grammar?: OptionGrammar;
  plan(call: EffectCall, given: GivenWords, words: readonly Argument[]): unknown;
}
