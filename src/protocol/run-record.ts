import * as v from 'valibot';
import type { Contract, ContractEnd, ContractLimits } from './contract.ts';
import { parseJsonObject } from './json.ts';

/** An autonomous run in a working copy of its own, as aish keeps it on the disk until its changes are applied or discarded. */
export interface RunRecord {
  /** Short and unique for this user, such as `r3`. */
  readonly id: string;
  /** The project that was copied, and the user's directory in it. */
  readonly project: string;
  readonly cwd: string;
  /** The working copy. */
  readonly tree: string;
  /** The snapshot at its start; null while it is being copied. */
  readonly base: { readonly tree: string; readonly withheld: string | null } | null;
  readonly contract: Contract;
  /** Limits with which a run goes on that ended early. */
  readonly raised?: Partial<ContractLimits>;
  /** The session that began the run; null for `aish run`. */
  readonly owner: string | null;
  /** The model that the owner had chosen, and whether a cloud model may be asked. */
  readonly model: string | null;
  readonly cloud: boolean;
  /** The process that works; null before there is one. */
  readonly pid: number | null;
  /** The session of the run; null before it begins. */
  readonly session: string | null;
  /** Milliseconds since the epoch; the end is null while the run works, and for a run that was cut short. */
  readonly begunAt: number;
  readonly endedAt: number | null;
  readonly reason: ContractEnd | null;
}

const TEXT = v.string();
const COUNT = v.pipe(v.number(), v.minValue(0));

const LIMITS = { steps: COUNT, minutes: COUNT, tokens: COUNT };
const CONTRACT = v.object({
  goal: TEXT,
  until: v.array(TEXT),
  only: v.array(TEXT),
  limits: v.object({ ...LIMITS, usd: v.exactOptional(COUNT) }),
});
const RAISED = v.object({
  steps: v.exactOptional(COUNT),
  minutes: v.exactOptional(COUNT),
  tokens: v.exactOptional(COUNT),
  usd: v.exactOptional(COUNT),
});

const ENDS: Readonly<Record<ContractEnd, true>> = {
  achieved: true,
  'already-achieved': true,
  'pinned-changed': true,
  fence: true,
  'step-limit': true,
  'time-limit': true,
  'token-limit': true,
  'cost-limit': true,
  'no-progress': true,
  'repeated-failure': true,
  stopped: true,
  failed: true,
};

const END = v.custom<ContractEnd>((value) => typeof value === 'string' && Object.hasOwn(ENDS, value));

const RECORD = v.object({
  id: v.pipe(TEXT, v.regex(/^r[1-9]\d{0,5}$/)),
  project: TEXT,
  cwd: TEXT,
  tree: TEXT,
  base: v.nullable(v.object({ tree: TEXT, withheld: v.nullable(TEXT) })),
  contract: CONTRACT,
  raised: v.exactOptional(RAISED),
  owner: v.nullable(TEXT),
  model: v.nullable(TEXT),
  cloud: v.boolean(),
  pid: v.nullable(COUNT),
  session: v.nullable(TEXT),
  begunAt: v.number(),
  endedAt: v.nullable(v.number()),
  reason: v.nullable(END),
});

/** Reads a record; null for any other text. */
export function parseRunRecord(text: string): RunRecord | null {
  const parsed = v.safeParse(RECORD, parseJsonObject(text));
  return parsed.success ? parsed.output : null;
}
