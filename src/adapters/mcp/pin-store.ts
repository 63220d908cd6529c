import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import { errorCode } from '../../protocol/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { writeAtomically } from '../system/own-file.ts';

/** The name by which the instructions of a server are pinned; no tool has it. */
export const INSTRUCTIONS = '';

/** A definition as a user reviewed it. */
export interface PinnedTool {
  readonly fingerprint: string;
  /** Kept whole, to show what has changed since. */
  readonly meaning: JsonObject;
}

/** Earlier facts about the tools of a server: the user's decision, and their definitions when a rule first let one of them run. */
export interface Pins {
  /** By name; null where no user has reviewed the server. */
  readonly reviewed: ReadonlyMap<string, PinnedTool> | null;
  /** Fingerprints by name; null where no rule has let a tool of it run yet. */
  readonly ruled: ReadonlyMap<string, string> | null;
}

/** Pins of a server, and a mark that changes when the file does. */
interface StoredPins {
  readonly pins: Pins;
  readonly mark: string;
}

const NO_PINS: Pins = { reviewed: null, ruled: null };

/** A file that cannot be read trusts nothing, and takes nothing back: what was reviewed once has to be reviewed again. */
const DAMAGED: Pins = { reviewed: new Map(), ruled: new Map() };

const FORMAT = 1;

/** The pins on disk, a file for each server identity and alias, for the user only. */
export class PinStore {
  readonly #folder: string;

  constructor(stateDir: string) {
    this.#folder = join(stateDir, 'pins');
  }

  /** The pins of a server; null where they are as they were at `mark`. */
  read(identity: string, alias: string, mark: string | null): StoredPins | null {
    const path = this.#path(identity, alias);
    const now = markOf(path);
    if (now === mark) return null;
    return { pins: now === '' ? NO_PINS : readPins(path), mark: now };
  }

  write(identity: string, alias: string, { reviewed, ruled }: Pins): void {
    const toTable = (map: ReadonlyMap<string, unknown> | null) => (map === null ? null : [...map]);
    const content = { format: FORMAT, reviewed: toTable(reviewed), ruled: toTable(ruled) };
    writeAtomically(this.#path(identity, alias), JSON.stringify(content));
  }

  #path(identity: string, alias: string): string {
    return join(this.#folder, `${alias}-${identity}.json`);
  }
}

/** Empty where there is no file. */
function markOf(path: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (thrown) {
    // A file that may exist but cannot be read is no reason to trust more.
    return errorCode(thrown) === 'ENOENT' ? '' : 'unreadable';
  }
}

function readPins(path: string): Pins {
  return attempt(() => parsePins(JSON.parse(readFileSync(path, 'utf8'))) ?? DAMAGED, DAMAGED);
}

function parsePins(value: unknown): Pins | null {
  if (!isJsonObject(value) || value.format !== FORMAT) return null;
  const reviewed = parseEntries(value.reviewed, isPinnedTool);
  const ruled = parseEntries(value.ruled, (entry) => typeof entry === 'string');
  return reviewed === undefined || ruled === undefined ? null : { reviewed, ruled };
}

/** Null for none; undefined for what is no list of names with their values. */
function parseEntries<T extends Json>(
  list: Json | undefined,
  isValue: (value: Json) => value is T,
): ReadonlyMap<string, T> | null | undefined {
  if (list === null) return null;
  if (!Array.isArray(list)) return undefined;
  const entries = new Map<string, T>();
  for (const entry of list) {
    if (!Array.isArray(entry)) return undefined;
    const [name, value] = entry;
    if (typeof name !== 'string' || value === undefined || !isValue(value)) return undefined;
    entries.set(name, value);
  }
  return entries;
}

function isPinnedTool(value: Json): value is JsonObject & PinnedTool {
  return isJsonObject(value) && typeof value.fingerprint === 'string' && isJsonObject(value.meaning);
}
