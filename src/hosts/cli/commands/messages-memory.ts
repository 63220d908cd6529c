/** The texts of `:memory`, `:remember` and `aish memory`. */

import type { Scope } from '../../../protocol/memory.ts';

export const formatScope = (scope: Scope, place: string) =>
  scope === 'everywhere' ? 'everywhere' : `${scope} ${place}`;

export const NO_FACTS = 'aish keeps no facts. To add one: :remember the tests need Docker';
export const NO_MATCH = 'No fact has any of these words.';
export const formatKept = (id: string, scope: string) => `aish keeps this as fact ${id} (${scope}).`;
export const formatKnown = (id: string) => `aish keeps this already, as fact ${id}.`;
export const HAD_SECRET = 'The text had a secret, so aish keeps it with a placeholder.';
export const formatContradiction = (id: string, text: string) =>
  `It may contradict fact ${id}: ${text}\nThe model gets both, marked as older and newer, until you forget fact ${id}.`;
export const formatEdited = (id: string, old: string) => `Fact ${id} replaces fact ${old}.`;

export const formatTooLong = (characters: number, most: number) =>
  `a fact has at most ${most} characters, and this one has ${characters}`;
export const SHORTER_HINT = 'split it into several facts';
export const formatNoFact = (id: string) => `there is no fact ${id}`;
export const LISTS_FACTS = 'to list the facts: :memory';
export const ONE_SCOPE = 'choose one of --everywhere, --host, --project and --directory';

export const formatUseCount = (count: number, last: string) =>
  `used in ${count} ${count === 1 ? 'session' : 'sessions'}, last on ${last}`;
export const formatExpires = (day: string) => `until ${day}`;
export const formatMayReplace = (id: string) => `may contradict fact ${id}`;
export const FADED = 'not used for 180 days, so aish does not send it (:memory inbox)';
export const FROM_UNTRUSTED = 'the model proposed it after it read untrusted content';

export const formatForgotten = (id: string, text: string) => `Fact ${id} is in no later request: ${text}`;
export const NEVER_SENT = '  No request had it.';
export const formatInfluenced = (session: string, turns: string) => `  It was in session ${session}, ${turns}`;
export const formatTurns = (first: number, last: number) =>
  first === last ? `turn ${first}` : `turns ${first} to ${last}`;
export const formatTurnsOn = (first: number) => `from turn ${first} on; its log is gone`;
export const formatMoreSessions = (count: number) =>
  `  and in ${count} earlier ${count === 1 ? 'session' : 'sessions'}`;
export const STILL_IN_PROJECT = '  The line stays in .aish/memory.jsonl; aish ignores it for you.';

export const INBOX_EMPTY = 'The inbox is empty.';
export const formatProposedIn = (session: string, turn: number) => `proposed in session ${session}, turn ${turn}`;
export const formatReadBefore = (sources: readonly string[]) =>
  `! The model had read untrusted content before: ${sources.join(', ')}`;
export const STAYS = 'stays, marked as older';
export const formatUnused = (day: string) => `not used since ${day}`;
export const INBOX_QUESTION = 'Keep them? Type yes, no, or the numbers to keep: ';
export const INBOX_UNCHANGED = 'Nothing changed: the facts stay in the inbox.';
export const formatAccepted = (ids: readonly string[]) => `aish keeps: ${ids.join(', ')}`;
export const DECLINED = 'aish keeps none of them.';

export const formatSentFact = (id: string, text: string) => `Fact ${id}: ${text}`;
