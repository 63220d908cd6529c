import { countOf, parseAge, readActionArgs, wrongValue } from '../../../core/command-line/subcommand-args.ts';

/** The arguments of `aish sessions`. */
export interface SessionsArgs {
  readonly action: (typeof ACTIONS)[number];
  /** All arguments that are not options. */
  readonly words: readonly string[];
  /** Only those begun in this directory. */
  readonly here: boolean;
  /** Only those used since then, in milliseconds since the epoch. */
  readonly since: number | undefined;
  readonly limit: number | undefined;
  readonly isJson: boolean;
  /** The events as JSON lines instead of Markdown. */
  readonly isJsonLines: boolean;
  /** aish asks nothing. */
  readonly yes: boolean;
  /** How many times as fast a replay is as it was. */
  readonly speed: number | undefined;
  /** A replay waits for a key after each thing that is shown. */
  readonly step: boolean;
}

const ACTIONS = ['list', 'show', 'search', 'export', 'rename', 'remove', 'replay', 'why'] as const;

/** Parses the arguments of `aish sessions`; throws `AishError` with code `usage` if they are wrong. */
export function parseSessionsArgs(args: readonly string[], now: number): SessionsArgs {
  const { action, words, options } = readActionArgs('sessions', ACTIONS, args);
  return {
    action,
    words,
    here: options.has('--here'),
    since: parseSince(options.get('--since'), now),
    limit: countOf('sessions', '--limit', options.get('--limit')),
    isJson: options.get('--output') === 'json',
    isJsonLines: options.get('--format') === 'jsonl',
    yes: options.has('--yes'),
    speed: parseSpeed(options.get('--speed')),
    step: options.has('--step'),
  };
}

/** `2d`, `3h`, `1w`, or a day: `2026-11-01`. */
function parseSince(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const age = parseAge(value);
  if (age !== null) return now - age;
  const day = /^\d{4}-\d\d-\d\d(?:T\S+)?$/.test(value) ? new Date(toLocalDay(value)).getTime() : Number.NaN;
  if (!Number.isNaN(day)) return day;
  throw wrongValue('sessions', '--since', 'a time such as 3h, 2d, 1w or 2026-11-01', value);
}

/** A day alone begins where the user is. */
function toLocalDay(value: string): string {
  return value.includes('T') ? value : `${value}T00:00`;
}

function parseSpeed(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isFinite(number) && number > 0) return number;
  throw wrongValue('sessions', '--speed', 'a number over 0, such as 4 or 0.5', value);
}
