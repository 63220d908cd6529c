import { statSync } from 'node:fs';
import type { Row } from '../row.ts';

/** The size of the program on disk. */
export const size: Row = {
  name: 'size',
  measure(place) {
    const mebibytes = (path: string): number => statSync(path).size / 2 ** 20;
    const baseline = { what: 'bare Bun', values: [mebibytes(place.bareFetch)] };
    return Promise.resolve([
      { what: 'installed size', unit: 'MiB', values: [mebibytes(place.aish)], baseline, atMost: 130 },
    ]);
  },
};
