// The pure parts of the runtime that core uses beside the language: nothing here does I/O or reads the clock.

declare const Bun: {
  /** Columns of a text on a terminal. */
  stringWidth(text: string): number;
};

interface TextDecoder {
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string;
}

declare const TextDecoder: new (encoding?: string, options?: { readonly ignoreBOM?: boolean }) => TextDecoder;

interface AbortSignal {
  readonly aborted: boolean;
}

interface AbortController {
  readonly signal: AbortSignal;
  abort(): void;
}

declare const AbortController: new () => AbortController;
