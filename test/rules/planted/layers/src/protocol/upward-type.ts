import type { Started } from '../core/upward.ts';

export type Alias = Started;
