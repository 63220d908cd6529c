import { isEventType } from '../../core/secrets/redact-event.ts';
import { isDurable } from '../../protocol/durable-event.ts';
import type { DurableEvent, Recorded } from '../../protocol/event.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../protocol/json.ts';

/**
 * The format of a session's log. Every line is one JSON object ended by a line feed, and its last key is `sum`: eight
 * hexadecimal digits, the CRC-32 of the line's bytes before `,"sum"`.
 *
 *     {"log":"aish","version":3,"sum":"…"}
 *     {"seq":1,"at":1700000000000,"event":{"type":"session.created",…},"sum":"…"}
 *
 * The first line is a header. A later header says that the lines after it have another version: a log begun by an older
 * release is continued without being rewritten. `seq` counts from 1 without a gap, so a lost line is noticed.
 */

/** The version this release writes. A change of an event's shape raises it and adds an upcaster. */
export const LOG_VERSION = 3;

/** The upcaster from version n stands at index n - 1; the last one ends at `LOG_VERSION`. */
const UPCASTERS: readonly Upcaster[] = [shareReport, renameFields];

/** A header, an event, or a damaged line. */
export type LogLine =
  | { readonly type: 'header'; readonly version: number }
  | { readonly type: 'record'; readonly seq: number; readonly at: number; readonly event: JsonObject }
  | { readonly type: 'damaged' };

/** Length of `,"sum":"xxxxxxxx"}`. */
const TAIL = 18;
const DAMAGED: LogLine = { type: 'damaged' };

/** The line that opens a log. */
export function formatHeader(): string {
  return sealLine({ log: 'aish', version: LOG_VERSION });
}

/** The line of one event. */
export function formatRecord(recorded: Recorded): string {
  return sealLine({ seq: recorded.seq, at: recorded.at, event: recorded.event });
}

/** A line with its sum. */
export function sealLine(content: object): string {
  const open = JSON.stringify(content).slice(0, -1);
  const sum = Bun.hash.crc32(open).toString(16).padStart(8, '0');
  return `${open},"sum":"${sum}"}\n`;
}

/** Reads the line between two offsets, without its line feed. */
export function parseLine(bytes: Buffer, start: number, end: number): LogLine {
  const sealed = end - TAIL;
  if (sealed <= start) return DAMAGED;
  const content = parseJsonObject(bytes.toString('utf8', start, end));
  if (content === null) return DAMAGED;
  const intact = Number.parseInt(String(content.sum), 16) === Bun.hash.crc32(bytes.subarray(start, sealed));
  // A header counts even with a wrong sum: a later release may count differently, and its logs must not be cut.
  if (content.log === 'aish' && typeof content.version === 'number')
    return intact || content.version > LOG_VERSION ? { type: 'header', version: content.version } : DAMAGED;
  const { seq, at, event } = content;
  if (!intact || typeof seq !== 'number' || typeof at !== 'number') return DAMAGED;
  return isJsonObject(event) && typeof event.type === 'string' ? { type: 'record', seq, at, event } : DAMAGED;
}

/** A whole line of a log, and where its line feed stands. */
export interface PlacedLine {
  readonly line: LogLine;
  readonly end: number;
}

/** The whole lines of some bytes; what follows the last line feed is none. */
export function* linesIn(bytes: Buffer, from = 0): Generator<PlacedLine> {
  let start = from;
  for (let end = bytes.indexOf(10, start); end !== -1; end = bytes.indexOf(10, start)) {
    yield { line: parseLine(bytes, start, end), end };
    start = end + 1;
  }
}

/** The readable part of a log. */
export interface LogContent {
  /** The events this release knows. */
  readonly recorded: readonly Recorded[];
  /** Number of the last event, known or not. */
  readonly last: number;
  /** Unknown kinds of events, from a newer release. They stay in the file. */
  readonly unknown: readonly string[];
  /** Version of the last header; null if no header is readable. */
  readonly version: number | null;
  /** Intact bytes; the rest is torn or damaged. */
  readonly goodBytes: number;
  /** True if complete lines follow the bad line: damage, not an incomplete write. */
  readonly damagedInside: boolean;
}

/** Reads lines up to the first that is incomplete, damaged or out of order. A newer version ends the reading. */
export function parseLog(bytes: Buffer, upcasters: readonly Upcaster[] = UPCASTERS): LogContent {
  const recorded: Recorded[] = [];
  const unknown = new Set<string>();
  let version: number | null = null;
  let last = 0;
  let start = 0;
  for (const { line, end } of linesIn(bytes)) {
    if (line.type === 'header') version = line.version;
    else if (line.type === 'damaged' || version === null || line.seq !== last + 1) break;
    else {
      const event = upcast(line.event, version, upcasters);
      last = line.seq;
      if (isEventType(event.type) && isDurable(event)) recorded.push({ seq: line.seq, at: line.at, event });
      else unknown.add(String(event.type));
    }
    if (version !== null && version > upcasters.length + 1) break;
    start = end + 1;
  }
  return {
    recorded,
    last,
    unknown: [...unknown],
    version,
    goodBytes: start,
    damagedInside: [...linesIn(bytes, start)].some(({ line }) => line.type !== 'damaged'),
  };
}

/** An event in the shape of this release. */
export function upcast(event: JsonObject, version: number, upcasters: readonly Upcaster[] = UPCASTERS): DurableEvent {
  let current = event;
  for (let at = version - 1; at < upcasters.length; at += 1) current = upcasters[at]?.(current) ?? current;
  // The checksum proves that aish wrote the line so, and its version names its shape.
  return current as unknown as DurableEvent;
}

/** Turns an event of one version of the log into that of the next. */
export type Upcaster = (event: JsonObject) => JsonObject;

/** Version 1 to 2: an estimate and a dry run share one report of changes. */
export function shareReport(event: JsonObject): JsonObject {
  if (event.type === 'call.measured') {
    const { blast: report = null, ...rest } = event;
    return { ...rest, report };
  }
  if (event.type !== 'rehearsal.completed' || !isJsonObject(event.report)) return event;
  const { outside = [], differences = [], ...report } = event.report;
  return { ...event, report: { ...report, effects: [], hosts: [], unknown: outside, notes: differences } };
}

const TYPES: Readonly<Record<string, string>> = {
  'call.measured': 'impact.estimated',
  'checkpoint.sealed': 'checkpoint.finalized',
  'rehearsal.started': 'dry-run.started',
  'rehearsal.completed': 'dry-run.completed',
  'rehearsal.dropped': 'dry-run.discarded',
  'rehearsal.applying': 'dry-run.applying',
  'rehearsal.applied': 'dry-run.applied',
  'request.framed': 'request.prefixed',
  'restore.asked': 'restore.conflicted',
  'restore.dropped': 'restore.abandoned',
  'taint.lifted': 'taint.cleared',
};

const FIELDS: Readonly<Record<string, string>> = {
  seat: 'client',
  frame: 'prefix',
  question: 'prompt',
  dropped: 'discarded',
};
const SETTINGS: Readonly<Record<string, string>> = { unasked: 'autoRun', pictureLimits: 'snapshotLimits' };
const PREVIEW: Readonly<Record<string, string>> = { judged: 'decided', told: 'repeated' };
const DECIDED: Readonly<Record<string, string>> = { floors: 'hardDenials', unasked: 'autoRun' };
/** Fields that name the user. */
const BY_USER: readonly string[] = ['by', 'driver', 'reason'];
const WORK: Readonly<Record<string, string>> = { question: 'approval', rehearsal: 'dry-run' };

/** Version 2 to 3: events and their fields have the terms of the field. */
export function renameFields(event: JsonObject): JsonObject {
  const renamed = renameKeys(event, FIELDS);
  return {
    ...renamed,
    type: TYPES[String(event.type)] ?? event.type ?? null,
    ...inside(renamed, 'settings', (settings) => renameKeys(settings, SETTINGS)),
    ...inside(renamed, 'preview', renamePreview),
    ...inside(renamed, 'record', renameUser),
    ...inside(renamed, 'lost', renameUser),
    ...inside(renamed, 'report', (report) => ({ ...report, ...inside(report, 'record', renameUser) })),
    ...(Array.isArray(renamed.running) ? { running: renamed.running.map(renameWork) } : {}),
    ...renameUser(pick(renamed, ['by', 'driver', 'reason'])),
  };
}

function renamePreview(preview: JsonObject): JsonObject {
  const renamed = renameKeys(preview, PREVIEW);
  return { ...renamed, ...inside(renamed, 'decided', (decided) => renameKeys(decided, DECIDED)) };
}

function renameUser(content: JsonObject): JsonObject {
  const isRenamed = (key: string, value: unknown) => BY_USER.includes(key) && value === 'person';
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, isRenamed(key, value) ? 'user' : value]),
  );
}

function renameWork(work: JsonObject[string]): JsonObject[string] {
  return isJsonObject(work) ? { ...work, what: WORK[String(work.what)] ?? work.what ?? null } : work;
}

function renameKeys(content: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [names[key] ?? key, value]));
}

function pick(content: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(content).filter(([key]) => keys.includes(key)));
}

function inside(content: JsonObject, key: string, change: (inner: JsonObject) => JsonObject): JsonObject {
  const inner = content[key];
  return isJsonObject(inner) ? { [key]: change(inner) } : {};
}
