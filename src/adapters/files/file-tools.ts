import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findPathArguments } from '../../core/policy/path-arguments.ts';
import type { SnapshotLimits } from '../../core/session/settings.ts';
import { attempt } from '../../core/text/attempt.ts';
import { formatUnifiedDiff } from '../../core/text/diff.ts';
import { countBytes } from '../../core/text/truncate.ts';
import { AishError, errorCode, formatError, toErrorFact } from '../../protocol/error.ts';
import { type JsonObject, omitUndefined } from '../../protocol/json.ts';
import type { CallPreview, ToolResult } from '../../protocol/tool.ts';
import { checkUndoable } from '../git/object-store/repository.ts';
import { checkPathUndoable, checkPlaceUndoable } from '../git/snapshot/path-undoable.ts';
import * as messages from './messages.ts';
import { NO_FILE, standFor, type TargetPath, targetPath } from './named-file.ts';
import { editText, listDirectory, readLines } from './text-file.ts';

/** The directory of a call, and the signal that stops it. */
interface FileToolContext {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** The real path that was shown before; a call that leads elsewhere by now does nothing. */
  readonly expected?: string;
  /** A fingerprint of the content shown to the user; if the content differs by now, nothing is written. */
  readonly seen?: string | undefined;
  /** How much one snapshot takes in. */
  readonly most?: SnapshotLimits | undefined;
}

interface FilePreview extends CallPreview {
  /** The file that would really be read or written, links followed. */
  readonly path?: string;
  /** Why no checkpoint would hold the file: it is outside the work tree, ignored, or too large. */
  readonly outside?: string;
}

/** A planned write: what is there, and what would be. */
interface Plan {
  readonly path: string;
  readonly old: Stats | null;
  readonly before: Buffer | null;
  readonly after: Buffer;
  readonly summary: string;
}

/** Runs one of the file tools; what goes wrong is a result the model can act on. */
export async function runFileTool(name: string, args: JsonObject, context: FileToolContext): Promise<ToolResult> {
  const call = parseFileCall(name, args);
  if (typeof call === 'string') return { text: call, isError: true };
  try {
    context.signal.throwIfAborted();
    // Resolved once, so that what is checked here is what is read or written below.
    const target = targetPath(call.path, context.cwd);
    guardTarget(call, target, context.expected);
    if (call.type === 'read') return { text: await runRead(call, target, context.signal), isError: false };
    guardContent(target, context.seen);
    const plan = planWrite(call, target);
    replaceFile(plan.path, plan.after, plan.old);
    return { text: plan.summary, isError: false };
  } catch (thrown) {
    if (context.signal.aborted) throw thrown;
    return { text: describeFailure(thrown, call.path), isError: true };
  }
}

/** The path that a call would read or write now, links followed; null if that is unknown. */
export function realTargetOf(name: string, args: JsonObject, cwd: string): string | null {
  const call = parseFileCall(name, args);
  try {
    return typeof call === 'string' ? null : targetPath(call.path, cwd).real;
  } catch (thrown) {
    if (thrown instanceof AishError) return null;
    throw thrown;
  }
}

/** How the file of a call changed since its preview; null if it did not. */
export function changeSince(preview: Pick<CallPreview, 'path' | 'seen'>): string | null {
  const { path, seen } = preview;
  if (path === undefined || seen === undefined) return null;
  const now = standFor(path);
  if (now === seen) return null;
  return messages.formatChange(path, seen === NO_FILE ? 'created' : now === NO_FILE ? 'removed' : 'changed');
}

/** Tells what a call would do, without doing it: the diff, the real path, and whether it can be undone. */
export async function previewFileTool(name: string, args: JsonObject, context: FileToolContext): Promise<FilePreview> {
  const call = parseFileCall(name, args);
  if (typeof call === 'string') return { undoable: true, problem: call };
  let known: FilePreview = { undoable: true };
  try {
    const target = targetPath(call.path, context.cwd);
    const path = target.real;
    known = { undoable: true, path, ...describeLinks(target, context.cwd) };
    if (call.type === 'read') {
      if (await isForeign(path, context)) known = { ...known, foreign: true };
      checkReadable(target);
      return known;
    }
    known = { ...known, ...(await checkPathUndoable(context.cwd, path, context)) };
    // Read before the diff is made: a change in between costs one approval prompt too many, and never one too few.
    known = { ...known, seen: standFor(path) };
    return { ...known, diff: describeChange(planWrite(call, target), context.cwd) };
  } catch (thrown) {
    const foreign = known.path !== undefined && (await isForeign(known.path, context).catch(() => true));
    return { ...known, problem: describeFailure(thrown, call.path), ...(foreign ? { foreign } : {}) };
  }
}

/** True where the arguments of a call alone tell that it fails, wherever it would lead. */
export function failsByArguments(name: string, args: JsonObject): boolean {
  return typeof parseFileCall(name, args) === 'string';
}

/** A directory that was itself entered through a link is where the user is: that is no news to them. */
function describeLinks({ named, real }: TargetPath, cwd: string): { readonly linked?: true } {
  const plain = named.startsWith(`${cwd}/`) ? `${targetPath('.', cwd).real}${named.slice(cwd.length)}` : named;
  return plain === real || named === cwd ? {} : { linked: true };
}

/** git runs only if the directory itself does not answer. */
async function isForeign(path: string, { cwd, signal }: FileToolContext): Promise<boolean> {
  if (isInside(targetPath('.', cwd).real, path)) return false;
  const place = await checkUndoable(cwd, signal);
  return !place.undoable || !isInside(place.root, path);
}

function isInside(directory: string, path: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`);
}

/** Links and directories may have changed between the decision and the operation. */
function guardTarget(call: FileCall, { real }: TargetPath, expected: string | undefined): void {
  if (expected === undefined || real === expected) return;
  throw messages.targetMoved(call.type === 'read' ? 'read' : 'wrote', call.path, real, expected);
}

/** Another program may save the file between the decision and the write. */
function guardContent({ real }: TargetPath, seen: string | undefined): void {
  const changed = changeSince({ path: real, ...omitUndefined({ seen }) });
  if (changed !== null) throw messages.fileChanged(changed);
}

async function runRead(
  call: Extract<FileCall, { type: 'read' }>,
  { real, named }: TargetPath,
  signal: AbortSignal,
): Promise<string> {
  const stat = checkReadable({ real, named });
  if (stat.isDirectory()) return messages.formatDirectory(named, listDirectory(real).list);
  return readLines(real, { offset: call.offset, limit: call.limit, size: stat.size }, signal);
}

/** Checks that a readable file or directory is there. */
function checkReadable({ real, named }: TargetPath): Stats {
  const stat = statTarget(real);
  if (stat === null) throw missing(named, real);
  if (!stat.isFile() && !stat.isDirectory()) throw messages.specialFile(named);
  return stat;
}

function planWrite(call: Extract<FileCall, { type: 'write' | 'edit' }>, { real, named }: TargetPath): Plan {
  const old = statTarget(real);
  if (old?.isDirectory()) throw messages.isDirectory(named);
  if (old !== null && !old.isFile()) throw messages.specialFile(named);
  const before = old === null ? null : readFileSync(real);
  const shown = real === named ? named : `${real} (through ${named})`;
  if (call.type === 'write') {
    const after = Buffer.from(call.content, 'utf8');
    const verb = before === null ? 'created' : 'replaced';
    return { path: real, old, before, after, summary: messages.formatWritten(verb, shown, countBytes(after.length)) };
  }
  if (before === null) throw missing(named, real);
  return { path: real, old, before, ...applyEdit(call, before, shown) };
}

/** Works on bytes, so that every byte around the replacement stays what it was, in any encoding. */
function applyEdit(
  call: Extract<FileCall, { type: 'edit' }>,
  before: Buffer,
  shown: string,
): { after: Buffer; summary: string } {
  if (before.subarray(0, 8192).includes(0)) throw messages.notText(shown);
  const toRaw = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
  const replacement = { old: toRaw(call.old), fresh: toRaw(call.fresh), all: call.all };
  const edited = editText(before.toString('latin1'), replacement);
  if ('problem' in edited) throw new AishError('file.no-match', `${shown}: ${edited.problem}`, { hint: edited.hint });
  return { after: Buffer.from(edited.text, 'latin1'), summary: messages.formatEdited(shown, edited.lines) };
}

function describeChange(plan: Plan, cwd: string): string {
  const inside = relative(cwd, plan.path);
  const path = inside.startsWith('../') ? plan.path.slice(1) : inside;
  if (plan.before?.includes(0) || plan.after.includes(0))
    return messages.formatBinaryChange(plan.path, countBytes(plan.before?.length ?? 0), countBytes(plan.after.length));
  return formatUnifiedDiff({
    path,
    before: plan.before?.toString('utf8') ?? null,
    after: plan.after.toString('utf8'),
  });
}

/** The file at a resolved path; what is still a link there was swapped in since and is not followed. */
function statTarget(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return null;
    throw thrown;
  }
}

function missing(named: string, real: string): AishError {
  const parent = dirname(real);
  return messages.missingFile(
    named,
    parent,
    attempt(() => readdirSync(parent).sort(), null),
  );
}

function describeFailure(thrown: unknown, path: string): string {
  if (thrown instanceof AishError) return formatError(toErrorFact(thrown));
  const code = errorCode(thrown);
  const reason = messages.REASONS[code] ?? (thrown instanceof Error ? thrown.message : String(thrown));
  return messages.formatFailure(path, reason);
}

/** Writes a file in one step: anyone who reads it sees the old content or the new. Rights and owner of an old file are kept. */
function replaceFile(path: string, content: Buffer, old: Stats | null): void {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = join(dirname(path), `.aish-${crypto.randomUUID()}`);
  try {
    writeFileSync(fresh, content, { flag: 'wx', mode: old === null ? 0o666 : 0o600 });
    if (old !== null) keepOwner(fresh, old);
    if (old !== null) chmodSync(fresh, old.mode & 0o7777);
    renameSync(fresh, path);
  } catch (thrown) {
    rmSync(fresh, { force: true });
    throw thrown;
  }
}

function keepOwner(path: string, old: Stats): void {
  if (old.uid === process.getuid?.() && old.gid === process.getgid?.()) return;
  try {
    chownSync(path, old.uid, old.gid);
  } catch {
    // Only root may give files away; the file then belongs to who wrote it.
  }
}

type FileCall =
  | { readonly type: 'read'; readonly path: string; readonly offset: number; readonly limit: number | null }
  | { readonly type: 'write'; readonly path: string; readonly content: string }
  | {
      readonly type: 'edit';
      readonly path: string;
      readonly old: string;
      readonly fresh: string;
      readonly all: boolean;
    };

/** Checks the arguments of a call; a text says what is wrong with them, for the model. */
function parseFileCall(name: string, args: JsonObject): FileCall | string {
  const { path } = args;
  if (typeof path !== 'string' || path === '') return messages.formatPathMissing(name);
  switch (name) {
    case 'aish.read_file':
      return parseRead(path, args);
    case 'aish.write_file':
      if (typeof args.content !== 'string') return messages.CONTENT_MISSING;
      return { type: 'write', path, content: args.content };
    case 'aish.edit_file':
      return parseEdit(path, args);
    default:
      return messages.formatUnknownTool(name);
  }
}

function parseRead(path: string, args: JsonObject): FileCall | string {
  const offset = args.offset ?? 1;
  const limit = args.limit ?? null;
  if (!isCount(offset)) return messages.BAD_OFFSET;
  if (limit !== null && !isCount(limit)) return messages.BAD_LIMIT;
  return { type: 'read', path, offset, limit };
}

function parseEdit(path: string, args: JsonObject): FileCall | string {
  const { old, new: fresh, all = false } = args;
  if (typeof old !== 'string' || typeof fresh !== 'string') return messages.TEXTS_MISSING;
  if (typeof all !== 'boolean') return messages.BAD_ALL;
  if (old === '') return messages.EMPTY_OLD;
  if (old === fresh) return messages.SAME_TEXTS;
  return { type: 'edit', path, old, fresh, all };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}

interface CallContext {
  /** Directory the checkpoint would be made in. */
  readonly cwd: string;
  /** Directory that relative paths among the arguments count from. */
  readonly base: string;
  readonly signal: AbortSignal;
  /** How much one snapshot takes in. */
  readonly most?: SnapshotLimits | undefined;
}

/** Whether a checkpoint would hold every path that the arguments of a call name. Other effects of the tool are unknown. */
export async function checkCallUndoable(
  values: JsonObject,
  { cwd, base, signal, most }: CallContext,
): Promise<CallPreview> {
  const named = findPathArguments(values);
  if (named === null) return { undoable: false, why: messages.TOO_MANY_ARGUMENTS };
  const paths: string[] = [];
  for (const path of named) {
    try {
      paths.push(targetPath(path, base).real);
    } catch (thrown) {
      return { undoable: false, why: formatError(toErrorFact(thrown)) };
    }
  }
  return await checkPlaceUndoable(cwd, [...new Set(paths)], { signal, most });
}
