/** A place in a text that looks like a secret nobody told of. */
export interface ShapeFinding {
  readonly from: number;
  readonly to: number;
  /** What kind of secret it looks like. */
  readonly name: string;
  readonly value: string;
}
