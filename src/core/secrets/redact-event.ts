import type { CommandRecord } from '../../protocol/command.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import { isJsonObject, mapTexts, omitUndefined } from '../../protocol/json.ts';
import type { AnswerOrigin, Message, MessageToolCall, OfferedTool } from '../../protocol/model.ts';
import type { CallPreview } from '../../protocol/tool.ts';

/** The ways to redact a text. */
export interface Cover {
  /** Redacts known secrets and text that looks secret, in text that is only read. */
  readonly text: (text: string) => string;
  /** Redacts known secrets only, in text with a meaning to programs, such as the arguments of a call. */
  readonly known: (text: string) => string;
  /** Redacts a typed line, in which the position reveals a password; `text` is used if absent. */
  readonly line?: (line: string) => string;
  /** Redacts the arguments of a call, which are JSON; `redactArguments` is used if absent. */
  readonly args?: (text: string) => string;
  /** The set of known secrets: another object as soon as there are more. */
  readonly edition?: () => object;
}

/** How a field is redacted: as text, as JSON with its key names, as a command record, or field by field. */
type Rule<T> = T extends string
  ? 'text' | 'known' | 'line'
  : T extends readonly (infer E)[]
    ? Rule<E>
    : T extends object
      ? 'json' | 'record' | Fields<T>
      : never;
type Fields<T> = { readonly [K in keyof T]?: Rule<NonNullable<T[K]>> };
const ERROR = { message: 'text', hint: 'text' } as const;
const REFUSED = { path: 'known', why: 'text' } as const;
const EFFECT = { path: 'known', detail: 'known', command: 'known' } as const;
const CHANGES = { effects: { samples: 'known' }, hosts: 'known', unknown: 'known', unexplained: EFFECT, notes: 'known' } as const;
const SOURCES = { name: 'known' } as const;

/** The approval prompt shows what would run, so the preview redacts no more than the call. */
const PREVIEW = {
  diff: 'known',
  problem: 'text',
  why: 'text',
  again: 'text',
  hook: 'text',
  taint: { sources: SOURCES, reach: 'text' },
  decided: { reasons: 'known', effects: EFFECT },
} as const satisfies Fields<CallPreview>;

/** The model's own arguments stay unchanged: a file it writes may contain text that looks like a key. */
const CALL = { name: 'known', arguments: 'json', invalid: 'text' } as const;

/** The fields of each event that may contain a secret. Ids, directories and snapshots stay unchanged. */
const RULES = {
  'session.created': {},
  'session.forked': {},
  'session.recalled': { record: 'record' },
  'session.summarized': {},
  'session.resumed': { lost: 'record' },
  'session.named': { name: 'text' },
  'settings.changed': {},
  'history.imported': { messages: { text: 'text' } },
  'turn.started': { text: 'text', attachment: 'text', files: { text: 'text' } },
  'hook.added': { command: 'known', text: 'text' },
  'turn.stop-requested': {},
  'turn.tainted': { sources: SOURCES },
  'turn.ended': { text: 'text', error: ERROR },
  'taint.cleared': {},
  'step.completed': { text: 'text', reasoning: 'text', printed: 'text', calls: CALL },
  'approval.requested': { preview: PREVIEW },
  // The record must show what runs: in an edited command and its new rules only known secrets are redacted.
  'approval.decided': { rule: 'known', reason: 'text', commands: 'known', command: 'known', preview: PREVIEW },
  // A server that names a field or a choice by a secret gets no use of it; others keep their names.
  'form.requested': {
    request: {
      message: 'text',
      url: 'known',
      fields: { name: 'known', title: 'text', about: 'text', preset: 'known', options: { value: 'known', title: 'text' } },
    },
  },
  'form.answered': {},
  'impact.estimated': { report: CHANGES },
  'tool-call.started': {},
  'tool-call.sampled': {},
  'request.counted': {},
  'tool-call.completed': { text: 'text', record: 'record', output: 'record' },
  'command.started': { line: 'line' },
  'command.completed': { record: 'record' },
  'checkpoint.created': { checkpoint: { label: 'text' } },
  'checkpoint.finalized': { error: ERROR },
  'checkpoint.skipped': { why: 'text' },
  'restore.started': {},
  // Keys identify the answer, so they stay unchanged.
  'restore.conflicted': {
    prompt: { label: 'text', conflicts: { ...REFUSED, mine: 'text', theirs: 'text', diff: 'text', merged: 'text' }, refused: REFUSED },
  },
  'restore.resolved': {},
  'restore.abandoned': {},
  'restore.completed': { label: 'text', report: { restored: 'known', removed: 'known', kept: 'known', refused: REFUSED }, error: ERROR },
  'dry-run.started': { line: 'known' },
  'dry-run.completed': {
    report: { ...CHANGES, record: 'record', items: { path: 'known', about: 'known', from: 'known', warnings: 'known', diff: 'known' } },
    error: ERROR,
  },
  'dry-run.applying': {},
  'dry-run.applied': { report: { applied: 'known', left: 'known', conflicts: REFUSED }, error: ERROR },
  'dry-run.discarded': {},
  // The contract is what the user approved, and its checks must run as approved: only known secrets are redacted.
  'contract.started': { contract: { goal: 'known', until: 'known' } },
  'contract.resumed': { contract: { goal: 'known', until: 'known' } },
  'contract.paused': {},
  'contract.continued': {},
  'contract.steered': { message: { text: 'text', attachment: 'text', files: { text: 'text' } } },
  'contract.planned': { items: { text: 'text' } },
  'contract.checked': { records: 'record' },
  'contract.fenced': { fence: { path: 'known', call: 'known' } },
  'contract.ended': { summary: { failing: 'known', open: 'text' }, fence: { path: 'known', call: 'known' }, error: ERROR },
  'compaction.started': { focus: 'text' },
  'context.compacted': { compaction: { summary: 'text', kept: 'text' } },
  'compaction.failed': { error: ERROR },
  'context.window': {},
  'explorer.event': {},
  'request.sent': {},
  // An older log may contain a value that became a secret later.
  'request.prefixed': { prefix: { system: 'text', memory: { text: 'text' }, tools: { description: 'text', parameters: 'json' } } },
  // Derived from redacted events.
  'session.halted': {},
  'halt.completed': {},
  'op.rejected': { error: ERROR },
  notice: { text: 'text' },
  // The stream was redacted on arrival.
  'text.delta': {},
  'reasoning.delta': {},
  'tool-call.delta': { name: 'known' },
  'tool-call.progress': { name: 'known', message: 'text' },
  'request.delayed': { delay: { said: 'text' } },
  'request.progress': {},
} as const satisfies { readonly [T in SessionEvent['type']]: Fields<EventOf<T>> };

/** True for a known type of event; a log of a newer release may contain others. */
export function isEventType(type: string): type is SessionEvent['type'] {
  return Object.hasOwn(RULES, type);
}

/** Redacts the secrets of an event. */
export function redactEvent(event: SessionEvent, cover: Cover): SessionEvent {
  if (event.type === 'explorer.event') return { ...event, event: redactFields(event.event, RULES[event.event.type], cover) };
  return redactFields(event, RULES[event.type], cover);
}

type AnyRule = string | { readonly [key: string]: AnyRule | undefined };

function redactFields<T extends object>(value: T, rules: Exclude<AnyRule, string>, cover: Cover): T {
  const copy = { ...value };
  for (const [key, rule] of Object.entries(rules)) {
    const held: unknown = Reflect.get(value, key);
    if (held !== undefined && rule !== undefined) Reflect.set(copy, key, redactValue(held, rule, cover));
  }
  return copy;
}

function redactValue(value: unknown, rule: AnyRule, cover: Cover): unknown {
  if (Array.isArray(value)) return value.map((one) => redactValue(one, rule, cover));
  if (typeof value === 'string') return (rule === 'line' ? (cover.line ?? cover.text) : rule === 'known' ? cover.known : cover.text)(value);
  if (rule === 'record' && isRecord(value)) return redactRecord(value, cover);
  if (typeof rule === 'string') return isJsonObject(value) ? mapTexts(value, cover.known) : value;
  return typeof value === 'object' && value !== null ? redactFields(value, rule, cover) : value;
}

function isRecord(value: unknown): value is CommandRecord {
  return typeof value === 'object' && value !== null && 'driver' in value && 'output' in value;
}

/** How a record is redacted: its output, and its typed line. */
interface RecordCover {
  readonly text: (text: string) => string;
  readonly line?: (line: string) => string;
}

/** Redacts the typed line and the output of a record. */
export function redactRecord(record: CommandRecord, { text: redact, line = redact }: RecordCover): CommandRecord {
  const { gap } = record;
  const clean = { ...record, line: (record.driver === 'user' ? line : redact)(record.line) };
  if (gap === undefined) return { ...clean, output: redact(record.output) };
  const head = redact(record.output.slice(0, gap.from));
  const note = record.output.slice(gap.from, gap.to);
  return {
    ...clean,
    output: head + note + redact(record.output.slice(gap.to)),
    gap: {
      ...gap,
      from: head.length,
      to: head.length + note.length,
      errors: gap.errors.map(({ line, text }) => ({ line, text: redact(text) })),
    },
  };
}

/**
 * Redacts all texts of a message, no matter who wrote them: the last check before it is sent, which also covers older logs. Ids, snapshots
 * and signed parts stay unchanged. Redacted text stays the same, so the server can reuse its cache.
 */
export function redactMessage(message: Message, cover: Cover): Message {
  const content = cover.text(message.content);
  if (message.role !== 'assistant') return { ...message, content };
  const { origin, ...plain } = message;
  const { toolCalls, reasoning } = plain;
  // A provider refuses signed reasoning that was changed.
  const isSame = content === message.content && (reasoning === undefined || cover.text(reasoning) === reasoning);
  return {
    ...plain,
    ...omitUndefined({ origin: origin === undefined || isSame ? origin : unsignedOrigin(origin) }),
    content,
    ...(toolCalls === undefined ? {} : { toolCalls: toolCalls.map((call) => redactCall(call, cover)) }),
    ...(reasoning === undefined ? {} : { reasoning: cover.text(reasoning) }),
  };
}

/** The origin of an answer whose texts were changed: without the items that are signed. Undefined if the provider signs the whole. */
export function unsignedOrigin(origin: AnswerOrigin): AnswerOrigin | undefined {
  if (origin.provider !== 'openai-chat') return undefined;
  const parts = origin.parts.map((part) => {
    if (part.data === undefined) return part;
    const { details: _, ...data } = part.data;
    return { ...part, data };
  });
  return { ...origin, parts };
}

function redactCall(call: MessageToolCall, cover: Cover): MessageToolCall {
  return { ...call, arguments: cover.args?.(call.arguments) ?? redactArguments(call.arguments, cover) };
}

/** Values are redacted before JSON encoding, so a placeholder cannot break the JSON around it. */
export function redactArguments(text: string, { known }: Pick<Cover, 'known'>): string {
  const found: unknown = JSON.parse(text);
  return isJsonObject(found) ? JSON.stringify(mapTexts(found, known)) : text;
}

/** Redacts an offered tool. */
export function redactTool({ name, description, parameters }: OfferedTool, { text, known }: Cover): OfferedTool {
  return { name, description: text(description), parameters: mapTexts(parameters, known) };
}
