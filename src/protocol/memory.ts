import * as v from 'valibot';
import { type Json, type JsonObject, parseJsonObject } from './json.ts';

/** The scopes of a fact, narrowest first. */
export const SCOPES = ['directory', 'project', 'host', 'everywhere'] as const;

/** The places where a fact counts. */
export type Scope = (typeof SCOPES)[number];

/** Most characters of a fact. */
export const LONGEST_FACT = 400;

/** One line, so that a fact cannot look like anything else in a request. */
const text = v.pipe(v.string(), v.transform(toOneLine), v.minLength(1), v.maxLength(LONGEST_FACT));

/** A line that adds a fact. Times are in milliseconds since the epoch. */
export interface FactLine {
  readonly text: string;
  readonly scope: Scope;
  /** The directory, the root of the project, or the name of the host; empty for everywhere. */
  readonly place: string;
  readonly at: number;
  readonly by: 'user' | 'model';
  /** The session and the turn that it comes from. */
  readonly session?: string | undefined;
  readonly turn?: number | undefined;
  /** Absent for a proposal that the user has not accepted. */
  readonly confirmed?: number | undefined;
  readonly expires?: number | undefined;
  /** The id of an earlier fact that this one may replace. */
  readonly supersedes?: string | undefined;
  /** The untrusted content that the model had read before it proposed the fact. */
  readonly untrusted?: readonly string[] | undefined;
}

/** A line about earlier facts. */
export interface MarkLine {
  readonly mark: (typeof MARKS)[number];
  readonly of: readonly string[];
  readonly at: number;
  readonly session?: string | undefined;
  readonly turn?: number | undefined;
}

const MARKS = ['confirmed', 'withdrawn', 'used'] as const;

/** A line of the file in a project: other fields follow from the place of the file. */
const sharedSchema = v.object({ text, expires: v.optional(v.number()) });

type SharedLine = v.InferOutput<typeof sharedSchema>;

/** A fact in a request, as the model reads it. */
export interface RecalledFact {
  readonly id: string;
  readonly text: string;
}

/**
 * Reads one line; null for a torn line, and for one of a newer release. A session begins with all lines of the file, so they are checked by
 * hand: a schema takes ten times as long.
 */
export function parseMemoryLine(line: string): FactLine | MarkLine | null {
  const value = parseJsonObject(line);
  if (value === null) return null;
  return 'mark' in value ? readMark(value) : readFact(value);
}

function readFact(value: JsonObject): FactLine | null {
  const { place, at, session, turn, confirmed, expires, supersedes, untrusted } = value;
  const text = typeof value.text === 'string' ? toOneLine(value.text) : '';
  const scope = isScope(value.scope) ? value.scope : undefined;
  const by = value.by === 'user' || value.by === 'model' ? value.by : null;
  if (text === '' || text.length > LONGEST_FACT || scope === undefined || by === null) return null;
  if (typeof place !== 'string' || typeof at !== 'number') return null;
  if (!isMaybeText(session) || !isMaybeText(supersedes) || !isMaybeTexts(untrusted)) return null;
  if (!isMaybeNumber(turn) || !isMaybeNumber(confirmed) || !isMaybeNumber(expires)) return null;
  return { text, scope, place, at, by, session, turn, confirmed, expires, supersedes, untrusted };
}

function readMark({ mark: named, of, at, session, turn }: JsonObject): MarkLine | null {
  const mark = MARKS.find((one) => one === named);
  if (mark === undefined || of === undefined || !isMaybeTexts(of) || typeof at !== 'number') return null;
  return isMaybeText(session) && isMaybeNumber(turn) ? { mark, of, at, session, turn } : null;
}

function isScope(value: Json | undefined): value is Scope {
  return value === 'directory' || value === 'project' || value === 'host' || value === 'everywhere';
}

function isMaybeText(value: Json | undefined): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function isMaybeNumber(value: Json | undefined): value is number | undefined {
  return value === undefined || typeof value === 'number';
}

function isMaybeTexts(value: Json | undefined): value is readonly string[] | undefined {
  return value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
}

/** Reads one line of the file in a project. */
export function parseSharedLine(line: string): SharedLine | null {
  const read = v.safeParse(sharedSchema, parseJsonObject(line));
  return read.success ? read.output : null;
}

function toOneLine(text: string): string {
  return HAS_LAYOUT.test(text) ? text.replace(/\s+/g, ' ').trim() : text;
}

/** Anything but single blanks between words. */
const HAS_LAYOUT = /[^\S ]|^ | {2}| $/;

/** The start of each line that adds a fact: facts are numbered by these lines. */
export const FACT_START = '{"text":';

/** Formats a line. The text of a fact comes first, so that the line begins with `FACT_START`. */
export function formatMemoryLine(line: FactLine | MarkLine): string {
  if ('mark' in line) return `${JSON.stringify(line)}\n`;
  const { text: words, ...rest } = line;
  return `${JSON.stringify({ text: words, ...rest })}\n`;
}
