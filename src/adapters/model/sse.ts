/**
 * Server-sent events as https://html.spec.whatwg.org/multipage/server-sent-events.html reads them, with three additions that
 * model servers make necessary: an event the body ends in is handed out all the same, marked as unfinished, the non-standard
 * field `error:` is kept instead of ignored, and a line of JSON without a field is an event.
 *
 * Every byte is looked at once. A line may arrive in any number of pieces: they are kept in a list and joined when the line ends.
 */

/** One event of a stream. */
export interface ServerSentEvent {
  /** The `event:` field; empty when there was none. */
  readonly type: string;
  /** All `data:` lines, joined by line feeds. */
  readonly data: string;
  /** The `error:` field, which is no part of the specification; null when there was none. */
  readonly error: string | null;
  /** False when the body ended before the blank line that closes an event. */
  readonly finished: boolean;
}

/** Turns the bytes of an event stream into events, at any cut. */
export class EventStreamReader {
  readonly #decoder = new TextDecoder();
  #line: string[] = [];
  #afterCarriageReturn = false;
  #type = '';
  #data: string[] = [];
  #error: string[] = [];
  #held = 0;
  #comments = 0;

  /** Characters kept for an event that is not complete yet. */
  get held(): number {
    return this.#held;
  }

  /** The number of comments so far. */
  get comments(): number {
    return this.#comments;
  }

  /** The events that these bytes complete. */
  push(bytes: Uint8Array): ServerSentEvent[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The rest when the body has ended: at most one unfinished event after the finished ones. */
  end(): ServerSentEvent[] {
    const events = this.#read(this.#decoder.decode());
    if (this.#line.length > 0) this.#endLine(events, false);
    this.#dispatch(events, false);
    return events;
  }

  #read(text: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    const lineEnd = /[\r\n]/g;
    let from = 0;
    if (this.#afterCarriageReturn && text.length > 0) {
      this.#afterCarriageReturn = false;
      if (text.startsWith('\n')) from = 1;
    }
    lineEnd.lastIndex = from;
    for (let match = lineEnd.exec(text); match !== null; match = lineEnd.exec(text)) {
      this.#keep(text.slice(from, match.index));
      this.#endLine(events);
      from = match.index + 1;
      if (match[0] !== '\r') continue;
      if (from === text.length) this.#afterCarriageReturn = true;
      else if (text.charCodeAt(from) === 10) from += 1;
      lineEnd.lastIndex = from;
    }
    this.#keep(text.slice(from));
    return events;
  }

  #keep(piece: string): void {
    if (piece.length === 0) return;
    this.#line.push(piece);
    this.#held += piece.length;
  }

  #endLine(events: ServerSentEvent[], finished = true): void {
    const line = this.#line.length === 1 ? (this.#line[0] ?? '') : this.#line.join('');
    this.#line = [];
    if (line === '') this.#dispatch(events, true);
    else if (line.startsWith('{')) {
      this.#held -= line.length;
      events.push({ type: '', data: line, error: null, finished });
    } else this.#field(line);
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const start = colon < 0 ? line.length : line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1;
    const value = line.slice(start);
    if (name === 'data') this.#data.push(value);
    else if (name === 'error') this.#error.push(value);
    else if (name === 'event') this.#type = value;
    // A comment or a field we do not read takes no room after its line.
    else {
      this.#held -= line.length;
      if (colon === 0) this.#comments += 1;
    }
  }

  #dispatch(events: ServerSentEvent[], finished: boolean): void {
    if (this.#data.length > 0 || this.#error.length > 0) {
      const error = this.#error.length > 0 ? this.#error.join('\n') : null;
      events.push({ type: this.#type, data: this.#data.join('\n'), error, finished });
    }
    this.#type = '';
    this.#data = [];
    this.#error = [];
    this.#held = 0;
  }
}
