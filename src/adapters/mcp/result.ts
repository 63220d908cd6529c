import { attempt } from '../../core/text/attempt.ts';
import { isJsonObject, type Json, type JsonObject, omitUndefined } from '../../protocol/json.ts';
import type { ReturnedFile, ToolResult } from '../../protocol/tool.ts';
import type { Sdk } from './http-transport.ts';
import {
  EMPTY_RESOURCE,
  FAILED_SILENTLY,
  formatBadStructure,
  NOT_STRUCTURED,
  NOTHING_RETURNED,
  notAnAnswer,
  notAResult,
  UNKNOWN_TYPE,
  UNREADABLE_SCHEMA,
} from './messages.ts';

/** A block of a result, in the words of the protocol. Binary data is base64. */
export type ResultBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly mimeType: string; readonly data: string }
  | {
      readonly type: 'resource';
      readonly uri: string;
      readonly mimeType: string;
      readonly text?: string;
      readonly data?: string;
    }
  | { readonly type: 'resource_link'; readonly uri: string; readonly mimeType: string };

/** The result of a server's tool: its text for the model, and all that came. */
export interface ServerResult extends ToolResult {
  readonly blocks: readonly ResultBlock[];
  /** The structured content, if there is any. */
  readonly structured?: Json;
  readonly warnings: readonly string[];
}

/** The output schema of a tool, and the package that can check it. */
export interface OutputPromise {
  readonly sdk: Pick<Sdk, 'fromJsonSchema'>;
  readonly schema: JsonObject;
}

/**
 * Reads a `tools/call` result. Its text holds all blocks in order, those other than text by a label; aish fetches nothing. `promise`: what
 * the server has promised for the structured content.
 */
export function toServerResult(value: unknown, promise: OutputPromise | null = null): ServerResult {
  if (!isToolResult(value)) throw notAResult();
  const isError = value.isError === true;
  const structured = value.structuredContent ?? undefined;
  const fault = isError || promise === null ? null : findSchemaFault(structured, promise);
  const warnings = fault === null ? [] : [fault];
  const { text, blocks, returned } = flatten(Array.isArray(value.content) ? value.content : [], structured);
  const said = isError && text === NOTHING_RETURNED ? FAILED_SILENTLY : text;
  return {
    text: [said, ...warnings.map((warning) => `[${warning}]`)].join('\n'),
    isError,
    blocks,
    ...omitUndefined({ structured }),
    warnings,
    ...(returned.length === 0 ? {} : { returned }),
  };
}

/** The text for the model, the blocks, and what is to be saved of them. */
export function flatten(content: readonly Json[], structured?: Json) {
  const texts = content.map(toBlockText);
  const returned = content.flatMap((block, at) => toReturned(block, texts[at] ?? ''));
  if (structured !== undefined && !isSaid(structured, texts)) texts.push(JSON.stringify(structured));
  const text = texts.filter((part) => part !== '').join('\n');
  return { text: text === '' ? NOTHING_RETURNED : text, blocks: content.flatMap(toBlock), returned };
}

/** Reads a `resources/read` result: the texts of all its contents, those that are no text by a label. */
export function toResourceText(value: unknown): string {
  const contents = isJsonObject(value) ? value.contents : undefined;
  if (!Array.isArray(contents)) throw notAnAnswer('resources/read');
  return contents
    .map((content) => (isJsonObject(content) ? toContentText(content) : ''))
    .filter((part) => part !== '')
    .join('\n');
}

/** Reads a `prompts/get` result: its messages in order, each behind its role. */
export function toPromptText(value: unknown): string {
  const messages = isJsonObject(value) ? value.messages : undefined;
  if (!Array.isArray(messages)) throw notAnAnswer('prompts/get');
  return messages
    .filter(isJsonObject)
    .map(({ role, content = null }) => {
      const blocks = Array.isArray(content) ? content : [content];
      return `${toText(role)}: ${blocks.map(toBlockText).join('\n')}`;
    })
    .join('\n\n');
}

/** Reads a `completion/complete` result: its values. */
export function toCompletions(value: unknown): readonly string[] {
  const completion = isJsonObject(value) ? value.completion : undefined;
  const values = isJsonObject(completion) ? completion.values : undefined;
  if (!Array.isArray(values)) throw notAnAnswer('completion/complete');
  return values.filter((one) => typeof one === 'string');
}

const EMPTY_KEYS: ReadonlySet<string> = new Set(['isError', '_meta', 'resultType']);

function isToolResult(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  if (value.content !== undefined) return Array.isArray(value.content);
  // Some servers leave out what is empty.
  return value.structuredContent !== undefined || Object.keys(value).every((key) => EMPTY_KEYS.has(key));
}

/** Why a structured result is not as promised; null if it is, or if the promise cannot be read. */
function findSchemaFault(structured: Json | undefined, { sdk, schema }: OutputPromise): string | null {
  if (structured === undefined) return NOT_STRUCTURED;
  try {
    const checked = sdk.fromJsonSchema({ ...schema })['~standard'].validate(structured);
    if (checked instanceof Promise || checked.issues === undefined) return null;
    return formatBadStructure(checked.issues[0]?.message ?? '');
  } catch {
    return UNREADABLE_SCHEMA;
  }
}

function toBlock(block: Json): ResultBlock[] {
  if (typeof block === 'string') return [{ type: 'text', text: block }];
  if (!isJsonObject(block)) return [];
  const mimeType = toText(block.mimeType);
  switch (block.type) {
    case 'image':
    case 'audio':
      return [{ type: block.type, mimeType, data: toText(block.data) }];
    case 'resource_link':
      return [{ type: 'resource_link', uri: toText(block.uri), mimeType }];
    case 'resource':
      return isJsonObject(block.resource) ? [toResourceBlock(block.resource)] : [];
    default:
      return [{ type: 'text', text: toBlockText(block) }];
  }
}

function toResourceBlock({ uri, mimeType, text, blob }: JsonObject): ResultBlock {
  const content = typeof text === 'string' ? { text } : typeof blob === 'string' ? { data: blob } : {};
  return { type: 'resource', uri: toText(uri), mimeType: toText(mimeType), ...content };
}

/** True when the texts hold the same data: as JSON in any spacing, or as the only value of a wrapper such as `{"result": …}`. */
function isSaid(structured: Json, texts: readonly string[]): boolean {
  const values = isJsonObject(structured) ? Object.values(structured) : [];
  if (values.length === 1 && typeof values[0] === 'string' && values[0] === texts.join('\n')) return true;
  return texts.some((text) => {
    if (!/^\s*[[{"\d-]|^\s*(true|false)/.test(text)) return false;
    return attempt(() => Bun.deepEquals(JSON.parse(text), structured), false);
  });
}

function toBlockText(block: Json): string {
  if (!isJsonObject(block)) return typeof block === 'string' ? block : '';
  switch (block.type) {
    case 'text':
      return toText(block.text);
    case 'image':
    case 'audio':
      return `[${block.type} ${toText(block.mimeType) || UNKNOWN_TYPE} ${toSize(block.data)}]`;
    case 'resource_link':
      return toLinkText(block);
    case 'resource':
      return isJsonObject(block.resource) ? toResourceLabel(block.resource) : EMPTY_RESOURCE;
    default:
      return typeof block.text === 'string' ? block.text : JSON.stringify(block);
  }
}

/** An image, a sound, or other binary data: on its own, or as the content of a resource. */
function toReturned(block: Json, label: string): readonly ReturnedFile[] {
  if (!isJsonObject(block)) return [];
  const resource = block.type === 'resource' && isJsonObject(block.resource) ? block.resource : null;
  const [mime, data] = resource === null ? [block.mimeType, block.data] : [resource.mimeType, resource.blob];
  const isFile = block.type === 'image' || block.type === 'audio' || resource !== null;
  return isFile && typeof data === 'string' && data !== '' ? [{ mime: toText(mime), data, label }] : [];
}

function toLinkText(link: JsonObject): string {
  const about = [link.title ?? link.name, link.description, link.mimeType].map(toText).filter((part) => part !== '');
  return `[link ${toText(link.uri)}${about.length > 0 ? ` (${about.join(', ')})` : ''}]`;
}

function toResourceLabel(resource: JsonObject): string {
  if (typeof resource.text === 'string') return `[resource ${toText(resource.uri)}]\n${resource.text}`;
  return toContentText(resource);
}

function toContentText(resource: JsonObject): string {
  if (typeof resource.text === 'string') return resource.text;
  return `[resource ${toText(resource.uri)} ${toText(resource.mimeType) || UNKNOWN_TYPE} ${toSize(resource.blob)}]`;
}

function toText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Size of base64 data in words users read. */
function toSize(data: Json | undefined): string {
  const bytes = typeof data === 'string' ? Math.floor((data.replace(/(?<!=)=+$/, '').length * 3) / 4) : 0;
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
