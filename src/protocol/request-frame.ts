import type { OfferedTool } from './model.ts';

/**
 * What shapes the bytes of a request beside what was said and done in the session. With it the requests of a log can be
 * made again, byte for byte.
 */
export interface RequestFrame {
  /** The name in `[models]`, or what was found. */
  readonly endpoint: string;
  /** The server's name for the model; null where the request names none. */
  readonly model: string | null;
  /** The server: some take fewer fields than others. Nothing of its address but the host, which holds no key. */
  readonly host: string;
  readonly toolTurns: 'role' | 'text';
  readonly outputBudget: number;
  readonly images: boolean;
  /** The system message as it was. */
  readonly system: string;
  readonly tools: readonly OfferedTool[];
}
