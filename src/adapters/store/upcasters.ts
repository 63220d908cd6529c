import { isJsonObject, type JsonObject } from '../../protocol/json.ts';

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
