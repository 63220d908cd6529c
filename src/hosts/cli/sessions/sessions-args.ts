import { AishError } from '../../../protocol/error.ts';
import { formatTakes, formatUnknownOption, HELP_HINT } from './messages.ts';

/** The arguments of `aish sessions`. */
export interface SessionsArgs {
  readonly action: SessionsAction;
  /** All arguments that are not options. */
  readonly words: readonly string[];
  /** Only those begun in this directory. */
  readonly here: boolean;
  /** Only those used since then, in milliseconds since the epoch. */
  readonly since?: number;
  readonly limit?: number;
  readonly output: 'text' | 'json';
  readonly format: 'markdown' | 'jsonl';
  /** Nothing is asked. */
  readonly yes: boolean;
  /** How many times as fast a replay is as it was. */
  readonly speed?: number;
  /** A replay waits for a key after each thing that is shown. */
  readonly step: boolean;
}

const ACTIONS = ['list', 'show', 'search', 'export', 'rename', 'remove', 'replay', 'why'] as const;

type SessionsAction = (typeof ACTIONS)[number];

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Parses the arguments of `aish sessions`; throws `AishError` with code `usage` if they are wrong. */
export function parseSessionsArgs(args: readonly string[], now: number): SessionsArgs {
  const [first = 'list', ...rest] = args[0]?.startsWith('-') === true ? ['list', ...args] : args;
  const action = ACTIONS.find((one) => one === first);
  if (action === undefined) throw usage(formatTakes('aish sessions', ACTIONS.join(', '), first));
  let parsed: SessionsArgs = {
    action,
    words: [],
    here: false,
    output: 'text',
    format: 'markdown',
    yes: false,
    step: false,
  };
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? '';
    if (word === '--') return { ...parsed, words: [...parsed.words, ...rest.slice(at + 1)] };
    if (!word.startsWith('--')) {
      parsed = { ...parsed, words: [...parsed.words, word] };
      continue;
    }
    const [name = '', inline] = splitAtEquals(word);
    if (SWITCHES[name] !== undefined && inline === undefined) parsed = { ...parsed, ...SWITCHES[name] };
    else {
      parsed = { ...parsed, ...readValue(name, inline ?? rest[at + 1], now) };
      if (inline === undefined) at += 1;
    }
  }
  return parsed;
}

const SWITCHES: Readonly<Record<string, Partial<SessionsArgs>>> = {
  '--here': { here: true },
  '--yes': { yes: true },
  '--step': { step: true },
};

function readValue(name: string, value: string | undefined, now: number): Partial<SessionsArgs> {
  switch (name) {
    case '--since':
      return { since: parseSince(value, now) };
    case '--limit':
      return { limit: parseCount(name, value) };
    case '--output':
      return { output: oneOf(name, value, ['text', 'json'] as const) };
    case '--format':
      return { format: oneOf(name, value, ['markdown', 'jsonl'] as const) };
    case '--speed':
      return { speed: parseSpeed(value) };
    default:
      throw usage(formatUnknownOption(name));
  }
}

/** `2d`, `3h`, `1w`, or a day: `2026-11-01`. */
function parseSince(value: string | undefined, now: number): number {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(value ?? '') ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0) * 1000;
  const day = /^\d{4}-\d\d-\d\d(?:T\S+)?$/.test(value ?? '') ? new Date(toLocalDay(value ?? '')).getTime() : Number.NaN;
  if (!Number.isNaN(day)) return day;
  throw usage(formatTakes('--since', 'a time such as 3h, 2d, 1w or 2026-11-01', value));
}

/** A day alone begins where the user is. */
function toLocalDay(value: string): string {
  return value.includes('T') ? value : `${value}T00:00`;
}

function parseCount(name: string, value: string | undefined): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1) return number;
  throw usage(formatTakes(name, 'a whole number from 1', value));
}

function parseSpeed(value: string | undefined): number {
  const number = Number(value);
  if (Number.isFinite(number) && number > 0) return number;
  throw usage(formatTakes('--speed', 'a number over 0, such as 4 or 0.5', value));
}

function oneOf<T extends string>(name: string, value: string | undefined, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw usage(formatTakes(name, choices.join(' or '), value));
  return found;
}

function splitAtEquals(word: string): readonly [string, string | undefined] {
  const at = word.indexOf('=');
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function usage(message: string): AishError {
  return new AishError('usage', message, { hint: HELP_HINT });
}
