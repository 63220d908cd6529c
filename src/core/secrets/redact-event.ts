import type { CommandRecord } from '../../protocol/command.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import { isJsonObject, mapTexts } from '../../protocol/json.ts';
import type { Message, MessageToolCall, ModelRequest, OfferedTool } from '../../protocol/model.ts';
import type { CallPreview } from '../../protocol/tool.ts';

/** How secrets are taken out of a text. */
export interface Cover {
  /** What is known to be secret, and what looks like it: for text that is only read. */
  readonly text: (text: string) => string;
  /** Only what is known: for text that means something to a program, such as the arguments of a call. */
  readonly known: (text: string) => string;
  /** A line that a user typed, where a password is told by its place; as any text where this is missing. */
  readonly line?: (line: string) => string;
}

/** How a field is redacted: a text, every text in a JSON value with the names of its keys, the record of a command, or field by field. */
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

/** The question shows what would run, so what stands in the call is not taken for more than it is there. */
const PREVIEW = {
  diff: 'known',
  problem: 'text',
  why: 'text',
  again: 'text',
  taint: { sources: SOURCES, reach: 'text' },
  decided: { reasons: 'known', effects: EFFECT },
} as const satisfies Fields<CallPreview>;

/** The model's own words about a call stay its own: a file it writes may hold what looks like a key and is none. */
const CALL = { name: 'known', arguments: 'json', invalid: 'text' } as const;

/** The fields of each fact that may hold a secret; ids, directories and snapshots are left as they are. */
const RULES = {
  'session.created': {},
  'session.forked': {},
  'session.resumed': { lost: 'record' },
  'session.named': { name: 'text' },
  'settings.changed': {},
  'history.imported': { messages: { text: 'text' } },
  'turn.started': { text: 'text', attachment: 'text', files: { text: 'text' } },
  'turn.stop-requested': {},
  'turn.tainted': { sources: SOURCES },
  'turn.ended': { text: 'text', error: ERROR },
  'taint.cleared': {},
  'step.completed': { text: 'text', reasoning: 'text', calls: CALL },
  'approval.requested': { preview: PREVIEW },
  // What runs is what is recorded: an edited command and the rules that were made of one keep all but what is known.
  'approval.decided': { rule: 'known', reason: 'text', commands: 'known', command: 'known', preview: PREVIEW },
  'impact.estimated': { report: CHANGES },
  'tool-call.started': {},
  'tool-call.completed': { text: 'text', record: 'record' },
  'command.started': { line: 'line' },
  'command.completed': { record: 'record' },
  'checkpoint.created': { checkpoint: { label: 'text' } },
  'checkpoint.finalized': { error: ERROR },
  'checkpoint.skipped': { why: 'text' },
  'restore.started': {},
  // Keys are answered by, so they stay as they are.
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
  'compaction.started': { focus: 'text' },
  'context.compacted': { compaction: { summary: 'text', kept: 'text' } },
  'compaction.failed': { error: ERROR },
  'context.window': {},
  'request.sent': {},
  // An older log may hold what is known to be secret only now.
  'request.prefixed': { prefix: { system: 'text', tools: { description: 'text', parameters: 'json' } } },
  // Made of what was redacted before.
  'session.halted': {},
  'halt.completed': {},
  'op.rejected': { error: ERROR },
  notice: { text: 'text' },
  // What streams was redacted as it came.
  'text.delta': {},
  'reasoning.delta': {},
  'tool-call.delta': { name: 'known' },
} as const satisfies { readonly [T in SessionEvent['type']]: Fields<EventOf<T>> };

/** A fact without the secrets in it. */
export function redactEvent(event: SessionEvent, cover: Cover): SessionEvent {
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

/** How a record is covered: what was printed, and a line that somebody typed. */
interface RecordCover {
  readonly text: (text: string) => string;
  readonly line?: (line: string) => string;
}

/** A record without the secrets in what was typed and printed. */
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
 * A request without secrets in any of its texts, no matter who wrote them: the last look before it leaves,
 * also over what an older log holds. Ids, snapshots and what a server signed stay as they are. Of what
 * was covered before nothing changes, so a server can go on with what it read.
 */
export function redactRequest({ messages, tools }: ModelRequest, cover: Cover): ModelRequest {
  return { messages: messages.map((message) => redactMessage(message, cover)), tools: tools.map((tool) => redactTool(tool, cover)) };
}

function redactMessage(message: Message, cover: Cover): Message {
  const content = cover.text(message.content);
  if (message.role !== 'assistant') return { ...message, content };
  const { toolCalls, reasoning } = message;
  return {
    ...message,
    content,
    ...(toolCalls === undefined ? {} : { toolCalls: toolCalls.map((call) => redactCall(call, cover)) }),
    ...(reasoning === undefined ? {} : { reasoning: cover.text(reasoning) }),
  };
}

/** Values are looked at as they are meant, so nothing that is put in their place can break the JSON around them. */
function redactCall(call: MessageToolCall, { known }: Cover): MessageToolCall {
  const found: unknown = JSON.parse(call.arguments);
  return isJsonObject(found) ? { ...call, arguments: JSON.stringify(mapTexts(found, known)) } : call;
}

/** A tool as it may be offered. */
export function redactTool({ name, description, parameters }: OfferedTool, { text, known }: Cover): OfferedTool {
  return { name, description: text(description), parameters: mapTexts(parameters, known) };
}
