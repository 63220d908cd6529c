import type { CommandRecord } from '../protocol/command.ts';
import type { Config } from '../protocol/config.ts';

/** A value that must reach neither a log nor a model, and the name that stands in its place. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** Replaces the secrets it knows in a text. */
export type Redact = (text: string) => string;

/** A shorter value may be part of any text, and taking it out would garble it. */
const SHORTEST = 8;

/** The keys and tokens that a configuration names; `variables` are names of further ones that may hold a key. */
export function listSecrets(
  { models, mcp }: Pick<Config, 'models' | 'mcp'>,
  env: Readonly<Record<string, string | undefined>>,
  variables: readonly string[] = [],
): Secret[] {
  const servers = Object.entries(mcp.servers);
  const named = [
    ...Object.values(models).map((model) => model.key_env),
    ...servers.map(([, server]) => server.auth_env),
    ...variables,
  ].flatMap((name) => (name === undefined ? [] : [{ name, value: env[name]?.trim() ?? '' }]));
  const written = servers.map(([alias, server]) => ({ name: `${alias}.auth_token`, value: server.auth_token ?? '' }));
  return [...named, ...written].filter(({ value }) => value.length >= SHORTEST);
}

/** Makes the function that writes `[key NAME]` where a secret stands. Of two that begin at one place the longer is taken. */
export function createRedact(secrets: readonly Secret[]): Redact {
  if (secrets.length === 0) return (text) => text;
  const names = new Map(secrets.toReversed().map(({ name, value }) => [value, name]));
  const longestFirst = [...names.keys()].sort((left, right) => right.length - left.length);
  const pattern = new RegExp(longestFirst.map(escapePattern).join('|'), 'g');
  return (text) => text.replace(pattern, (value) => `[key ${names.get(value) ?? ''}]`);
}

/** A record without the secrets in what was typed and printed. */
export function redactRecord(record: CommandRecord, redact: Redact): CommandRecord {
  const { gap } = record;
  const clean = { ...record, line: redact(record.line) };
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

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
