import { isJsonObject, type Json, type JsonObject, parseJson } from '../../protocol/json.ts';
import type { CompletionDelta, RawToolCall } from '../../protocol/model.ts';
import { firstText, readArguments } from './chunk-shapes.ts';

interface OpenCall {
  /** The index as the server wrote it; null when it wrote none. */
  readonly index: Json;
  id: string;
  name: string;
  arguments: string;
  /** The last piece of the arguments. */
  last: string;
  extra: JsonObject | null;
}

interface CallPart {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** True behind another call in the same list. */
  readonly follows: boolean;
}

/** Most calls one answer may have. */
export const CALL_LIMIT = 1000;

/** Longest arguments that are looked at again to tell where a call without id and index ends. */
const SPLIT_LIMIT = 32 * 1024;

/** The tool calls of one answer while their pieces come. */
export class OpenCalls {
  readonly #makeId: () => string;
  readonly #calls: OpenCall[] = [];

  constructor(makeId: () => string) {
    this.#makeId = makeId;
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  get areTooMany(): boolean {
    return this.#calls.length > CALL_LIMIT;
  }

  /** Takes one piece of a call, tells what it added, and returns its size. */
  take(entry: JsonObject, follows: boolean, deltas: CompletionDelta[]): number {
    const part = isJsonObject(entry.function) ? entry.function : entry;
    const id = firstText(entry.id);
    const name = firstText(part.name);
    const text = readArguments(part.arguments ?? part.parameters ?? part.input);
    const before = this.#calls.length;
    const call = this.#callFor(entry.index ?? null, { id, name, text, follows });
    if (call.id === '') call.id = id;
    if (name !== '' && name !== call.name) {
      if (call.name === '') deltas.push({ type: 'tool-call', name });
      call.name += name;
    }
    const had = call.arguments.length;
    // Some servers send the arguments so far again. Nothing but a repetition begins like the whole before it.
    const repeats = call.arguments.startsWith('{') && text.startsWith(call.arguments);
    call.arguments = repeats ? text : call.arguments + text;
    call.last = text === '' ? call.last : text;
    const grown = (call.arguments.length >> 12) - (had >> 12);
    if (grown > 0) deltas.push({ type: 'tool-call', name: call.name, characters: grown << 12 });
    const extra = isJsonObject(entry.extra_content) ? entry.extra_content : null;
    if (extra !== null) call.extra = { ...call.extra, ...extra };
    const opened = 16 * (this.#calls.length - before);
    return opened + id.length + name.length + text.length + (extra === null ? 0 : JSON.stringify(extra).length);
  }

  /** The whole calls. Extra data without a call of its own signs the whole list, and the first call represents the list. */
  close(extra: JsonObject | null): readonly RawToolCall[] {
    const calls = this.#calls.filter((call) => call.id !== '' || call.name !== '' || call.arguments !== '');
    const [first] = calls;
    if (first !== undefined && calls.every((call) => call.extra === null)) first.extra = extra;
    return calls.map((call) => ({
      id: call.id === '' ? this.#makeId() : call.id,
      name: call.name,
      arguments: /^\s*(null)?\s*$/.test(call.arguments) ? '{}' : withoutRepeat(call),
      ...(call.extra === null ? {} : { extra: call.extra }),
    }));
  }

  /** The call a delta belongs to, or a new one. */
  #callFor(index: Json, part: CallPart): OpenCall {
    const call = index === null ? this.#calls.at(-1) : this.#calls.findLast((open) => open.index === index);
    const { id } = part;
    const last = this.#calls.at(-1);
    // Arguments alone, under a new number, belong to a call that has none.
    if (call === undefined && last?.arguments === '' && last.name !== '' && id === '' && part.name === '') return last;
    if (call !== undefined) {
      // Some servers give each piece an id of its own, and only the first piece has the name.
      const goesOn = index !== null && part.name === '' && call.name !== '';
      const another = id !== '' && id !== call.id && !goesOn && (index === null || call.id !== '');
      if (!another && !(index === null && id === '' && beginsAnother(call, part))) return call;
    }
    const opened: OpenCall = { index, id: '', name: '', arguments: '', last: '', extra: null };
    this.#calls.push(opened);
    return opened;
  }
}

/** The arguments without a last piece that came twice, if that makes them whole. */
function withoutRepeat({ arguments: text, last }: OpenCall): string {
  const once = text.slice(0, text.length - last.length);
  const isRepeated = last !== '' && once.endsWith(last) && parseJson(text) === undefined && isJsonObject(parseJson(once));
  return isRepeated ? once : text;
}

/** A call with neither index nor id that has a name: beside another in one list, or with new arguments behind whole ones. */
function beginsAnother(call: OpenCall, part: CallPart): boolean {
  if (call.name === '' || part.name === '') return false;
  if (part.follows) return true;
  if (!part.text.trimStart().startsWith('{')) return false;
  return call.arguments.length <= SPLIT_LIMIT && isJsonObject(parseJson(call.arguments));
}
