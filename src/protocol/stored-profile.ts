import * as v from 'valibot';

const PROFILE = v.object({
  omit: v.exactOptional(v.pipe(v.array(v.string()), v.readonly())),
  toolTurns: v.exactOptional(v.literal('text')),
  tools: v.exactOptional(v.literal('none')),
  mostTools: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  system: v.exactOptional(v.literal('user')),
  emptyContent: v.exactOptional(v.picklist(['null', 'space', 'omitted'])),
  content: v.exactOptional(v.picklist(['parts', 'text'])),
  add: v.exactOptional(v.pipe(v.array(v.string()), v.readonly())),
  tokenLimit: v.exactOptional(
    v.object({ field: v.picklist(['max_tokens', 'max_completion_tokens']), tokens: v.number() }),
  ),
  stream: v.exactOptional(v.literal(false)),
  schema: v.exactOptional(v.literal('plain')),
  progress: v.exactOptional(v.literal(true)),
});

const NOTE = v.object({
  /** Milliseconds since the epoch. */
  at: v.number(),
  /** A lesson in words. */
  text: v.string(),
  /** The server's own words. */
  said: v.string(),
});

const STORED = v.object({
  profile: PROFILE,
  notes: v.array(NOTE),
  /** When it last changed. */
  at: v.number(),
});

/** The reason for a part of a profile. */
export type ProfileNote = Readonly<v.InferOutput<typeof NOTE>>;

/** A profile with its history. */
export type StoredProfile = Readonly<v.InferOutput<typeof STORED>>;

/** Reads a profile from the file that keeps it; null for anything else, such as that of another release. */
export function parseStoredProfile(value: unknown): StoredProfile | null {
  const parsed = v.safeParse(STORED, value);
  return parsed.success ? parsed.output : null;
}
