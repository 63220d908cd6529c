import * as v from 'valibot';

const FIELDS = v.pipe(v.array(v.string()), v.readonly());

const PROFILE = v.object({
  /** Optional fields of a request that it refuses, as paths without positions: `stream_options`, `messages.reasoning_content`. */
  omit: v.exactOptional(FIELDS),
  /** It refuses the role `tool`: calls and results go as text. */
  toolTurns: v.exactOptional(v.literal('text')),
  /** It takes no tools at all. */
  tools: v.exactOptional(v.literal('none')),
  mostTools: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  /** It refuses the role `system`: the text goes in front of the first message of the user. */
  system: v.exactOptional(v.literal('user')),
  /** The content of a message that has only calls; `""` if absent. */
  emptyContent: v.exactOptional(v.picklist(['null', 'space', 'omitted'])),
  /** It takes the content of a message only as a list of parts, or only as text. */
  content: v.exactOptional(v.picklist(['parts', 'text'])),
  /** Fields that it demands, as paths without positions. */
  add: v.exactOptional(FIELDS),
  /** It wants a limit for the tokens of an answer, under this name. */
  tokenLimit: v.exactOptional(
    v.object({ field: v.picklist(['max_tokens', 'max_completion_tokens']), tokens: v.number() }),
  ),
  /** It does not stream. */
  stream: v.exactOptional(v.literal(false)),
  /** It takes only the smallest subset of JSON Schema. */
  schema: v.exactOptional(v.literal('plain')),
  /** It is a llama.cpp server, which reports how much of a prompt it has read. */
  progress: v.exactOptional(v.literal(true)),
});

/** The differences of a server from the others, per endpoint and model. An absent field means the usual form. */
export type EndpointProfile = Readonly<v.InferOutput<typeof PROFILE>>;

/** The reason for a part of a profile. */
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

/** A profile with its history. */
export type StoredProfile = Readonly<v.InferOutput<typeof STORED>>;

/** Reads a profile from the file that keeps it; null for anything else, such as that of another release. */
export function parseStoredProfile(value: unknown): StoredProfile | null {
  const parsed = v.safeParse(STORED, value);
  return parsed.success ? parsed.output : null;
}
