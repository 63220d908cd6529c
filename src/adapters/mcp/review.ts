import type { JsonObject } from '../../protocol/json.ts';
import type { PinnedTool } from './pin-store.ts';
import type { ToolDefinition } from './tool-definition.ts';

/** A tool as its server defines it now, beside what was reviewed of it. */
export interface ToolUnderReview {
  /** The name within the server. */
  readonly name: string;
  /** What its server says that counts: name, title, description, schemas, annotations. */
  readonly meaning: JsonObject;
  /** As it was reviewed; null for one that never was. */
  readonly before: JsonObject | null;
  readonly isSame: boolean;
}

/** All that a person decides about when they review a server. */
export interface ServerReview {
  readonly alias: string;
  /** Its address or its command line. */
  readonly place: string;
  /** Nobody has reviewed it before. */
  readonly isFirst: boolean;
  readonly tools: readonly ToolUnderReview[];
  /** Reviewed once, and there no more. */
  readonly gone: readonly { readonly name: string; readonly meaning: JsonObject }[];
  /** True where the word of the server that a tool only reads is taken, as configured. */
  readonly trustsReadOnly: boolean;
  /** Pins exactly these definitions, whatever the server has said since. */
  readonly pin: () => void;
}

/** Sets the tools of a server beside what was reviewed of them. */
export function compareReview(
  definitions: readonly ToolDefinition[],
  reviewed: ReadonlyMap<string, PinnedTool> | null,
): Pick<ServerReview, 'isFirst' | 'tools' | 'gone'> {
  const names = new Set(definitions.map(({ name }) => name));
  return {
    isFirst: reviewed === null,
    tools: definitions.map(({ name, fingerprint, meaning = {} }) => {
      const pinned = reviewed?.get(name);
      return { name, meaning, before: pinned?.meaning ?? null, isSame: pinned?.fingerprint === fingerprint };
    }),
    gone: [...(reviewed ?? [])].filter(([name]) => !names.has(name)).map(([name, { meaning }]) => ({ name, meaning })),
  };
}
