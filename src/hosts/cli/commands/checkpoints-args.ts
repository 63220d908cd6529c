import { AishError } from '../../../protocol/error.ts';

/** What stands behind `aish checkpoints`. */
export interface CheckpointsArgs {
  readonly action: 'list' | 'usage' | 'prune';
  /** All places that sessions were in. */
  readonly all: boolean;
  /** The steps of this place that are kept apart, of the time when it was no repository. */
  readonly apart: boolean;
  /** Most steps to keep of a place. */
  readonly keep?: number;
  /** All that is older goes, in milliseconds. */
  readonly olderThan?: number;
  readonly dryRun: boolean;
  readonly output: 'text' | 'json';
}

const ACTIONS = ['list', 'usage', 'prune'] as const;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Reads what stands behind `aish checkpoints`; throws `AishError` with code `usage` for what it does not understand. */
export function parseCheckpointsArgs(args: readonly string[]): CheckpointsArgs {
  const [first = 'list', ...rest] = args[0]?.startsWith('-') === true ? ['list', ...args] : args;
  const action = ACTIONS.find((one) => one === first);
  if (action === undefined) throw usage(`aish checkpoints takes ${ACTIONS.join(' | ')}, not ${first}`);
  let parsed: CheckpointsArgs = { action, all: false, apart: false, dryRun: false, output: 'text' };
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? '';
    if (word === '--all') parsed = { ...parsed, all: true };
    else if (word === '--apart') parsed = { ...parsed, apart: true };
    else if (word === '--dry-run') parsed = { ...parsed, dryRun: true };
    else {
      const [name, inline] = splitAtEquals(word);
      parsed = { ...parsed, ...readValue(name, inline ?? rest[at + 1]) };
      if (inline === undefined) at += 1;
    }
  }
  const isPrune = parsed.keep !== undefined || parsed.olderThan !== undefined || parsed.dryRun;
  if (action !== 'prune' && isPrune) throw usage('--keep, --older-than and --dry-run go with aish checkpoints prune');
  return parsed;
}

function readValue(name: string, value: string | undefined): Partial<CheckpointsArgs> {
  switch (name) {
    case '--keep':
      return { keep: parseCount(value) };
    case '--older-than':
      return { olderThan: parseAge(value) };
    case '--output':
      if (value === 'text' || value === 'json') return { output: value };
      throw usage(`--output takes text or json, not ${value ?? 'nothing'}`);
    default:
      throw usage(name.startsWith('-') ? `unknown option ${name}` : `aish checkpoints takes no ${name}`);
  }
}

function parseCount(value: string | undefined): number {
  const number = Number(value);
  if (value !== '' && Number.isInteger(number) && number >= 1) return number;
  throw usage(`--keep takes a whole number from 1, not ${value ?? 'nothing'}`);
}

function parseAge(value: string | undefined): number {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(value ?? '') ?? [];
  if (count !== undefined) return Number(count) * (UNITS[unit] ?? 0);
  throw usage(`--older-than takes an age such as 12h, 7d or 2w, not ${value ?? 'nothing'}`);
}

function splitAtEquals(word: string): readonly [string, string | undefined] {
  const at = word.indexOf('=');
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function usage(message: string): AishError {
  return new AishError('usage', message, { hint: 'see aish checkpoints --help' });
}
