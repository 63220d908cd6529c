import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ModelConfig } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { checkFile, parseFile } from './check-file.ts';
import { writeConfig } from './edit-servers.ts';
import { formatToml } from './format-config.ts';
import { formatKey } from './key-path.ts';
import { readConfigFile } from './read-file.ts';

/** A model as its section of the file says. */
type ModelSection = Pick<ModelConfig, 'base_url'> & Partial<ModelConfig>;

/** A model file that a `llama-server` of this machine serves. */
interface LocalFile {
  readonly gguf: string;
  readonly cwd: string;
  /** The port to listen on; a free one of the configuration if absent. */
  readonly port?: number | undefined;
  /** Tokens of context; the server's own choice if absent. */
  readonly context?: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The first port for a server that aish runs: the usual 8080 is often in use. */
const FIRST_PORT = 8091;

const SERVER = 'llama-server';

/** Appends the section of a model to the configuration file, and changes nothing else in it. An invalid result is not written. */
export async function addModel(path: string, name: string, section: ModelSection): Promise<void> {
  const file = readConfigFile(path) ?? { path, text: '', shared: false };
  if (Object.hasOwn(modelsOf(await parseFile(file)), name)) throw modelExists(name, path);
  const rows = Object.entries(section).map(([key, value]) => `${key} = ${formatToml(value)}`);
  const before = file.text === '' || file.text.endsWith('\n') ? file.text : `${file.text}\n`;
  const text = `${before}${before === '' ? '' : '\n'}${[`[models.${formatKey([name])}]`, ...rows].join('\n')}\n`;
  await checkFile({ ...file, text });
  writeConfig(file, text);
}

/** The section for a model file. Throws if there is no such file, or no program to serve it. */
export function sectionOf(
  { gguf, cwd, port, context, env }: LocalFile,
  models: Readonly<Record<string, Pick<ModelConfig, 'base_url'>>>,
): ModelSection {
  const path = resolve(cwd, gguf);
  if (!isGguf(path)) throw notGguf(path);
  if (Bun.which(SERVER, { PATH: env.PATH ?? '' }) === null) throw noServer();
  const chosen = port ?? freePort(Object.values(models).map(({ base_url }) => base_url));
  const size = context === undefined ? [] : ['-c', String(context)];
  return {
    base_url: `http://127.0.0.1:${chosen}`,
    command: SERVER,
    args: ['-m', path, '--port', String(chosen), '--jinja', ...size],
  };
}

/** A model file begins with these letters. */
function isGguf(path: string): boolean {
  const start = Buffer.alloc(4);
  try {
    const file = openSync(path, 'r');
    try {
      return readSync(file, start, 0, start.length, 0) === start.length && start.toString('latin1') === 'GGUF';
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

/** The first port that no other model of the configuration has. */
function freePort(urls: readonly string[]): number {
  const used = new Set(urls.map((url) => Number(/:(\d+)/.exec(url.replace(/^\w+:\/\//, ''))?.[1])));
  let port = FIRST_PORT;
  while (used.has(port)) port += 1;
  return port;
}

function modelsOf(parsed: unknown): JsonObject {
  const models = isJsonObject(parsed) ? parsed.models : undefined;
  return isJsonObject(models) ? models : {};
}

const modelExists = (name: string, path: string) =>
  new AishError('config.exists', `${path} has a model "${name}" already`, {
    hint: 'choose another name, or change the section with your editor',
  });
const notGguf = (path: string) =>
  new AishError('config.gguf', `${path} is not a readable model file in the GGUF format`, {
    hint: 'download a model as a .gguf file, and name its path',
  });
const noServer = () =>
  new AishError('config.llama-server', `there is no program ${SERVER} on the PATH`, {
    hint: 'install llama.cpp (brew install llama.cpp, or https://github.com/ggml-org/llama.cpp/releases), then try again',
  });
