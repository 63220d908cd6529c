import * as v from 'valibot';
import type { CommandRecord } from './command.ts';
import type { ErrorFact } from './error.ts';
import { parseJsonObject } from './json.ts';
import type { AttachedFile } from './model.ts';

const TEXT = v.string();
const TEXTS = v.pipe(v.array(TEXT), v.readonly());
const COUNT = v.pipe(v.number(), v.minValue(0));

const LIMITS = v.object({
  /** Requests to the model. */
  steps: COUNT,
  minutes: COUNT,
  /** Tokens of all requests and answers together, as the server counts them. */
  tokens: COUNT,
  /** US dollars; absent without this limit. */
  usd: v.exactOptional(COUNT),
});

const CONTRACT = v.object({
  goal: TEXT,
  /** Commands that all exit with 0 once the goal is reached. */
  until: TEXTS,
  /** Paths, relative to the project, in which files may change; `.` for the whole project. */
  only: TEXTS,
  limits: v.pipe(LIMITS, v.readonly()),
});

/** Limits of an autonomous run. It ends at the first limit that it reaches. */
export type ContractLimits = Readonly<v.InferOutput<typeof LIMITS>>;

/** The terms of an autonomous run. The user approves them once, and nothing changes them afterwards. */
export type Contract = Readonly<v.InferOutput<typeof CONTRACT>>;

/** A file on which the end condition depends, relative to the project, and a hash of its content; null for a file that does not exist. */
export interface PinnedFile {
  readonly path: string;
  readonly sha256: string | null;
  /** The checks write to it themselves: they did so before the model did anything. */
  readonly isWritten?: true;
}

/**
 * Why a contract forbids a call: it changes a path outside `only`, a pinned file, or git's own data; it opens a connection or takes more
 * rights; it cannot be undone; its effect cannot be read; or it is a tool of a server, whose effects no sandbox limits.
 */
export type FenceCode =
  | 'outside'
  | 'pinned'
  | 'repository'
  | 'network'
  | 'privileged'
  | 'not-undoable'
  | 'unreadable'
  | 'server';

/** A fence that a call would pass. */
export interface Fence {
  readonly code: FenceCode;
  /** The path, relative to the project if it is inside. */
  readonly path?: string;
  /** The command line, or the name of the tool. */
  readonly call: string;
}

/** The reasons for the end of an autonomous run. */
const CONTRACT_ENDS = [
  'achieved',
  // The checks passed before the model did anything.
  'already-achieved',
  // A pinned file is not as it was, so the checks prove nothing.
  'pinned-changed',
  'fence',
  'step-limit',
  'time-limit',
  'token-limit',
  'cost-limit',
  // The project and the failing checks were the same three times in a row.
  'no-progress',
  // The model repeated a call that failed, or that changed nothing, and the checks still fail.
  'repeated-failure',
  'stopped',
  'failed',
] as const;

/** Why an autonomous run ended. */
export type ContractEnd = (typeof CONTRACT_ENDS)[number];

/** The result of the checks of a contract: the record of each command, and a hash of the project as they ran. */
export interface ContractCheck {
  readonly records: readonly CommandRecord[];
  readonly tree: string;
  /** Pinned files that changed since the start. */
  readonly changed: readonly string[];
}

/** One item of the plan that the model keeps in a run. */
export interface PlanItem {
  readonly text: string;
  readonly state: PlanState;
}

export type PlanState = 'open' | 'doing' | 'done' | 'dropped';

/** A message of the user in a run. */
export interface SteeringMessage {
  readonly text: string;
  readonly attachment?: string;
  readonly files?: readonly AttachedFile[];
}

/** The details of the end of a run. */
export interface ContractEndDetails {
  readonly fence?: Fence;
  readonly error?: ErrorFact;
}

/** The use of a run and the checks that it lacks, at its end; absent in older logs. */
export interface ContractSummary {
  readonly steps: number;
  readonly tokens: number;
  /** The checks that failed last. */
  readonly failing: readonly string[];
  /** The items of the plan that are neither done nor dropped. */
  readonly open?: readonly string[];
}

/** An event of an autonomous run. */
export type ContractEvent =
  /** The user approved an autonomous run. From here on the contract decides about calls, until it ends. */
  | {
      readonly type: 'contract.started';
      readonly number: number;
      readonly contract: Contract;
      readonly client?: string;
    }
  /** A run that had ended goes on, with these terms: only its limits may differ. Its former use counts. */
  | {
      readonly type: 'contract.resumed';
      readonly number: number;
      readonly contract: Contract;
      readonly client?: string;
    }
  /** The checks ran. The first time, before the model does anything, the event lists the pinned files. */
  | ({
      readonly type: 'contract.checked';
      readonly number: number;
      readonly pinned?: readonly PinnedFile[];
    } & ContractCheck)
  /** Nothing begins any more, and no time counts, until the run continues. The effects with the keys in `running` may finish. */
  | {
      readonly type: 'contract.paused';
      readonly number: number;
      readonly running: readonly string[];
      readonly client?: string;
    }
  | { readonly type: 'contract.continued'; readonly number: number; readonly client?: string }
  /** The user steers the run: the running call finishes, and the next message to the model is this one. */
  | {
      readonly type: 'contract.steered';
      readonly number: number;
      readonly message: SteeringMessage;
      readonly client?: string;
    }
  /** The whole plan; `changed` has the numbers of the items that are new or other than before, from 1. */
  | {
      readonly type: 'contract.planned';
      readonly number: number;
      readonly by: 'user' | 'model';
      readonly items: readonly PlanItem[];
      readonly changed: readonly number[];
      readonly client?: string;
    }
  /** A call would pass a fence. The call does not run, and the run ends. */
  | { readonly type: 'contract.fenced'; readonly number: number; readonly callId: string; readonly fence: Fence }
  | ({
      readonly type: 'contract.ended';
      readonly number: number;
      readonly reason: ContractEnd;
      readonly summary?: ContractSummary;
      readonly client?: string;
    } & ContractEndDetails);

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
  contract: CONTRACT,
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
