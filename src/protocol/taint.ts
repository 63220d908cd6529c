/**
 * Where text of others came from: a server's tool or what it says of its tools, the network, a file that is not the project's, what was
 * handed in from elsewhere, or a command of which nobody can tell.
 */
export type TaintKind = 'server' | 'network' | 'file' | 'input' | 'command';

/** Where text came from that the model was sent and nobody here vouches for. */
export interface TaintSource {
  readonly kind: TaintKind;
  /** As people call it: `weather.forecast`, `https://example.com`, `/home/ann/mail.txt`. */
  readonly name: string;
}

/** What a call would do that text of others must not bring about unasked. */
export interface CallTaint {
  /** What the model had read when it asked for the call. */
  readonly sources: readonly TaintSource[];
  /** What the call would do, as the end of "it". */
  readonly reach: string;
  /** The rule that would have allowed it; absent where none would. */
  readonly rule?: string;
}
