import type { Look } from '../../screen/theme.ts';

/** A part of a text with a look of its own; offsets count UTF-16 units, `end` is the first one after it. */
export interface StyledSpan {
  readonly start: number;
  readonly end: number;
  readonly look: Look;
}
