import * as v from 'valibot';
import type { EndpointProfile } from './model.ts';

/** The reason for a part of a profile. */
export interface ProfileNote {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** A lesson in words. */
  readonly text: string;
  /** The server's own words. */
  readonly said: string;
}

/** A profile with its history. */
export interface StoredProfile {
  readonly profile: EndpointProfile;
  readonly notes: readonly ProfileNote[];
  /** When it last changed. */
  readonly at: number;
}

const PROFILE = v.object({
  omit: v.exactOptional(v.array(v.string())),
  toolTurns: v.exactOptional(v.literal('text')),
  tools: v.exactOptional(v.literal('none')),
  mostTools: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  system: v.exactOptional(v.literal('user')),
  emptyContent: v.exactOptional(v.picklist(['null', 'space', 'omitted'])),
  tokenLimit: v.exactOptional(
    v.object({ field: v.picklist(['max_tokens', 'max_completion_tokens']), tokens: v.number() }),
  ),
  stream: v.exactOptional(v.literal(false)),
  schema: v.exactOptional(v.literal('plain')),
  progress: v.exactOptional(v.literal(true)),
});

const STORED = v.object({
  profile: PROFILE,
  notes: v.array(v.object({ at: v.number(), text: v.string(), said: v.string() })),
  at: v.number(),
});

/** Reads a profile from the file that keeps it; null for anything else, such as that of another release. */
export function parseStoredProfile(value: unknown): StoredProfile | null {
  const parsed = v.safeParse(STORED, value);
  return parsed.success ? parsed.output : null;
}
