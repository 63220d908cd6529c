import * as v from 'valibot';
import { parseJsonObject } from './json.ts';

/** The scopes of a fact, narrowest first. */
export const SCOPES = ['directory', 'project', 'host', 'everywhere'] as const;

/** The places where a fact counts. */
export type Scope = (typeof SCOPES)[number];

/** Most characters of a fact. */
export const LONGEST_FACT = 400;

/** One line, so that a fact cannot look like anything else in a request. */
const text = v.pipe(
  v.string(),
  v.transform((words) => words.replace(/\s+/g, ' ').trim()),
  v.minLength(1),
  v.maxLength(LONGEST_FACT),
);

/** A line that adds a fact. Times are in milliseconds since the epoch. */
const factSchema = v.object({
  text,
  scope: v.picklist(SCOPES),
  /** The directory, the root of the project, or the name of the host; empty for everywhere. */
  place: v.string(),
  at: v.number(),
  by: v.picklist(['user', 'model']),
  /** The session and the turn that it comes from. */
  session: v.optional(v.string()),
  turn: v.optional(v.number()),
  /** Absent for a proposal that the user has not accepted. */
  confirmed: v.optional(v.number()),
  expires: v.optional(v.number()),
  /** The id of an earlier fact that this one may replace. */
  supersedes: v.optional(v.string()),
  /** The untrusted content that the model had read before it proposed the fact. */
  untrusted: v.optional(v.pipe(v.array(v.string()), v.readonly())),
});

/** A line about earlier facts. */
const markSchema = v.object({
  mark: v.picklist(['confirmed', 'withdrawn', 'used']),
  of: v.pipe(v.array(v.string()), v.readonly()),
  at: v.number(),
  session: v.optional(v.string()),
  turn: v.optional(v.number()),
});

/** A line of the file in a project: other fields follow from the place of the file. */
const sharedSchema = v.object({ text, expires: v.optional(v.number()) });

export type FactLine = v.InferOutput<typeof factSchema>;
export type MarkLine = v.InferOutput<typeof markSchema>;
export type SharedLine = v.InferOutput<typeof sharedSchema>;

/** A fact in a request, as the model reads it. */
export interface RecalledFact {
  readonly id: string;
  readonly text: string;
}

/** Reads one line; null for a torn line, and for one of a newer release. */
export function parseMemoryLine(line: string): FactLine | MarkLine | null {
  const value = parseJsonObject(line);
  if (value === null) return null;
  const read = 'mark' in value ? v.safeParse(markSchema, value) : v.safeParse(factSchema, value);
  return read.success ? read.output : null;
}

/** Reads one line of the file in a project. */
export function parseSharedLine(line: string): SharedLine | null {
  const read = v.safeParse(sharedSchema, parseJsonObject(line));
  return read.success ? read.output : null;
}

/** The start of each line that adds a fact: facts are numbered by these lines. */
export const FACT_START = '{"text":';

/** Formats a line. The text of a fact comes first, so that the line begins with `FACT_START`. */
export function formatMemoryLine(line: FactLine | MarkLine): string {
  if ('mark' in line) return `${JSON.stringify(line)}\n`;
  const { text: words, ...rest } = line;
  return `${JSON.stringify({ text: words, ...rest })}\n`;
}
