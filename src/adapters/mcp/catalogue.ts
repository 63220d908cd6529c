import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { Connection } from './connection.ts';
import type { Wire } from './lazy.ts';
import * as messages from './messages.ts';
import type { ListKind } from './server-event.ts';
import { type ListRequest, PROMPT_LIST, RESOURCE_LIST, TEMPLATE_LIST, TOOL_LIST } from './server-list.ts';
import type { CachedServer } from './tool-cache.ts';
import type { ToolDefinition } from './tool-definition.ts';
import type { ToolList } from './tool-list.ts';
import type { ToolPins } from './tool-pins.ts';

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

interface CatalogueDeps {
  readonly alias: string;
  readonly tools: ToolList;
  readonly pins: ToolPins;
  readonly announce: (line: string) => void;
  /** Told which tools are no longer what they were. */
  readonly onReplaced: (names: ReadonlySet<string>) => void;
  readonly remember: (server: CachedServer) => void;
}

/** All that a server offers: its tools, which outlive a run, and its resources and prompts, which aish asks for when a user does. */
export class Catalogue {
  readonly #deps: CatalogueDeps;
  /** Lists other than that of the tools, until the server says that they changed. */
  readonly #lists = new Map<string, Promise<readonly Json[]>>();

  constructor(deps: CatalogueDeps) {
    this.#deps = deps;
  }

  get tools(): ToolList {
    return this.#deps.tools;
  }

  /** Lists the tools anew, reports what changed, and remembers the list for the next run. */
  async refreshTools(wire: Wire, connection: Connection, signal: AbortSignal): Promise<void> {
    const { alias, tools, announce, onReplaced, remember } = this.#deps;
    const { items, isCut } = await connection.list(TOOL_LIST, signal);
    const { definitions, warnings } = wire.toToolListing(alias, items, { mirrored: connection.mirrorsArguments });
    const before = tools.definitions;
    const was = tools.instructions;
    for (const line of this.#notices(wire, before, { definitions, warnings })) announce(line);
    if (isCut) announce(messages.formatCutList(alias, definitions.length));
    const cached = tools.replace(definitions, wire.toInstructions(connection.instructions));
    if (before !== null && was !== null && !this.#isReviewed && tools.instructions !== was)
      announce(messages.formatChangedInstructions(alias));
    const held = tools.heldNotice();
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
