/** A place in a text where a secret stands. */
export interface Region {
  readonly from: number;
  readonly to: number;
  /** Which secret it is. */
  readonly secret: number;
}

/** The regions in their order, each text once: of two that overlap the longer gives the name. */
export function mergeRegions(regions: readonly Region[], inParts: ReadonlySet<number>): Region[] {
  const merged: Region[] = [];
  for (const region of [...regions].sort((left, right) => left.from - right.from || right.to - left.to)) {
    const last = merged.at(-1);
    const reach = last !== undefined && last.secret === region.secret && inParts.has(region.secret) ? JOINT + 1 : 0;
    if (last === undefined || region.from >= last.to + reach) merged.push(region);
    else {
      const longer = region.to - region.from > last.to - last.from ? region : last;
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, region.to), secret: longer.secret };
    }
  }
  return merged;
}

/** Parts of one value, such as the lines of a key, become one region when no more than this stands between them. */
export const JOINT = 8;
