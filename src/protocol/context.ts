/** How it is known what a model can hold at once: said in the configuration, asked of its server, or learned from a refusal. */
export type WindowOrigin = 'configured' | 'server' | 'refusal';

/** How much a model can hold at once. */
export interface ContextWindow {
  /** Name of the endpoint. */
  readonly model: string;
  readonly tokens: number;
  readonly origin: WindowOrigin;
}

/** Why a conversation is compacted: it comes near the end of the window, the server refused it as too long, or a person wishes so. */
export type CompactionReason = 'threshold' | 'overflow' | 'person';

/** What takes the place of the beginning of a conversation in all later requests. The log keeps that beginning. */
export interface Compaction {
  /** So many of the session's entries are covered. */
  readonly upTo: number;
  /** What a model wrote of them; empty where none could. */
  readonly summary: string;
  /** What was put together without a model: the person's words, what failed, which files were changed. */
  readonly kept: string;
  /** Entries before this number are shown with texts of at most `room` characters each. */
  readonly before: number;
  /** Null for as they are. */
  readonly room: number | null;
}
