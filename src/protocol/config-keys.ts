import { configSchema } from './config-schema.ts';

/** A key of the configuration, read from the schema for the manual, for editors and for "did you mean". */
export interface ConfigKey {
  /** Segments of the name; a star represents a name chosen by the user. */
  readonly path: readonly string[];
  readonly type: 'string' | 'number' | 'boolean' | 'array' | 'table';
  /** The line in the manual; empty for tables that only group keys. */
  readonly line: string;
  readonly choices?: readonly string[];
  /** The smallest number allowed. */
  readonly smallest?: number;
  /** The default. */
  readonly fallback?: unknown;
  readonly required: boolean;
  /** A list whose items are rules for commands: a prefix, or a table with examples. */
  readonly listsRules?: true;
}

/** All keys in the order of the schema, a table before its keys. */
export function listConfigKeys(): readonly ConfigKey[] {
  return listEntries(configSchema, []);
}

/** The parts of a schema that aish reads; valibot has them as plain fields. */
interface SchemaNode {
  readonly type: string;
  readonly wrapped?: unknown;
  readonly getter?: (input: undefined) => unknown;
  readonly default?: unknown;
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly value?: unknown;
  readonly item?: unknown;
  readonly options?: readonly string[];
  readonly pipe?: readonly { readonly type: string; readonly description?: string; readonly requirement?: unknown }[];
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function listEntries(schema: unknown, path: readonly string[]): ConfigKey[] {
  if (!isNode(schema)) return [];
  if (schema.type === 'record') return listKey(schema.value, [...path, '*'], false);
  return Object.entries(schema.entries ?? {}).flatMap(([key, entry]) => listKey(entry, [...path, key], true));
}

function listKey(schema: unknown, path: readonly string[], mayBeRequired: boolean): ConfigKey[] {
  if (!isNode(schema)) return [];
  const optional = schema.type === 'optional';
  const wrapped = optional ? schema.wrapped : schema;
  const inner = isNode(wrapped) ? (wrapped.getter?.(undefined) ?? wrapped) : wrapped;
  if (!isNode(inner)) return [];
  const type = toType(inner.type);
  const smallest = inner.pipe?.find((action) => action.type === 'min_value')?.requirement;
  const key: ConfigKey = {
    path,
    type,
    line: inner.pipe?.find((action) => action.type === 'description')?.description ?? '',
    required: mayBeRequired && !optional,
    ...(inner.options === undefined ? {} : { choices: inner.options }),
    ...(isNode(inner.item) && inner.item.type === 'union' ? { listsRules: true } : {}),
    ...(typeof smallest === 'number' ? { smallest } : {}),
    ...(type === 'table' || schema.default === undefined ? {} : { fallback: schema.default }),
  };
  return type === 'table' ? [key, ...listEntries(inner, path)] : [key];
}

function toType(type: string): ConfigKey['type'] {
  if (type === 'picklist' || type === 'string') return 'string';
  if (type === 'number' || type === 'boolean' || type === 'array') return type;
  return 'table';
}
