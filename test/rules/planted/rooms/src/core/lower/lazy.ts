export const LAZY = 1;
