// A comment about Math.random() is no violation.
import { watch } from 'node:fs';
import fc from 'fast-check';

const begun = performance.now();
export const drawn = [Math.random(), fc.nat(), watch('.'), begun];
