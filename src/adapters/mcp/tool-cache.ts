import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import { isJsonObject, type Json, omitUndefined } from '../../protocol/json.ts';
import type { Tool } from '../../protocol/tool.ts';
import { writeAtomically } from '../system/own-file.ts';
import type { ServerConfig } from './credentials.ts';
import type { Instructions, ToolDefinition } from './tool-definition.ts';
import { INSTRUCTIONS } from './tool-pins.ts';

/**
 * Which family of protocol revisions a server speaks: the one with an `initialize` handshake, the stateless one, or the first over HTTP+SSE
 * of 2024-11-05.
 */
export type Era = 'legacy' | 'modern' | 'sse';

/** The memory of a server between runs, so that aish can offer its tools before the server is started. */
export interface CachedServer {
  /** Ready for use, so that a start neither repairs nor compares anything. */
  readonly tools: readonly CachedTool[];
  readonly instructions: Instructions | null;
  readonly version: string | null;
  readonly era: Era;
  /** When the era was found out, in milliseconds since the epoch. */
  readonly at: number;
}

/** A tool without the alias of its server, which may be another one tomorrow. */
type CachedTool = Omit<Tool, 'name'> & Pick<ToolDefinition, 'name' | 'fingerprint' | 'outputSchema'>;

/** Goes up when what is stored, or how schemas are repaired, changes: aish then no longer reads files of earlier formats. */
const FORMAT = 4;

/** The last known tool lists on disk, one file per server identity, readable by the user only. */
export class ToolCache {
  readonly #folder: string;

  constructor(stateDir: string) {
    this.#folder = join(stateDir, 'mcp');
  }

  /** The cached data of a server; null when there is nothing or nothing usable. */
  read(identity: string): CachedServer | null {
    // A missing file and a damaged one are the same: aish asks the server.
    return attempt(() => parseCached(readFileSync(this.#path(identity), 'utf8')), null);
  }

  /** Remembers a server; the answer is the reason if that is impossible. */
  write(identity: string, server: CachedServer): string | null {
    try {
      writeAtomically(this.#path(identity), JSON.stringify({ format: FORMAT, ...server }));
      return null;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }

  #path(identity: string): string {
    return join(this.#folder, `${identity}.json`);
  }
}

/** A definition as it is remembered. */
export function toCachedTool({ name, tool, fingerprint, outputSchema }: ToolDefinition): CachedTool {
  return { ...tool, name, fingerprint, ...omitUndefined({ outputSchema }) };
}

/** Instructions as they are remembered: without their content, which only a review needs. */
export function toCachedInstructions({ name, text, fingerprint }: Instructions): Instructions {
  return { name, text, fingerprint };
}

/** A remembered tool, as a tool of the server that goes by this alias. */
export function toDefinition(alias: string, { fingerprint, outputSchema, ...cached }: CachedTool): ToolDefinition {
  const tool = { ...cached, name: `${alias}.${cached.name}` };
  return { name: cached.name, tool, fingerprint, ...omitUndefined({ outputSchema }) };
}

/** A word of a command line that means something else in every folder: `.`, `./tool`, `server.py`. */
const LOCAL_WORD = /^\.{1,2}$|^\.{1,2}\/|^[^/-][^:]*\.(?:[cm]?js|[cm]?ts|py|rb|sh)$/;

/**
 * The identity of a server: its address, or its command line with its folder and the names of its variables. The start folder of aish
 * counts only if the command line depends on it, so that a list learned in one project serves in all. Values of variables stay out: they
 * are secrets.
 */
export function toIdentity(config: ServerConfig, cwd: string): string {
  const { url, command = '', args = [], env = {} } = config;
  const isLocal = [command, ...args].some((word) => LOCAL_WORD.test(word));
  const folder = config.cwd === undefined ? (isLocal ? cwd : null) : resolve(cwd, config.cwd);
  const parts = url === undefined ? ['stdio', command, args, folder, Object.keys(env).sort()] : ['http', url];
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}

function parseCached(text: string): CachedServer | null {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value) || value.format !== FORMAT || !Array.isArray(value.tools)) return null;
  const version = typeof value.version === 'string' ? value.version : null;
  const at = typeof value.at === 'number' ? value.at : 0;
  const tools = value.tools.filter(isCachedTool);
  if (tools.length < value.tools.length) return null;
  return { tools, instructions: toInstructions(value.instructions), version, era: toEra(value.era), at };
}

function isCachedTool(value: Json): value is Json & CachedTool {
  if (!isJsonObject(value)) return false;
  const { name, description, parameters, effect, hint, fingerprint, outputSchema } = value;
  const texts = [name, description, fingerprint].every((text) => typeof text === 'string');
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) return false;
  return texts && isJsonObject(parameters) && effect === 'write' && (hint === undefined || hint === 'read');
}

function toInstructions(value: Json | undefined): Instructions | null {
  if (!isJsonObject(value)) return null;
  const { text, fingerprint } = value;
  const isWhole = typeof text === 'string' && typeof fingerprint === 'string';
  return isWhole ? { name: INSTRUCTIONS, text, fingerprint } : null;
}

function toEra(value: Json | undefined): Era {
  return value === 'modern' || value === 'sse' ? value : 'legacy';
}
