import * as v from 'valibot';
import { CONTRACT_ENDS } from './contract.ts';
import { parseJsonObject } from './json.ts';

const TEXT = v.string();
const TEXTS = v.pipe(v.array(TEXT), v.readonly());
const COUNT = v.pipe(v.number(), v.minValue(0));
const LIMITS = v.object({ steps: COUNT, minutes: COUNT, tokens: COUNT, usd: v.exactOptional(COUNT) });

const RECORD = v.object({
  /** Short and unique for this user, such as `r3`. */
  id: v.pipe(TEXT, v.regex(/^r[1-9]\d{0,5}$/)),
  /** The project that was copied, and the user's directory in it. */
  project: TEXT,
  cwd: TEXT,
  /** The working copy. */
  tree: TEXT,
  /** The snapshot at its start; null while it is being copied. */
  base: v.nullable(v.object({ tree: TEXT, withheld: v.nullable(TEXT) })),
  contract: v.object({ goal: TEXT, until: TEXTS, only: TEXTS, limits: LIMITS }),
  /** Limits with which a run goes on that ended early. */
  raised: v.exactOptional(v.partial(LIMITS)),
  /** The session that began the run; null for `aish run`. */
  owner: v.nullable(TEXT),
  /** The model that the owner had chosen, and whether a cloud model may be asked. */
  model: v.nullable(TEXT),
  cloud: v.boolean(),
  /** The process that works; null before there is one. */
  pid: v.nullable(COUNT),
  /** The session of the run; null before it begins. */
  session: v.nullable(TEXT),
  /** Milliseconds since the epoch; the end is null while the run works, and for a run that was cut short. */
  begunAt: v.number(),
  endedAt: v.nullable(v.number()),
  reason: v.nullable(v.picklist(CONTRACT_ENDS)),
});

/** An autonomous run in a working copy of its own, as aish keeps it on the disk until its changes are applied or discarded. */
export type RunRecord = Readonly<v.InferOutput<typeof RECORD>>;

/** Reads a record; null for any other text. */
export function parseRunRecord(text: string): RunRecord | null {
  const parsed = v.safeParse(RECORD, parseJsonObject(text));
  return parsed.success ? parsed.output : null;
}
