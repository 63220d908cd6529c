import { LOWER } from '../lower/lower.ts';

export const UPPER = LOWER;
export const later = () => import('../lower/lazy.ts');
