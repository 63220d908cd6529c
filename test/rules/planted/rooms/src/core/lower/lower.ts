import type { Scale } from '../upper/scale.ts';

export const LOWER: Scale = 1;
