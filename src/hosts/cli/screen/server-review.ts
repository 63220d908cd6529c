import type { ServerReview, ToolUnderReview } from '../../../adapters/mcp/tool-pins.ts';
import { formatWordDiff } from '../../../core/text/diff.ts';
import { findLookAlike, spellLookAlikes, spellName } from '../../../core/text/hidden-character.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { Settings } from '../../../protocol/settings.ts';
import { indentText, wrapProse } from './wrap.ts';

/** The rules that hold for tools. */
export type ToolRules = Pick<Settings, 'autoApprove' | 'tools'>;

/** What a server says of a tool, in the order in which a user reads it; whatever else came into the pin comes behind. */
const FIRST = ['description', 'title', 'annotations', 'inputSchema', 'outputSchema'];

/**
 * All that a user decides about, in full: every tool of a server that is new, and word by word what changed in one that was reviewed. It is
 * folded to the width of the screen: a row that the terminal wrapped would go on where only aish itself speaks.
 */
export function formatReview(review: ServerReview, rules: ToolRules, columns: number): string {
  const { alias, place, tools, isFirst } = review;
  const open = tools.filter(({ isSame }) => !isSame);
  const same = tools.filter(({ isSame }) => isSame).map(({ name }) => nameTool(alias, name));
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  const told = isFirst ? 'not reviewed yet' : `${open.length} new or changed since you reviewed them`;
  const say = (text: string): string => wrapProse(text, columns, '').join('\n');
  return [
    say(`${alias} (${escapeForDisplay(place)}): ${count}, ${told}`),
    ...open.map((tool) => formatTool(tool, review, rules, columns)),
    ...(same.length === 0 ? [] : [say(`as reviewed: ${same.join(', ')}`)]),
    ...review.gone.map(({ name }) => say(`${nameTool(alias, name)} is there no more`)),
  ].join('\n\n');
}

function formatTool(tool: ToolUnderReview, review: ServerReview, rules: ToolRules, columns: number): string {
  const { before, meaning, name } = tool;
  const news = before === null ? (review.isFirst ? '' : ' is new') : ' has changed';
  const notes = [...noteName(name, review), ...noteEffect(tool, review, rules)];
  const keys = [...new Set([...FIRST, ...Object.keys(meaning), ...Object.keys(before ?? {})])];
  const parts = keys.filter((key) => key !== 'name').flatMap((key) => formatPart(key, before, meaning, columns));
  const head = wrapProse(`${nameTool(review.alias, name)}${news}`, columns, '');
  return [...head, ...notes.flatMap((note) => wrapProse(note, columns)), ...parts].join('\n');
}

function nameTool(alias: string, name: string): string {
  return `${alias}.${spellName(name)}`;
}

/** A name is what rules and users go by, so a server may try to pass one tool for another. */
function noteName(name: string, { alias, tools, gone }: ServerReview): readonly string[] {
  const own = tools.find((tool) => tool.name === name);
  const former = gone.find(({ meaning }) => own?.before === null && sayTheSame(meaning, own.meaning));
  const other = findLookAlike(
    name,
    [...tools, ...gone].map((tool) => tool.name).filter((one) => one !== former?.name),
  );
  return [
    ...(former === undefined ? [] : [`it was called ${nameTool(alias, former.name)} when you reviewed it`]),
    ...(other === null ? [] : [`its name looks like that of another one: ${nameTool(alias, other)}`]),
  ];
}

function sayTheSame(one: JsonObject, other: JsonObject): boolean {
  return toText({ ...one, name: '' }) === toText({ ...other, name: '' });
}

/** What a yes means for the questions that are asked about calls. */
function noteEffect(
  { name, before, meaning }: ToolUnderReview,
  { alias, isFirst, trustsReadOnly }: ServerReview,
  rules: ToolRules,
): readonly string[] {
  const [was, is] = [before !== null && saysItReads(before), saysItReads(meaning)];
  const word = is === was || before === null ? [] : [`it ${is ? 'says now' : 'no longer says'} that it only reads`];
  const taken = is && trustsReadOnly ? ['it counts as one that only reads, as trust_read_only has it'] : [];
  return [
    ...word,
    ...taken,
    noteRule(`${alias}.${name}`, `${alias}.*`, rules, isFirst ? 'it runs' : 'approved, it runs'),
  ];
}

function noteRule(name: string, star: string, { autoApprove, tools }: ToolRules, runs: string): string {
  const find = (list: readonly string[] = []) => list.find((rule) => rule === name || rule === star);
  const denied = find(tools?.deny);
  if (denied !== undefined) return `it is refused by the rule "${escapeForDisplay(denied)}"`;
  const rule = find(tools?.ask) === undefined ? [name, star].find((one) => Object.hasOwn(autoApprove, one)) : undefined;
  if (rule === undefined || autoApprove[rule] !== true) return 'you are asked about each call';
  return `${runs} without asking by the rule "${escapeForDisplay(rule)}"`;
}

function saysItReads({ annotations }: JsonObject): boolean {
  return isJsonObject(annotations) && annotations.readOnlyHint === true;
}

function formatPart(key: string, before: JsonObject | null, meaning: JsonObject, columns: number): readonly string[] {
  const now = meaning[key] === undefined ? '' : toText(meaning[key]);
  const old = before?.[key] === undefined ? '' : toText(before[key]);
  if (before === null ? now === '' : now === old) return [];
  const shown =
    before === null ? spellLookAlikes(escapeForDisplay(now, { multiline: true })) : formatWordDiff(old, now);
  return [`  ${key}:`, ...indentText(shown, '  | ', columns)];
}

/** A text as it is; all else as JSON with its keys in order. */
function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(inOrder(value), null, 2);
}

function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, inOrder(child)]));
}
