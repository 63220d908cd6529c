import { attempt } from '../../core/text/attempt.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { ReturnedImage, ToolResult } from '../../protocol/tool.ts';
import { EMPTY_RESOURCE, NOTHING_RETURNED, UNKNOWN_TYPE } from './messages.ts';

/** Flattens a `tools/call` result to text for the model, in order. Blocks other than text get a label; aish fetches nothing. */
export function toToolResult(value: unknown): ToolResult {
  if (!isJsonObject(value)) return { text: NOTHING_RETURNED, isError: false };
  const blocks = Array.isArray(value.content) ? value.content : [];
  const texts = blocks.map(toBlockText);
  const structured = value.structuredContent;
  if (structured !== undefined && structured !== null && !isSaid(structured, texts))
    texts.push(JSON.stringify(structured));
  const text = texts.filter((part) => part !== '').join('\n');
  const returned = blocks.flatMap((block, at) => toImage(block, texts[at] ?? ''));
  return {
    text: text === '' ? NOTHING_RETURNED : text,
    isError: value.isError === true,
    ...(returned.length === 0 ? {} : { returned }),
  };
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
      return isJsonObject(block.resource) ? toResourceText(block.resource) : EMPTY_RESOURCE;
    default:
      return typeof block.text === 'string' ? block.text : JSON.stringify(block);
  }
}

/** An image, on its own or as what a resource holds. */
function toImage(block: Json, label: string): readonly ReturnedImage[] {
  if (!isJsonObject(block)) return [];
  const resource = block.type === 'resource' && isJsonObject(block.resource) ? block.resource : null;
  const [mime, data] = resource === null ? [block.mimeType, block.data] : [resource.mimeType, resource.blob];
  const isImage = block.type === 'image' || (resource !== null && toText(mime).startsWith('image/'));
  return isImage && typeof data === 'string' && data !== '' ? [{ mime: toText(mime), data, label }] : [];
}

function toLinkText(link: JsonObject): string {
  const about = [link.title ?? link.name, link.description, link.mimeType].map(toText).filter((part) => part !== '');
  return `[link ${toText(link.uri)}${about.length > 0 ? ` (${about.join(', ')})` : ''}]`;
}

function toResourceText(resource: JsonObject): string {
  if (typeof resource.text === 'string') return `[resource ${toText(resource.uri)}]\n${resource.text}`;
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
