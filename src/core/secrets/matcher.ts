import { searchDumps } from './dump.ts';
import { createFormIndex, type FormCache, type FormIndex, toByteText } from './index-of-forms.ts';
import { eitherOpen, noteOpen, type Open, opened } from './open.ts';
import { JOINT, mergeRegions, type Region } from './region.ts';
import { searchForms } from './search.ts';
import { formatPlaceholder, PLACEHOLDER, type Secret } from './secret.ts';

/** Takes secrets out of a text that comes in pieces. */
export interface SecretStream {
  /** The next piece, without what may be the beginning of a secret. */
  push(text: string): string;
  /** What was held back, when nothing more comes. */
  end(): string;
}

/** Takes secrets out of bytes that come in pieces. */
export interface SecretByteStream {
  push(bytes: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** How a text that comes in pieces is read. */
export interface PieceOptions {
  /** The text has one character for each byte. */
  readonly bytes?: boolean;
  /** The piece begins a line. */
  readonly atLineStart: boolean;
  /** Nothing comes after the piece. */
  readonly final: boolean;
  /** So much of its beginning has been told already. */
  readonly told?: number;
  /** Somebody reads along: what says nothing of a secret is told at once. */
  readonly live?: boolean;
}

/** As much of a piece as can be told. */
export interface Piece {
  /** Nothing that follows can change what stands until here. */
  readonly used: number;
  /** Until here it is told now, and how, without what was told before. */
  readonly soon: number;
  readonly text: string;
  /** Until here it is told if nothing follows for a while, and how. */
  readonly later: number;
  readonly rest: string;
}

/** Finds the secrets it was made for in texts. */
export interface SecretMatcher {
  /** The text with a placeholder where a secret stood. */
  conceal(text: string): string;
  /** The beginning of a piece that nothing after it can change. */
  take(text: string, options: PieceOptions): Piece;
  stream(options?: { bytes?: boolean }): SecretStream;
}

/** No secret needs that much text to be told from others; what is open for longer is let go. */
const LONGEST_HELD = 128 * 1024;

/** What was found and may go on is waited for as a whole until it is that long, such as a text that is one secret over and over. */
const LONGEST_FOUND = 512;

/** The same for a key of many lines. */
const LONGEST_KEY = 8 * 1024;

/** Makes the matcher of these secrets; it never changes. */
export function createSecretMatcher(secrets: readonly Secret[], cache: FormCache = new WeakMap()): SecretMatcher {
  const indexes: { text?: FormIndex; bytes?: FormIndex } = {};
  const indexFor = ({ bytes }: { bytes: boolean }): FormIndex => {
    const made = (bytes ? indexes.bytes : indexes.text) ?? createFormIndex(secrets, { bytes, cache });
    if (bytes) indexes.bytes = made;
    else indexes.text = made;
    return made;
  };
  const take = (text: string, options: PieceOptions): Piece =>
    secrets.length === 0 || text === '' ? wholePiece(text, options) : takePiece(text, secrets, indexFor, options);
  const conceal = (text: string): string => take(text, { atLineStart: true, final: true }).text;
  return { conceal, take, stream: (options) => streamPieces((text, how) => take(text, { ...options, ...how })) };
}

/** A stream of pieces that tells only what nothing can change; `take` is asked at each, so it may learn of more secrets meanwhile. */
export function streamPieces(take: (text: string, options: PieceOptions) => Piece): SecretStream {
  let held = '';
  let told = 0;
  let atLineStart = true;
  const go = (text: string, final: boolean): string => {
    const all = held + text;
    const piece = take(all, { atLineStart, final, told });
    if (piece.used > 0) atLineStart = all[piece.used - 1] === '\n';
    held = all.slice(piece.used);
    told = piece.soon - piece.used;
    return piece.text;
  };
  return { push: (text) => (text === '' ? '' : go(text, false)), end: () => go('', true) };
}

function takePiece(
  text: string,
  secrets: readonly Secret[],
  indexFor: (options: { bytes: boolean }) => FormIndex,
  { bytes = false, atLineStart, final, told = 0, live = false }: PieceOptions,
): Piece {
  const index = indexFor({ bytes });
  const forms = searchForms(index, text, { final });
  const dumps = searchDumps(() => indexFor({ bytes: true }), text, { atLineStart, final });
  const verbatim = searchVerbatim(index, text, { final });
  const places = [...forms.regions, ...dumps.regions, ...verbatim.regions];
  const regions = outsidePlaceholders(mergeRegions(places, index.inParts), text);
  const open = eitherOpen(eitherOpen(forms.open, dumps.open), verbatim.open);
  const cutAt = (at: number): number => (final ? text.length : cutBefore(text, regions, at, index.inParts));
  // What goes on for long is told where it is cut, and what was told of it is looked at once more with what follows.
  const endAt = (at: number): number => regions.find(({ from, to }) => from < at && to > at)?.to ?? at;
  const used = cutAt(open.from);
  const soon = Math.max(told, endAt(live ? cutAt(open.held) : used));
  const later = live ? Math.max(soon, endAt(cutAt(open.kept))) : soon;
  const name = (secret: number): string => {
    const placeholder = formatPlaceholder(secrets[secret]?.name ?? '');
    return bytes ? toByteText(placeholder) : placeholder;
  };
  const clean = replaceRegions(text, { regions, from: told, to: soon, name });
  return { used, soon, text: clean, later, rest: replaceRegions(text, { regions, from: soon, to: later, name }) };
}

/** A piece with nothing to look for in it. */
function wholePiece(text: string, { told = 0 }: PieceOptions): Piece {
  const { length } = text;
  return { used: length, soon: length, text: text.slice(told), later: length, rest: '' };
}

/** Where a text is cut: a region that may go on is left for later as a whole. */
function cutBefore(text: string, regions: readonly Region[], open: number, inParts: ReadonlySet<number>): number {
  let used = Math.max(open, text.length - LONGEST_HELD);
  const last = regions.at(-1);
  if (last !== undefined && inParts.has(last.secret) && last.to + JOINT >= used && last.to - last.from < LONGEST_KEY)
    used = Math.min(used, last.from);
  for (const { from, to, secret } of regions)
    if (from < used && to > used && to - from < (inParts.has(secret) ? LONGEST_KEY : LONGEST_FOUND)) used = from;
  return used;
}

/** The text between two places with a name for each region; of one that was told in part the name stands for the rest. */
function replaceRegions(
  text: string,
  {
    regions,
    from,
    to,
    name,
  }: { regions: readonly Region[]; from: number; to: number; name: (secret: number) => string },
): string {
  let clean = '';
  let at = from;
  for (const region of regions) {
    if (region.to > to) break;
    if (region.to <= at) continue;
    clean += text.slice(at, Math.max(at, region.from)) + name(region.secret);
    at = region.to;
  }
  return at === 0 && to === text.length ? text : clean + text.slice(at, to);
}

function searchVerbatim(
  { verbatim }: FormIndex,
  text: string,
  { final }: Pick<PieceOptions, 'final'>,
): { regions: Region[]; open: Open } {
  const regions: Region[] = [];
  const open = opened(text.length);
  for (const { secret, text: wanted, isAlone } of verbatim) {
    for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + wanted.length)) {
      const to = from + wanted.length;
      if (!isAlone || !isTouched(text, from, to)) regions.push({ from, to, secret });
      if (isAlone && to === text.length && !final) noteOpen(open, from, wanted.length);
    }
    for (let from = Math.max(0, text.length - wanted.length + 1); from < text.length; from += 1)
      if (wanted.startsWith(text.slice(from))) noteOpen(open, from, text.length - from);
  }
  return { regions, open };
}

function isTouched(text: string, from: number, to: number): boolean {
  return /[0-9A-Za-z]/.test(text[from - 1] ?? '') || /[0-9A-Za-z]/.test(text[to] ?? '');
}

/** A name in a placeholder is no secret, whatever it is. */
function outsidePlaceholders(regions: Region[], text: string): Region[] {
  if (regions.length === 0 || !text.includes('⟨secret:')) return regions;
  const kept = Array.from(text.matchAll(PLACEHOLDER), ({ index, 0: { length } }) => ({
    from: index,
    to: index + length,
  }));
  return regions.filter(({ from, to }) => !kept.some((one) => one.from <= from && to <= one.to));
}
