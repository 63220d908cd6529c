import type { Tool } from '../../protocol/tool.ts';
import { type CachedServer, toCachedInstructions, toCachedTool, toDefinition } from './tool-cache.ts';
import type { Instructions, Reviewable, ToolDefinition } from './tool-definition.ts';
import { compareReview, type ServerReview, type Standing, type ToolPins } from './tool-pins.ts';

/** Whether a user has looked at what a server says of its tools, and whether that is still what it says. */
export type ReviewState = 'none' | 'done' | 'changed';

interface ToolListDeps {
  readonly alias: string;
  readonly pins: ToolPins;
  /** The memory of the server from an earlier run. */
  readonly recall: () => CachedServer | null;
  readonly trustsReadOnly: boolean;
}

/** The tools of one server as last known, from this run or the last one, and how they stand to what a user has reviewed. */
export class ToolList {
  readonly #deps: ToolListDeps;
  #remembered: CachedServer | null | undefined;
  #definitions: ReadonlyMap<string, ToolDefinition> | null = null;
  #instructions: Instructions | null = null;

  constructor(deps: ToolListDeps) {
    this.#deps = deps;
  }

  /** The list that the last run left behind; read once. */
  get remembered(): CachedServer | null {
    if (this.#remembered === undefined) {
      this.#remembered = this.#deps.recall();
      const known = this.#remembered?.tools.map((tool) => [tool.name, toDefinition(this.#deps.alias, tool)] as const);
      this.#definitions ??= known === undefined ? null : new Map(known);
      this.#instructions = this.#remembered?.instructions ?? null;
    }
    return this.#remembered;
  }

  /** Null while the server was never listed. */
  get definitions(): readonly ToolDefinition[] | null {
    void this.remembered;
    return this.#definitions === null ? null : [...this.#definitions.values()];
  }

  /** All that a user reviews: the tools, and the instructions. */
  get reviewable(): readonly Reviewable[] {
    const definitions = this.definitions ?? [];
    return this.#instructions === null ? definitions : [...definitions, this.#instructions];
  }

  /** The text of the server about its tools; null without one, or while it is held back. */
  get instructions(): string | null {
    void this.remembered;
    const { pins } = this.#deps;
    return this.#instructions === null || pins.standingOf(this.#instructions) === 'held'
      ? null
      : this.#instructions.text;
  }

  find(name: string): ToolDefinition | undefined {
    void this.remembered;
    return this.#definitions?.get(name);
  }

  /** Takes what the server has listed just now. The answer is what the next run should remember. */
  replace(
    definitions: readonly ToolDefinition[],
    instructions: Instructions | null,
  ): Pick<CachedServer, 'tools' | 'instructions'> {
    this.#definitions = new Map(definitions.map((definition) => [definition.name, definition]));
    this.#instructions = instructions;
    return { tools: definitions.map(toCachedTool), instructions: instructions && toCachedInstructions(instructions) };
  }

  /** A hash of all definitions and the instructions together. */
  get fingerprint(): string {
    const rows = this.reviewable.map(({ name, fingerprint }) => `${name} ${fingerprint}`).sort();
    return new Bun.CryptoHasher('sha256').update(rows.join('\n')).digest('hex');
  }

  /** The tools that may be offered: all but those that came or changed since a user reviewed the server. */
  get offered(): readonly Tool[] {
    return this.#toolsWhere((standing) => standing !== 'held');
  }

  /** Those that are held back: the model does not get to know of them. */
  get held(): readonly Tool[] {
    return this.#toolsWhere((standing) => standing === 'held');
  }

  standingOf(name: string): Standing | null {
    const definition = this.find(name);
    return definition === undefined ? null : this.#deps.pins.standingOf(definition);
  }

  get reviewState(): ReviewState {
    const { pins } = this.#deps;
    const now = pins.read();
    if (now.reviewed === null) return 'none';
    return this.reviewable.some((one) => pins.standingOf(one, now) === 'held') ? 'changed' : 'done';
  }

  /** Ties the rules for these tools to what the tools are now, unless that was done before. */
  noteRuled(): void {
    if (this.definitions !== null) this.#deps.pins.noteRuled(this.reviewable);
  }

  /** One line for all that is held back, once for every change of that; null for nothing new. */
  heldNotice(): string | null {
    return this.definitions === null ? null : this.#deps.pins.heldNotice(this.reviewable);
  }

  /** The changes that a user must review to trust the list as it is now. */
  review(place: string): ServerReview {
    const { alias, pins, trustsReadOnly } = this.#deps;
    const { reviewable } = this;
    const compared = compareReview(reviewable, pins.read().reviewed);
    return { alias, place, ...compared, trustsReadOnly, pin: () => pins.pin(reviewable) };
  }

  #toolsWhere(isMeant: (standing: Standing) => boolean): readonly Tool[] {
    const { pins, trustsReadOnly } = this.#deps;
    const now = pins.read();
    return (this.definitions ?? []).flatMap((definition) => {
      const standing = pins.standingOf(definition, now);
      if (!isMeant(standing)) return [];
      const { tool } = definition;
      const offered: Tool = trustsReadOnly && tool.hint === 'read' ? { ...tool, effect: 'read' } : tool;
      return [standing === 'reviewed' ? { ...offered, reviewed: true } : offered];
    });
  }
}
