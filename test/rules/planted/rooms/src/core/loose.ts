import { UPPER } from './upper/upper.ts';

export const LOOSE = UPPER;
