import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import { spellName } from '../../core/text/hidden-character.ts';
import { nameSome } from '../../core/text/truncate.ts';
import { errorCode } from '../../protocol/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { writeAtomically } from '../system/own-file.ts';
import { formatHeld, formatHeldItem } from './messages.ts';

/** The name by which the instructions of a server are pinned; no tool has it. */
export const INSTRUCTIONS = '';

/** Something that a user reviews: a tool, or the instructions of a server. */
export interface Reviewable {
  /** The name within the server. */
  readonly name: string;
  readonly fingerprint: string;
  /** The content behind the fingerprint; unknown for a definition that is remembered from an earlier run. */
  readonly meaning?: JsonObject;
}

/** A definition as a user reviewed it. */
interface PinnedTool {
  readonly fingerprint: string;
  /** Kept whole, to show what has changed since. */
  readonly meaning: JsonObject;
}

/** Earlier facts about the tools of a server: the user's decision, and their definitions when a rule first let one of them run. */
interface Pins {
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

/**
 * How a definition stands to what a user has seen of its server: reviewed and the same since; held back, since the server was reviewed
 * and this is not among what was; not reviewed; or, besides that, not what it was when a rule first let a tool of the server run.
 */
export type Standing = 'reviewed' | 'held' | 'unreviewed' | 'moved';

/** The part of a definition on which a standing depends. */
type Identified = Pick<Reviewable, 'name' | 'fingerprint'>;

/**
 * The user's word on the tools of one server. Others may write it meanwhile, such as `aish mcp review` in another terminal, so the file
 * is looked at whenever somebody asks; that costs one look at its times.
 */
export class ToolPins {
  readonly #store: PinStore;
  readonly #identity: string;
  readonly #alias: string;
  #pins: Pins = { reviewed: null, ruled: null };
  #mark: string | null = null;
  /** The tools held back at the last notice to the user. */
  #notified = '';

  constructor(store: PinStore, alias: string, identity: string) {
    this.#store = store;
    this.#alias = alias;
    this.#identity = identity;
  }

  /** The pins as they are on disk now. */
  read(): Pins {
    const news = this.#store.read(this.#identity, this.#alias, this.#mark);
    if (news !== null) {
      this.#pins = news.pins;
      this.#mark = news.mark;
    }
    return this.#pins;
  }

  /** True where a change of a definition means something, so that the list must be known to be fresh before a call. */
  get isWatched(): boolean {
    const { reviewed, ruled } = this.read();
    return reviewed !== null || ruled !== null;
  }

  standingOf({ name, fingerprint }: Identified, pins: Pins = this.read()): Standing {
    const { reviewed, ruled } = pins;
    if (reviewed !== null) return reviewed.get(name)?.fingerprint === fingerprint ? 'reviewed' : 'held';
    return ruled === null || ruled.get(name) === fingerprint ? 'unreviewed' : 'moved';
  }

  /**
   * A rule lets a tool of the server run without asking for the first time: rules hold for the server as it is now, a new tool of another
   * name included.
   */
  noteRuled(definitions: readonly Identified[]): void {
    const { reviewed, ruled } = this.read();
    if (reviewed !== null || ruled !== null) return;
    const fingerprints = new Map(definitions.map(({ name, fingerprint }) => [name, fingerprint]));
    this.#store.write(this.#identity, this.#alias, { reviewed, ruled: fingerprints });
  }

  /** A user has reviewed these definitions, and no others. */
  pin(definitions: readonly Reviewable[]): void {
    const reviewed = new Map(
      definitions.map(({ name, fingerprint, meaning = {} }) => [name, { fingerprint, meaning }]),
    );
    const ruled = new Map(definitions.map(({ name, fingerprint }) => [name, fingerprint]));
    this.#store.write(this.#identity, this.#alias, { reviewed, ruled });
  }

  /** A user approves one definition; what was reviewed of other tools stays. */
  approve({ name, fingerprint, meaning = {} }: Reviewable): void {
    const { reviewed, ruled } = this.read();
    const more = new Map(reviewed ?? []).set(name, { fingerprint, meaning });
    this.#store.write(this.#identity, this.#alias, {
      reviewed: more,
      ruled: new Map(ruled ?? []).set(name, fingerprint),
    });
  }

  /** Takes the user's word back, and what rules were tied to; false where there was none. */
  forget(): boolean {
    const { reviewed } = this.read();
    if (reviewed === null) return false;
    this.#store.write(this.#identity, this.#alias, { reviewed: null, ruled: null });
    return true;
  }

  /** A new notice about all that is held back; null without one. */
  heldNotice(definitions: readonly Identified[]): string | null {
    const pins = this.read();
    const held = definitions.filter((definition) => this.standingOf(definition, pins) === 'held');
    const key = held.map(({ name, fingerprint }) => `${name} ${fingerprint}`).join();
    if (key === this.#notified) return null;
    this.#notified = key;
    if (held.length === 0) return null;
    const items = held.map(({ name }) => formatHeldItem(spellName(name), pins.reviewed?.has(name) ?? false));
    const tools = held.filter(({ name }) => name !== INSTRUCTIONS).length;
    return formatHeld(this.#alias, { tools, all: held.length }, nameSome(items, 5));
  }
}

/** A tool as its server defines it now, or the instructions of a server, beside what was reviewed of it. */
export interface ToolUnderReview {
  /** The name within the server; empty for the instructions. */
  readonly name: string;
  /** The parts of the server's definition that count: name, title, description, schemas, annotations. */
  readonly meaning: JsonObject;
  /** As it was reviewed; null for one that never was. */
  readonly before: JsonObject | null;
  readonly isSame: boolean;
}

/** All that a user decides about when they review a server. */
export interface ServerReview {
  readonly alias: string;
  /** Its address or its command line. */
  readonly place: string;
  /** Nobody has reviewed it before. */
  readonly isFirst: boolean;
  readonly tools: readonly ToolUnderReview[];
  /** Reviewed once, and there no more. */
  readonly gone: readonly { readonly name: string; readonly meaning: JsonObject }[];
  /** True where the word of the server that a tool only reads is taken, as configured. */
  readonly trustsReadOnly: boolean;
  /** Pins exactly these definitions, whatever the server has said since. */
  readonly pin: () => void;
}

/** Sets the tools of a server beside what was reviewed of them. */
export function compareReview(
  definitions: readonly Reviewable[],
  reviewed: ReadonlyMap<string, PinnedTool> | null,
): Pick<ServerReview, 'isFirst' | 'tools' | 'gone'> {
  const names = new Set(definitions.map(({ name }) => name));
  return {
    isFirst: reviewed === null,
    tools: definitions.map(({ name, fingerprint, meaning = {} }) => {
      const pinned = reviewed?.get(name);
      return { name, meaning, before: pinned?.meaning ?? null, isSame: pinned?.fingerprint === fingerprint };
    }),
    gone: [...(reviewed ?? [])].filter(([name]) => !names.has(name)).map(([name, { meaning }]) => ({ name, meaning })),
  };
}
