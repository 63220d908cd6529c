/*
 * Reasoning that a model writes into the content of its answer, between tags. It is split off while the answer streams, and stands in its
 * old place again in the next request.
 */
import { isJsonObject, type Json, type JsonObject, omitUndefined } from '../../protocol/json.ts';
import type { AnswerOrigin, Message } from '../../protocol/model.ts';
import { REASONING_FIELDS, type ReasoningSource } from './completion-assembler.ts';

/** A piece of an answer. `retract`: all text so far was reasoning, because its end came without a beginning. */
type ThoughtPiece = { readonly type: 'text' | 'reasoning'; readonly text: string } | { readonly type: 'retract' };

/** The tags around reasoning in the content of an answer. `open` is empty if the chat template had opened it. */
interface ThoughtTags {
  readonly open: string;
  readonly close: string;
}

interface TagPair extends ThoughtTags {
  /** `anywhere`: a token that no other text has. `line`: an XML name that answers may use, so only at the beginning of a line. */
  readonly where: 'anywhere' | 'inline' | 'line';
}

/** The tags by which models mark their reasoning. */
const TAGS: readonly TagPair[] = [
  { open: '<think>', close: '</think>', where: 'inline' },
  { open: '<thinking>', close: '</thinking>', where: 'inline' },
  { open: '<thought>', close: '</thought>', where: 'line' },
  { open: '<thoughts>', close: '</thoughts>', where: 'line' },
  { open: '<reasoning>', close: '</reasoning>', where: 'line' },
  { open: '<seed:think>', close: '</seed:think>', where: 'anywhere' },
  { open: '<mm:think>', close: '</mm:think>', where: 'anywhere' },
  { open: '<longcat_think>', close: '</longcat_think>', where: 'anywhere' },
  { open: '<antthinking>', close: '</antthinking>', where: 'anywhere' },
  { open: '[think]', close: '[/think]', where: 'anywhere' },
  { open: '◁think▷', close: '◁/think▷', where: 'anywhere' },
  { open: '<|think|>', close: '<|/think|>', where: 'anywhere' },
  { open: '<|thinking|>', close: '<|/thinking|>', where: 'anywhere' },
  { open: '<|begin_of_thought|>', close: '<|end_of_thought|>', where: 'anywhere' },
  { open: '<|start_thinking|>', close: '<|end_thinking|>', where: 'anywhere' },
  { open: '<|thought_start|>', close: '<|thought_end|>', where: 'anywhere' },
  { open: '<|inner_prefix|>', close: '<|inner_suffix|>', where: 'anywhere' },
  { open: '<|open|>think<|sep|>', close: '<|close|>think<|sep|>', where: 'anywhere' },
  { open: '<think:opensource>', close: '</think:opensource>', where: 'anywhere' },
  { open: '[unused16]', close: '[unused17]', where: 'anywhere' },
  { open: '<|channel|>analysis<|message|>', close: '<|end|>', where: 'anywhere' },
  { open: '<|channel>thought\n', close: '<channel|>', where: 'anywhere' },
  { open: '<unused94>thought\n', close: '<unused95>', where: 'anywhere' },
];

/** Marks in front of an answer that only say that it begins. */
const ANSWER_MARKS: readonly string[] = [
  ...['<|start|>assistant<|channel|>final<|message|>', '<|channel|>final<|message|>', '<|start_response|>'],
  ...['<|start_header_id|>assistant<|end_header_id|>\n\n', '<|im_start|>assistant\n', '<|open|>response<|sep|>'],
];

/** Marks of chat templates behind a whole answer, which some servers leave in the text. */
const TURN_ENDS: readonly string[] = [
  ...['<|im_end|>', '<|eot_id|>', '<|eom_id|>', '<|endoftext|>', '<|end_of_text|>', '<|end_of_turn|>', '<|return|>', '<end_of_turn>'],
  ...['<｜end▁of▁sentence｜>', '</s>', '<|end_response|>', '<|close|>response<|sep|>', '<|close|>message<|sep|>'],
];

/** Ends that may come without a beginning. */
const LONE_ENDS: readonly TagPair[] = TAGS.filter(({ where, close }) => where !== 'line' && !close.startsWith('<|end|>'));

/** Signs with which a tag begins. */
const SIGN = /[<[◁]/;

/** Signs in front of a tag that is only mentioned, and behind it. */
const QUOTED = /[`"'“„«‘(]$/;
const MENTIONED = /^[\s,.;:!?`"'”’»)]/;

/** A thought of these signs stands for one, in a text about tags. */
const ELLIPSIS = /^[\s.…]*$/;

interface Options {
  /** The chat template opens the reasoning, so that the answer begins inside of it. */
  readonly isOpen?: boolean;
  /** The server sent the reasoning apart from the text, so an end without a beginning is text. */
  readonly isApart?: boolean;
}

/**
 * Splits reasoning in tags from a streamed answer, wherever the stream is cut. A text may also mention a tag: in code, in quotation marks,
 * or in a sentence. Such a tag stays in the text.
 */
export class ThinkSplitter {
  /** Text that may be the beginning of a tag. */
  #held = '';
  /** The open tags; null in the text. */
  #open: ThoughtTags | null = null;
  /** Reasoning that began inside of the text: without an end it is text. */
  #inside: string | null = null;
  #line = '';
  #isFenced = false;
  #hasText = false;
  /** The text mentions a tag, so it may mention its end. */
  #isMentioned = false;
  #tags: ThoughtTags | null = null;
  #isApart: boolean;
  /** Reasoning of an answer that should have begun inside of it; without an end it is the answer. */
  #unopened: string | null;

  constructor({ isOpen = false, isApart = false }: Options = {}) {
    this.#unopened = isOpen ? '' : null;
    this.#isApart = isApart;
  }

  /** The tags of the first thought; null if there is none. */
  get tags(): ThoughtTags | null {
    return this.#tags;
  }

  /** The server sends reasoning apart. */
  setApart(): void {
    this.#isApart = true;
    if (this.#unopened === '') this.#unopened = null;
  }

  /** Takes the next piece of the content. */
  push(text: string): ThoughtPiece[] {
    return this.#read(text, false);
  }

  /** Ends the answer. */
  end(): ThoughtPiece[] {
    const pieces = this.#read('', true);
    const text = this.#unopened ?? (this.#inside === null ? '' : (this.#open?.open ?? '') + this.#inside);
    this.#unopened = null;
    this.#inside = null;
    return text === '' ? pieces : [...pieces, { type: 'text', text }];
  }

  #read(text: string, isEnd: boolean): ThoughtPiece[] {
    const pieces: ThoughtPiece[] = [];
    let rest = this.#held + text;
    this.#held = '';
    while (rest !== '') {
      const at = rest.search(SIGN);
      const plain = at === -1 ? rest : rest.slice(0, at);
      this.#emit(plain, pieces);
      rest = rest.slice(plain.length);
      if (rest === '') break;
      const taken = this.#takeTag(rest, isEnd, pieces);
      if (taken === null) {
        this.#held = rest;
        break;
      }
      if (taken === 0) this.#emit(rest.slice(0, 1), pieces);
      rest = rest.slice(Math.max(1, taken));
    }
    return pieces;
  }

  /** The length of the tag that the rest begins with; 0 for none, null if more must come first. */
  #takeTag(rest: string, isEnd: boolean, pieces: ThoughtPiece[]): number | null {
    const low = rest.slice(0, 64).toLowerCase();
    if (this.#open !== null || this.#unopened !== null) return this.#takeEnd(low, isEnd, pieces);
    const mark = this.#hasText ? undefined : ANSWER_MARKS.find((one) => low.startsWith(one));
    if (mark !== undefined) return mark.length;
    const tag = TAGS.find(({ open }) => low.startsWith(open));
    const follower = tag === undefined ? '' : low.slice(tag.open.length);
    if (tag !== undefined && (follower !== '' || isEnd || !this.#hasText)) {
      if (!this.#mayOpen(tag, follower)) {
        this.#isMentioned = true;
        return 0;
      }
      this.#open = { open: rest.slice(0, tag.open.length), close: tag.close };
      this.#tags ??= this.#open;
      this.#inside = this.#hasText ? '' : null;
      return tag.open.length;
    }
    const lone = LONE_ENDS.find(({ close }) => low.startsWith(close));
    if (lone !== undefined) {
      const isLone = this.#mayEnd(low.slice(lone.close.length), isEnd);
      if (isLone) this.#retract(lone, pieces);
      return isLone === null ? null : isLone ? lone.close.length : 0;
    }
    const last = TURN_ENDS.find((one) => low.startsWith(one));
    if (last !== undefined && endsTurn(rest, isEnd) && !this.#isMark(last)) return isEnd ? rest.length : null;
    const all = [...TAGS.map(({ open }) => open), ...LONE_ENDS.map(({ close }) => close), ...ANSWER_MARKS, ...TURN_ENDS];
    return !isEnd && all.some((one) => one.startsWith(low)) ? null : 0;
  }

  #takeEnd(low: string, isEnd: boolean, pieces: ThoughtPiece[]): number | null {
    const ends = this.#open === null ? LONE_ENDS : [this.#open];
    const end = ends.find(({ close }) => low.startsWith(close));
    if (end === undefined) return !isEnd && ends.some(({ close }) => close.startsWith(low)) ? null : 0;
    this.#close(end, pieces);
    return end.close.length;
  }

  #close(end: ThoughtTags, pieces: ThoughtPiece[]): void {
    const inside = this.#inside;
    if (inside !== null && ELLIPSIS.test(inside)) {
      const whole = `${this.#open?.open ?? ''}${inside}${end.close}`;
      this.#open = null;
      this.#inside = null;
      this.#emit(whole, pieces);
      return;
    }
    this.#tags ??= { open: this.#open?.open ?? '', close: end.close };
    this.#open = null;
    const thought = this.#unopened ?? inside ?? '';
    this.#unopened = null;
    this.#inside = null;
    if (thought !== '') pieces.push({ type: 'reasoning', text: thought });
  }

  /** Whether a tag opens reasoning here, or is only mentioned. */
  #mayOpen({ where }: TagPair, follower: string): boolean {
    if (!this.#hasText) return true;
    if (this.#isCode() || QUOTED.test(this.#line)) return false;
    const isLineStart = this.#line.trim() === '';
    if (where === 'anywhere' || (isLineStart && this.#line.length < 4)) return true;
    return where === 'inline' && follower !== '' && !MENTIONED.test(follower);
  }

  /** Whether an end without a beginning ends reasoning here. Null if more must come first. */
  #mayEnd(follower: string, isEnd: boolean): boolean | null {
    if (this.#tags !== null || this.#isApart) return !this.#hasText;
    if (this.#isMentioned || this.#isCode() || QUOTED.test(this.#line)) return false;
    if (this.#line.trim() === '') return true;
    if (follower === '') return isEnd ? true : null;
    return /^\s*\n/.test(follower) || (!/\s$/.test(this.#line) && !/^[`"'”’»),.;:]/.test(follower));
  }

  /** True where the end of a turn is mentioned, or ends a word that is struck out. */
  #isMark(end: string): boolean {
    return this.#isCode() || QUOTED.test(this.#line) || /\S\s+$/.test(this.#line) || (end === '</s>' && this.#line.includes('<s>'));
  }

  #isCode(): boolean {
    return this.#isFenced || (this.#line.split('`').length - 1) % 2 === 1;
  }

  #retract(end: TagPair, pieces: ThoughtPiece[]): void {
    if (!this.#hasText) return;
    this.#tags ??= { open: '', close: end.close };
    this.#hasText = false;
    this.#line = '';
    this.#isFenced = false;
    pieces.push({ type: 'retract' });
  }

  #emit(text: string, pieces: ThoughtPiece[]): void {
    if (text === '') return;
    if (this.#unopened !== null) this.#unopened += text;
    else if (this.#inside !== null) this.#inside += text;
    else if (this.#open !== null) pieces.push({ type: 'reasoning', text });
    else this.#emitText(text, pieces);
  }

  #emitText(text: string, pieces: ThoughtPiece[]): void {
    // The blank lines between the reasoning and the text belong to neither.
    const shown = this.#hasText || this.#tags === null ? text : text.trimStart();
    if (shown === '') return;
    this.#hasText ||= shown.trim() !== '';
    const lines = (this.#line + shown).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) if (/^\s*(?:```|~~~)/.test(line)) this.#isFenced = !this.#isFenced;
    pieces.push({ type: 'text', text: shown });
  }
}

/** Whether only marks of the end of a turn follow, or the beginning of such a mark. */
function endsTurn(rest: string, isEnd: boolean): boolean {
  const left = TURN_ENDS.reduce((text, mark) => text.replaceAll(mark, ''), rest.toLowerCase()).trim();
  return left === '' || (!isEnd && TURN_ENDS.some((mark) => mark.startsWith(left)));
}

/** Splits a complete answer. */
export function splitThoughts(content: string, options: Options = {}): { text: string; reasoning: string; tags: ThoughtTags | null } {
  const splitter = new ThinkSplitter(options);
  let text = '';
  let reasoning = '';
  for (const piece of [...splitter.push(content), ...splitter.end()]) {
    if (piece.type === 'text') text += piece.text;
    else if (piece.type === 'reasoning') reasoning += piece.text;
    else {
      reasoning += text;
      text = '';
    }
  }
  return { text, reasoning, tags: splitter.tags };
}

/** The place of the reasoning in an answer of chat completions. The next request sends it back there. */
interface ReasoningPlace extends ReasoningSource {
  /** The tags in the content. */
  readonly tags?: ThoughtTags;
}

/** The origin of an answer of chat completions; undefined if it has no reasoning. */
export function toChatOrigin(
  { text, reasoning }: { readonly text: string; readonly reasoning: string },
  { field, details, tags }: ReasoningPlace,
  model: string,
): AnswerOrigin {
  const data: JsonObject = { field, ...omitUndefined({ open: tags?.open, close: tags?.close, details }) };
  const parts = [{ type: 'reasoning', length: reasoning.length, data } as const, { type: 'text', length: text.length } as const];
  return { provider: 'openai-chat', model, parts };
}

/** The place of the reasoning of a message, if the message came from this model. */
export function placeFor(origin: AnswerOrigin, model: string): ReasoningPlace | null {
  const data = origin.parts.find(({ type }) => type === 'reasoning')?.data;
  if (origin.provider !== 'openai-chat' || origin.model !== model || data === undefined) return null;
  const { field, open, close, details } = data;
  const tags = typeof open === 'string' && typeof close === 'string' ? { tags: { open, close } } : {};
  const items = Array.isArray(details) ? { details: details.filter((one: Json): one is JsonObject => isJsonObject(one)) } : {};
  const known = [...REASONING_FIELDS, 'content' as const].find((name) => name === field);
  return { field: known ?? 'reasoning_content', ...tags, ...items };
}

/** Whether the chat template of a model opens the reasoning, as far as its last answer shows that. */
export function opensReasoning(messages: readonly Message[], model: string): boolean {
  const last = messages.findLast((message) => message.role === 'assistant' && message.origin?.model === model);
  if (last?.role !== 'assistant' || last.origin === undefined) return false;
  return placeFor(last.origin, model)?.tags?.open === '';
}
