/** A place in a text that looks like a secret nobody told of. */
export interface ShapeFinding {
  readonly from: number;
  readonly to: number;
  /** What kind of secret it looks like. */
  readonly name: string;
  readonly value: string;
}

/** A form that a secret is told by. */
export interface Shape {
  readonly name: string;
  /** One of these stands in every text that has the shape; looking for it costs next to nothing. */
  readonly needles: readonly string[];
  /** The value is the group `value`, or the whole. */
  readonly pattern: RegExp;
}
