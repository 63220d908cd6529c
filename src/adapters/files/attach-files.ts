import { type FileHandle, open, stat } from 'node:fs/promises';
import { locate } from '../../core/commands/place.ts';
import { type Mention, parseMentions } from '../../core/context/mentions.ts';
import { parseAddressed } from '../../core/session/settings.ts';
import { attempt } from '../../core/text/attempt.ts';
import { truncateMiddle } from '../../core/text/truncate.ts';
import type { Config } from '../../protocol/config.ts';
import type { AttachedFile, ImageType } from '../../protocol/model.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { SavedImage } from '../../protocol/tool.ts';
import type { Environment } from '../config/paths.ts';
import * as messages from './messages.ts';
import { targetPath } from './named-file.ts';
import { BINARY_PROBE, listDirectory } from './text-file.ts';

/** The places to look for mentioned files, and the limits of attachments. */
export interface AttachOptions {
  /** Directory of the shell. */
  readonly cwd: string;
  readonly home: string;
  /** The model takes images. */
  readonly images: boolean;
  /** Most characters of all texts together. */
  readonly budget: number;
  /** The MCP servers, whose resources a message may mention as `@alias:uri`. */
  readonly servers?: (() => Promise<ResourceServers | null>) | undefined;
  /** Calls off the reading of a resource. */
  readonly signal?: AbortSignal | undefined;
}

/** The part of the MCP servers that reads resources. */
interface ResourceServers {
  server(alias: string): {
    readResource(uri: string, signal: AbortSignal, options: { readonly isAttached: true }): Promise<string>;
  };
  statuses(): readonly { readonly alias: string }[];
}

/** The attachments of a message, and the notes for the user about them, one line each. */
interface Attachments {
  readonly files: readonly AttachedFile[];
  readonly lines: readonly string[];
  /** Those of the files that are images, to be shown. */
  readonly images: readonly SavedImage[];
}

const MOST_FILES = 20;
/** A text up to this size is read whole, a longer one at both ends. */
const WHOLE_BYTES = 4_000_000;
const END_BYTES = 400_000;
const IMAGE_BYTES = 5_000_000;
/** The limit for all images of a message together, as base64: every later request sends them too. */
const MOST_IMAGE_CHARACTERS = 14_000_000;
/** Half of a small context, in characters, at three of them for a token. */
const CHARACTERS_PER_TOKEN = 1.5;
const MOST_CHARACTERS = 200_000;
const USUAL_CONTEXT = 16_000;

/** Most characters of files in one message for a model of that context, in tokens: half of it, so that the answer has room. */
export function attachmentBudget(context: number | undefined): number {
  return Math.min(MOST_CHARACTERS, Math.floor((context ?? USUAL_CONTEXT) * CHARACTERS_PER_TOKEN));
}

interface AttachmentContext extends Pick<AttachOptions, 'cwd' | 'servers' | 'signal'> {
  readonly config: Config;
  readonly env: Environment;
  readonly settings: Settings;
}

/** Reads the files that a message mentions, as far as its model takes them. */
export async function attachMentioned(
  text: string,
  { config, env, settings, ...place }: AttachmentContext,
): Promise<Attachments> {
  const name = parseAddressed(text, Object.keys(config.models))?.model ?? settings.model;
  const model = name === null ? Object.values(config.models)[0] : config.models[name];
  const images = model?.images === true || (await import('../model/presets.ts')).takesImages(name, env);
  const budget = attachmentBudget(model?.context);
  return attachFiles(text, { ...place, home: env.HOME ?? '/', images, budget });
}

/**
 * Reads the files that a message mentions. A name that may be something else than a file is skipped; a file that cannot be attached throws,
 * so that aish does not send the message without it.
 */
export async function attachFiles(text: string, options: AttachOptions): Promise<Attachments> {
  const found: { readonly mention: Mention; readonly target: Target }[] = [];
  for (const mention of distinct(parseMentions(text))) {
    const target = await find(mention, options);
    if (target !== null) found.push({ mention, target });
  }
  if (found.length > MOST_FILES) throw messages.tooManyFiles(found.length, MOST_FILES);
  const files: AttachedFile[] = [];
  const lines: string[] = [];
  const images: SavedImage[] = [];
  let room = options.budget;
  for (const [at, { mention, target }] of found.entries()) {
    const budget = Math.floor(room / (found.length - at));
    const file = await read(mention, target, { budget, images: options.images });
    if (file === null) {
      lines.push(messages.formatNotAttached(mention.path));
      continue;
    }
    files.push(file);
    lines.push(messages.formatAttached(mention.path, file.about));
    if (file.type === 'text') room -= file.text.length;
    else if (target.type === 'file') images.push({ path: target.path, mime: file.mediaType, bytes: target.size });
  }
  checkImages(files);
  return { files, lines, images };
}

function checkImages(files: readonly AttachedFile[]): void {
  const size = files.reduce((sum, file) => sum + (file.type === 'image' ? file.data.length : 0), 0);
  if (size > MOST_IMAGE_CHARACTERS) throw messages.imagesTooLarge(size * 0.75);
}

function distinct(mentions: readonly Mention[]): readonly Mention[] {
  const key = ({ path, lines }: Mention) => `${path}\0${lines?.join('-') ?? ''}`;
  return mentions.filter((one, at) => mentions.findIndex((other) => key(other) === key(one)) === at);
}

/** The place that a mention names. */
type Target =
  | { readonly type: 'file' | 'folder'; readonly path: string; readonly size: number }
  | { readonly type: 'resource'; readonly read: () => Promise<string> };

/** The file, directory or resource that is meant; null where none need be. */
async function find(mention: Mention, { cwd, home, servers, signal }: AttachOptions): Promise<Target | null> {
  const { named, real } = targetPath(mention.path, cwd);
  const found = await stat(real).catch(() => null);
  const context = { project: cwd, home };
  const refuseSecret = (...paths: readonly string[]): void => {
    if (!mention.forced && paths.some((path) => locate(path, null, context).isSecret))
      throw messages.looksSecret(mention.path);
  };
  if (found === null) {
    const resource = servers === undefined ? null : await findResource(mention.path, servers, signal);
    if (resource !== null) refuseSecret(pathOf(mention.path));
    if (resource !== null || !mention.sure) return resource;
    throw messages.noSuchFile(mention.path, named);
  }
  refuseSecret(named, real);
  if (!found.isFile() && !found.isDirectory()) throw messages.neitherFileNorFolder(mention.path);
  return { type: found.isDirectory() ? 'folder' : 'file', path: real, size: found.size };
}

/** The path in the address of a resource: a server may give the files of this machine. */
function pathOf(mention: string): string {
  const path = mention.replace(/^[\w-]+:(?:[\w.+-]+:)?\/*/, '/').replace(/[?#].*$/, '');
  return attempt(() => decodeURIComponent(path), path);
}

async function findResource(
  path: string,
  servers: NonNullable<AttachOptions['servers']>,
  signal: AbortSignal = new AbortController().signal,
): Promise<Target | null> {
  const [, alias = '', uri = ''] = /^([\w-]+):(.+)$/.exec(path) ?? [];
  const known = uri === '' ? null : await servers();
  if (known?.statuses().some((status) => status.alias === alias) !== true) return null;
  return { type: 'resource', read: () => known.server(alias).readResource(uri, signal, { isAttached: true }) };
}

async function read(
  mention: Mention,
  target: Target,
  limits: { readonly budget: number; readonly images: boolean },
): Promise<AttachedFile | null> {
  switch (target.type) {
    case 'folder':
      return listFolder(mention, target.path, limits.budget);
    case 'file':
      return readOne(mention, target.path, { size: target.size, ...limits });
    case 'resource':
      return { ...toText(mention, await target.read(), limits.budget), server: true };
  }
}

function listFolder({ path }: Mention, place: string, budget: number): AttachedFile {
  try {
    const { count, list } = listDirectory(place);
    return { type: 'text', path, about: messages.formatFolder(count), text: truncateMiddle(list, budget) };
  } catch (cause) {
    throw messages.unreadableFile(path, cause);
  }
}

/** Null for an image that the model would not take, whatever its size. */
async function readOne(
  mention: Mention,
  place: string,
  { size, budget, images }: { readonly size: number; readonly budget: number; readonly images: boolean },
): Promise<AttachedFile | null> {
  const { path } = mention;
  const handle = await open(place).catch((cause) => {
    throw messages.unreadableFile(path, cause);
  });
  try {
    const head = await readAt(handle, 0, Math.min(size, BINARY_PROBE));
    const mediaType = imageType(head);
    if (mediaType !== null && !images) return null;
    if (mediaType !== null) return await readImage(mention, handle, size, mediaType);
    if (head.includes(0)) throw messages.binaryFile(path);
    if (size > WHOLE_BYTES) return await readEnds(mention, handle, size, budget);
    return toText(mention, (await readAt(handle, 0, size)).toString('utf8'), budget);
  } finally {
    await handle.close();
  }
}

async function readImage(
  { path }: Mention,
  handle: FileHandle,
  size: number,
  mediaType: ImageType,
): Promise<AttachedFile> {
  if (size > IMAGE_BYTES) throw messages.imageTooLarge(path, size);
  const data = (await readAt(handle, 0, size)).toString('base64');
  return { type: 'image', path, about: `${Math.ceil(size / 1000)} kB`, mediaType, data };
}

/** Only both ends of a very long text are read; a request for lines needs a count of them. */
async function readEnds(
  { path, lines }: Mention,
  handle: FileHandle,
  size: number,
  budget: number,
): Promise<AttachedFile> {
  if (lines !== undefined) throw messages.tooLongToCount(path, size, lines);
  const head = await readAt(handle, 0, END_BYTES);
  const tail = await readAt(handle, size - END_BYTES, END_BYTES);
  const text = `${head.toString('utf8')}\n[…]\n${tail.toString('utf8')}`;
  return { type: 'text', path, about: messages.formatEnds(size), text: truncateMiddle(text, budget) };
}

function toText({ path, lines }: Mention, whole: string, budget: number): Extract<AttachedFile, { type: 'text' }> {
  const all = whole.replace(/\n$/, '').split('\n');
  const total = whole === '' ? 0 : all.length;
  const [from, to] = lines ?? [1, total];
  if (from > total && lines !== undefined) throw messages.noSuchLines(path, total, from);
  const last = Math.min(to, total);
  const picked = lines === undefined ? whole : all.slice(from - 1, to).join('\n');
  const text = truncateMiddle(picked, budget);
  const about = messages.formatPart(total, lines === undefined ? null : [from, last], text === picked);
  return { type: 'text', path, about, text };
}

async function readAt(handle: FileHandle, position: number, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await handle.read(bytes, 0, size, position);
  return bytes.subarray(0, bytesRead);
}

/** The kind of image by its first bytes, whatever its name says. */
function imageType(head: Buffer): ImageType | null {
  const text = head.subarray(0, 16).toString('latin1');
  if (text.startsWith('\x89PNG\r\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'image/gif';
  return text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP' ? 'image/webp' : null;
}
