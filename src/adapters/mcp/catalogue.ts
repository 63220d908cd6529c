import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { Tool } from '../../protocol/tool.ts';
import type { Connection } from './connection.ts';
import type { Wire } from './lazy.ts';
import * as messages from './messages.ts';
import {
  type ListKind,
  type ListRequest,
  PROMPT_LIST,
  RESOURCE_LIST,
  TEMPLATE_LIST,
  TOOL_LIST,
} from './server-event.ts';
import { type CachedServer, toCachedInstructions, toCachedTool, toDefinition } from './tool-cache.ts';
import type { Instructions, ToolDefinition } from './tool-definition.ts';
import { compareReview, type Reviewable, type ServerReview, type Standing, type ToolPins } from './tool-pins.ts';

/** A document that a server offers, or a template for the addresses of many. The texts are untrusted. */
export interface ServerResource {
  /** An address, or with `isTemplate` a pattern such as `file:///{path}`. */
  readonly uri: string;
  readonly isTemplate: boolean;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
}

/** A message that a server prepares. The texts are untrusted. */
export interface ServerPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly isRequired: boolean }[];
}

/** Whether a user has looked at what a server says of its tools, and whether that is still what it says. */
export type ReviewState = 'none' | 'done' | 'changed';

interface CatalogueDeps {
  readonly alias: string;
  readonly pins: ToolPins;
  /** The memory of the server from an earlier run. */
  readonly recall: () => CachedServer | null;
  readonly trustsReadOnly: boolean;
  readonly announce: (line: string) => void;
  /** Told which tools are no longer what they were. */
  readonly onReplaced: (names: ReadonlySet<string>) => void;
  readonly remember: (server: CachedServer) => void;
}

/**
 * All that a server offers: its tools as last known, from this run or the last one, and how they stand to what a user has reviewed; and its
 * resources and prompts, which aish asks for when a user does.
 */
export class Catalogue {
  readonly #deps: CatalogueDeps;
  #remembered: CachedServer | null | undefined;
  #definitions: ReadonlyMap<string, ToolDefinition> | null = null;
  #instructions: Instructions | null = null;
  /** Lists other than that of the tools, until the server says that they changed. */
  readonly #lists = new Map<string, Promise<readonly Json[]>>();

  constructor(deps: CatalogueDeps) {
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

  /** Lists the tools anew, reports what changed, and remembers the list for the next run. */
  async refreshTools(wire: Wire, connection: Connection, signal: AbortSignal): Promise<void> {
    const { alias, announce, onReplaced, remember } = this.#deps;
    const { items, isCut } = await connection.list(TOOL_LIST, signal);
    const { definitions, warnings } = wire.toToolListing(alias, items, { mirrored: connection.mirrorsArguments });
    const { definitions: before, instructions: was } = this;
    for (const line of this.#notices(wire, before, { definitions, warnings })) announce(line);
    if (isCut) announce(messages.formatCutList(alias, definitions.length));
    const cached = this.#replace(definitions, wire.toInstructions(connection.instructions));
    if (before !== null && was !== null && !this.#isReviewed && this.instructions !== was)
      announce(messages.formatChangedInstructions(alias));
    const held = this.heldNotice();
    if (held !== null) announce(held);
    const replaced = wire.findReplaced(before ?? [], definitions);
    if (replaced.size > 0) onReplaced(replaced);
    remember({ ...cached, version: connection.version, era: connection.era, at: Date.now() });
  }

  /** Forgets lists that the server says have changed. */
  invalidate(kind: ListKind): void {
    for (const { method, kind: listed } of [RESOURCE_LIST, TEMPLATE_LIST, PROMPT_LIST])
      if (listed === kind) this.#lists.delete(method);
  }

  /** Forgets all lists but that of the tools: another connection may be to another server. */
  clear(): void {
    this.#lists.clear();
  }

  async resources(connection: Connection, signal: AbortSignal): Promise<readonly ServerResource[]> {
    const [listed, templates] = await Promise.all([
      this.#items(RESOURCE_LIST, connection, signal),
      // A server with resources need not know templates.
      this.#items(TEMPLATE_LIST, connection, signal).catch(() => []),
    ]);
    return [
      ...listed.flatMap((item) => toResource(item, 'uri')),
      ...templates.flatMap((item) => toResource(item, 'uriTemplate')),
    ];
  }

  async prompts(connection: Connection, signal: AbortSignal): Promise<readonly ServerPrompt[]> {
    return (await this.#items(PROMPT_LIST, connection, signal)).flatMap(toPrompt);
  }

  /** Takes what the server has listed just now. The answer is what the next run should remember. */
  #replace(
    definitions: readonly ToolDefinition[],
    instructions: Instructions | null,
  ): Pick<CachedServer, 'tools' | 'instructions'> {
    this.#definitions = new Map(definitions.map((definition) => [definition.name, definition]));
    this.#instructions = instructions;
    return { tools: definitions.map(toCachedTool), instructions: instructions && toCachedInstructions(instructions) };
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

  /** A line of its own reports the held tools of a reviewed server. */
  #notices(
    wire: Wire,
    before: readonly ToolDefinition[] | null,
    {
      definitions,
      warnings,
    }: { readonly definitions: readonly ToolDefinition[]; readonly warnings: readonly string[] },
  ): readonly string[] {
    if (before === null) return warnings;
    return this.#isReviewed ? [] : wire.describeChanges(this.#deps.alias, before, definitions);
  }

  get #isReviewed(): boolean {
    return this.#deps.pins.read().reviewed !== null;
  }

  #items(request: ListRequest, connection: Connection, signal: AbortSignal): Promise<readonly Json[]> {
    const known = this.#lists.get(request.method);
    if (known !== undefined) return known;
    const asked = connection.list(request, signal).then(({ items, isCut }) => {
      if (isCut) this.#deps.announce(messages.formatCutList(this.#deps.alias, items.length));
      return items;
    });
    this.#lists.set(request.method, asked);
    asked.catch(() => this.#lists.delete(request.method));
    return asked;
  }
}

function toResource(item: Json, key: 'uri' | 'uriTemplate'): ServerResource[] {
  if (!isJsonObject(item)) return [];
  const uri = item[key];
  if (typeof uri !== 'string' || uri === '') return [];
  const name = toText(item.title) || toText(item.name) || uri;
  const { description, mimeType } = item;
  return [
    { uri, isTemplate: key === 'uriTemplate', name, description: toText(description), mimeType: toText(mimeType) },
  ];
}

function toPrompt(item: Json): ServerPrompt[] {
  if (!isJsonObject(item) || typeof item.name !== 'string' || !/^[^\s\p{C}]{1,256}$/u.test(item.name)) return [];
  const given = Array.isArray(item.arguments) ? item.arguments.filter(isNamed) : [];
  const description = toText(item.description) || toText(item.title);
  return [{ name: item.name, description, arguments: given.map(toArgument) }];
}

function toArgument(item: JsonObject & { readonly name: string }): ServerPrompt['arguments'][number] {
  return { name: item.name, description: toText(item.description), isRequired: item.required === true };
}

function isNamed(item: Json): item is JsonObject & { readonly name: string } {
  return isJsonObject(item) && typeof item.name === 'string';
}

function toText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
