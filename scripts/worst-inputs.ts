// Makes inputs that are bad for one regular expression, out of the expression itself.

/** A piece of an expression. An atom is one character, class or escape, kept as its source. */
type Piece =
  | { readonly type: 'atom'; readonly source: string }
  | { readonly type: 'nothing' }
  | { readonly type: 'look'; readonly body: Piece; readonly isBehind: boolean; readonly isNegative: boolean }
  | { readonly type: 'sequence'; readonly items: readonly Piece[] }
  | { readonly type: 'choice'; readonly items: readonly Piece[] }
  | { readonly type: 'repeat'; readonly body: Piece; readonly min: number; readonly max: number };

/** A bad input, and how it was made, so that a report can show it. */
export interface WorstInput {
  readonly prefix: string;
  readonly pump: string;
  readonly count: number;
  readonly suffix: string;
}

/** Repeats at least as often as this can be pumped. */
const MANY = 64;

const MOST_SAMPLES = 4;

const MOST_INPUTS = 2000;

const PROBES = [
  ...Array.from({ length: 126 }, (_, code) => String.fromCharCode(code + 1)),
  'é',
  'ß',
  '中',
  '\u0301',
  '\u2028',
  '😀',
];

/** The text of an input. */
export function toText({ prefix, pump, count, suffix }: WorstInput): string {
  return `${prefix}${pump.repeat(count)}${suffix}`;
}

/** Inputs of about so many characters that should take an expression long, if any do. */
export function worstInputs(expression: RegExp, length: number): WorstInput[] {
  const maker = new InputMaker(new Reader(expression.source).read(), expression.flags);
  return maker.make(length);
}

/** Reads the syntax of an expression that the engine has accepted already. */
class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Piece {
    const items = [this.#readSequence()];
    while (this.#take('|')) items.push(this.#readSequence());
    return items.length === 1 ? (items[0] ?? { type: 'nothing' }) : { type: 'choice', items };
  }

  #readSequence(): Piece {
    const items: Piece[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at)))
      items.push(this.#readItem());
    return { type: 'sequence', items };
  }

  #readItem(): Piece {
    const body = this.#readOne();
    const found = this.#match(/^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/);
    if (found === null) return body;
    const [, sign, from = '', comma, to = ''] = found;
    if (sign !== undefined)
      return { type: 'repeat', body, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    const max = comma === undefined ? Number(from) : to === '' ? Infinity : Number(to);
    return { type: 'repeat', body, min: Number(from), max };
  }

  #readOne(): Piece {
    if (this.#match(/^(?:[\^$]|\\[bB])/) !== null) return { type: 'nothing' };
    const group = this.#match(/^\((?:\?(?:(<?)([=!])|<[^>]*>|[a-z-]*:))?/);
    if (group !== null) {
      const body = this.read();
      this.#take(')');
      return group[2] === undefined
        ? body
        : { type: 'look', body, isBehind: group[1] === '<', isNegative: group[2] === '!' };
    }
    if (this.#match(/^\\(?:[1-9]\d*|k<[^>]*>)/) !== null) return { type: 'nothing' };
    if (this.#source.charAt(this.#at) === '[') return { type: 'atom', source: this.#readClass() };
    const atom = this.#match(/^(?:\\(?:[pPqu]\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|.)|.)/su);
    return { type: 'atom', source: atom?.[0] ?? '' };
  }

  #readClass(): string {
    const start = this.#at;
    let depth = 0;
    do {
      const next = this.#source.charAt(this.#at);
      if (next === '\\') this.#at += 1;
      else if (next === '[' && depth === 0) depth += 1;
      else if (next === ']') depth -= 1;
      this.#at += 1;
    } while (depth > 0 && this.#at < this.#source.length);
    return this.#source.slice(start, this.#at);
  }

  #take(sign: string): boolean {
    if (this.#source.charAt(this.#at) !== sign) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(this.#source.slice(this.#at));
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}

/** A piece that can be repeated without end, with a text that leads up to it and one that follows. */
interface Pumped {
  readonly before: string;
  readonly bodies: readonly string[];
}

class InputMaker {
  readonly #flags: string;
  readonly #atoms = new Map<string, readonly string[]>();
  readonly #words = new Set<string>();
  readonly #pumped: Pumped[] = [];
  readonly #representatives: readonly string[];

  constructor(root: Piece, flags: string) {
    this.#flags = flags.replaceAll(/[gyd]/g, '');
    this.#collectAtoms(root);
    this.#representatives = this.#representCharacters();
    this.#visit(root, ['']);
  }

  make(length: number): WorstInput[] {
    const inputs = new Map<string, WorstInput>();
    const add = (prefix: string, pump: string, suffix: string): void => {
      if (pump === '' || inputs.size >= MOST_INPUTS) return;
      const input = { prefix, pump, count: Math.max(1, Math.floor(length / pump.length)), suffix };
      inputs.set(`${prefix}\0${pump}\0${suffix}`, input);
    };
    const ends = ['', '\u0001', '\n', '!', ...this.#representatives];
    for (const { before, bodies } of this.#pumped) {
      for (const body of bodies) for (const end of ['', '\u0001', '\n', '!']) add(before, body, end);
      for (const end of ['', '\u0001', '\n']) add('', before, end);
      for (const body of bodies) add('', before + body, '\u0001');
      for (const sign of this.#representatives) for (const end of ['\u0001', '']) add(before, sign, end);
    }
    for (const sign of this.#representatives) for (const end of ends) add('', sign, end);
    for (const word of this.#words) for (const end of ['', '\u0001', '\n']) add('', word, end);
    for (const one of this.#representatives) for (const other of this.#representatives) add('', one + other, '\u0001');
    return [...inputs.values()];
  }

  #collectAtoms(piece: Piece): void {
    if (piece.type === 'sequence' || piece.type === 'choice') for (const item of piece.items) this.#collectAtoms(item);
    else if (piece.type === 'repeat' || piece.type === 'look') this.#collectAtoms(piece.body);
    else if (piece.type === 'atom' && !this.#atoms.has(piece.source)) {
      const expression = new RegExp(`^(?:${piece.source})$`, this.#flags.replace('m', ''));
      const own = /^\\(?:u\{?[\da-f]+\}?|x..)$/i.test(piece.source) ? [decodeEscape(piece.source)] : [...piece.source];
      this.#atoms.set(
        piece.source,
        [...PROBES, ...own].filter((sign) => expression.test(sign)),
      );
    }
  }

  /** One character for each set of characters that no atom tells apart: letters and figures first, as they read best. */
  #representCharacters(): string[] {
    const bySignature = new Map<string, string>();
    const signs = [...'aA0 ', ...PROBES, ...[...this.#atoms.values()].flat()];
    for (const sign of signs) {
      const signature = [...this.#atoms.values()].map((matching) => (matching.includes(sign) ? '1' : '0')).join('');
      if (signature.includes('1') && !bySignature.has(signature)) bySignature.set(signature, sign);
    }
    return [...bySignature.values()].slice(0, 24);
  }

  /**
   * Gathers words and pumped pieces below a piece, which stands behind one of the texts `before`; the answer is texts that match it, the
   * shortest first.
   */
  #visit(piece: Piece, before: readonly string[]): readonly string[] {
    switch (piece.type) {
      case 'nothing':
        return [''];
      case 'atom':
        return this.#samplesOf(piece.source);
      case 'look': {
        const samples = this.#visit(piece.body, before);
        return piece.isBehind && !piece.isNegative ? samples : [''];
      }
      case 'choice': {
        const samples = piece.items.map((item) => this.#visit(item, before));
        for (const [sample] of samples) if (sample !== undefined) this.#words.add(sample);
        return spread(samples);
      }
      case 'sequence':
        return this.#visitSequence(piece.items, before);
      case 'repeat': {
        const bodies = this.#visit(piece.body, before).filter((body) => body !== '');
        if (piece.max >= MANY) for (const one of new Set(before)) this.#pumped.push({ before: one, bodies });
        if (piece.min === 0) return ['', ...bodies].slice(0, MOST_SAMPLES);
        return bodies.map((body) => body.repeat(Math.min(piece.min, MANY)));
      }
    }
  }

  #visitSequence(items: readonly Piece[], before: readonly string[]): readonly string[] {
    let texts: readonly string[] = [''];
    // An optional part is in one of the texts before and not in the other.
    let [shortest, fullest] = [before[0] ?? '', before.at(-1) ?? ''];
    for (const item of items) {
      const samples = this.#visit(item, [shortest, fullest]);
      const [first = ''] = samples;
      const [text = ''] = texts;
      shortest += first;
      fullest += first === '' ? (samples[1] ?? '') : first;
      texts = [...new Set([...texts.map((one) => one + first), ...samples.slice(1).map((sample) => text + sample)])];
      texts = texts.slice(0, MOST_SAMPLES);
      for (const one of texts) if (one.length <= MANY) this.#words.add(one);
    }
    return texts;
  }

  #samplesOf(source: string): readonly string[] {
    const matching = this.#atoms.get(source) ?? [];
    const own = this.#representatives.filter((sign) => matching.includes(sign));
    return own.length === 0 ? matching.slice(0, 1) : own.slice(0, MOST_SAMPLES);
  }
}

function decodeEscape(source: string): string {
  return String.fromCodePoint(Number.parseInt(source.replaceAll(/[\\ux{}]/gi, ''), 16));
}

/** The first of each list, then the second of each. */
function spread(lists: readonly (readonly string[])[]): string[] {
  const most = Math.max(0, ...lists.map((list) => list.length));
  const rows = Array.from({ length: most }, (_, row) => lists.flatMap((list) => list.slice(row, row + 1)));
  return [...new Set(rows.flat())].slice(0, 2 * MOST_SAMPLES);
}
