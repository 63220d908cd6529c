import type { Look } from '../screen/theme.ts';

/** A piece of a text that has a look. Offsets count UTF-16 units; spans of one text are sorted and never overlap. */
export interface StyledSpan {
  readonly start: number;
  readonly end: number;
  readonly look: Look;
}
