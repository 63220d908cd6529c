/** Longest parameters of a colour sequence that are looked at; real ones are far shorter. */
const LONGEST = 256;

/** The parameters of a colour sequence as they may pass, without conceal and without broken colours; null when nothing is left of it. */
export function toSafeColour(parameters: string): string | null {
  if (parameters.length >= LONGEST || !/^[0-9;:]*$/.test(parameters)) return null;
  const given = parameters.split(';');
  const kept: string[] = [];
  for (let at = 0; at < given.length; ) {
    const colour = readColour(given, at);
    if (colour === null) at += 1;
    else {
      kept.push(...given.slice(at, at + colour.size));
      at += colour.size;
    }
  }
  return kept.length === 0 ? null : kept.join(';');
}

/** How many parameters belong together; null for one that may not pass. */
function readColour(given: readonly string[], at: number): { readonly size: number } | null {
  const parameter = given[at] ?? '';
  if (/^0*8(:|$)/.test(parameter)) return null;
  if (!/^0*[345]8$/.test(parameter)) return { size: 1 };
  // 38;5;8 and 48;2;8;8;8 are colours: their numbers are no attributes, provided that they are all there.
  const size = colourSize(given[at + 1]);
  return size !== null && given.slice(at + 2, at + size).filter((number) => /^\d+$/.test(number)).length === size - 2
    ? { size }
    : null;
}

function colourSize(kind: string | undefined): number | null {
  if (kind !== undefined && /^0*5$/.test(kind)) return 3;
  return kind !== undefined && /^0*2$/.test(kind) ? 5 : null;
}
