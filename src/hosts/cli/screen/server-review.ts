import type { ServerReview, ToolUnderReview } from '../../../adapters/mcp/tool-pins.ts';
import { INSTRUCTIONS } from '../../../adapters/mcp/tool-pins.ts';
import { quoteText, wrapProse } from '../../../core/terminal/wrap.ts';
import { formatWordDiff } from '../../../core/text/diff.ts';
import { findLookAlike, spellLookAlikes, spellName } from '../../../core/text/hidden-character.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { Settings } from '../../../protocol/settings.ts';
import * as messages from './messages.ts';

/** The rules for tools. */
export type ToolRules = Pick<Settings, 'autoApprove' | 'tools'>;

/** The fields of a tool in the order in which a user reads them; other fields of the pin follow. */
const FIRST = ['description', 'title', 'annotations', 'inputSchema', 'outputSchema'];

/**
 * The whole review of a server: every tool of a new server, and the changes word by word of a reviewed one. Rows are wrapped to the width
 * of the screen: a row that the terminal wrapped would continue without its mark, and could pass for a text of aish.
 */
export function formatReview(review: ServerReview, rules: ToolRules, columns: number): string {
  const { alias, place, tools, isFirst } = review;
  const open = tools.filter(({ isSame }) => !isSame);
  const same = tools.filter(({ isSame }) => isSame).map(({ name }) => nameTool(alias, name));
  const say = (text: string): string => wrapProse(text, columns, '').join('\n');
  return [
    say(messages.formatReviewHead(`${alias} (${escapeForDisplay(place)})`, countTools(tools), isFirst, open.length)),
    ...open.map((tool) => formatTool(tool, review, rules, columns)),
    ...(same.length === 0 ? [] : [say(messages.formatUnchangedTools(same.join(', ')))]),
    ...review.gone.map(({ name }) => say(formatGone(alias, name))),
  ].join('\n\n');
}

function formatTool(tool: ToolUnderReview, review: ServerReview, rules: ToolRules, columns: number): string {
  const { before, meaning, name } = tool;
  const news = before === null ? (review.isFirst ? '' : messages.TOOL_NEWS.new) : messages.TOOL_NEWS.changed;
  const notes = name === INSTRUCTIONS ? [] : [...noteName(name, review), ...noteEffect(tool, review, rules)];
  const keys = [...new Set([...FIRST, ...Object.keys(meaning), ...Object.keys(before ?? {})])];
  const parts = keys.filter((key) => key !== 'name').flatMap((key) => formatPart(key, before, meaning, columns));
  const head = wrapProse(`${nameTool(review.alias, name)}${news}`, columns, '');
  return [...head, ...notes.flatMap((note) => wrapProse(note, columns)), ...parts].join('\n');
}

function nameTool(alias: string, name: string): string {
  return name === INSTRUCTIONS ? messages.formatInstructions(alias) : `${alias}.${spellName(name)}`;
}

function formatGone(alias: string, name: string): string {
  return name === INSTRUCTIONS
    ? messages.formatInstructionsGone(alias)
    : messages.formatToolGone(nameTool(alias, name));
}

/** The number of tools among the things under review. */
export function countTools(tools: readonly { readonly name: string }[]): number {
  return tools.filter(({ name }) => name !== INSTRUCTIONS).length;
}

/** Rules and users know a tool by its name, so a server may try to pass one tool for another. */
function noteName(name: string, { alias, tools, gone }: ServerReview): readonly string[] {
  const own = tools.find((tool) => tool.name === name);
  const former = gone.find(({ meaning }) => own?.before === null && isSameText(meaning, own.meaning));
  const other = findLookAlike(
    name,
    [...tools, ...gone].map((tool) => tool.name).filter((one) => one !== former?.name),
  );
  return [
    ...(former === undefined ? [] : [messages.formatRenamedTool(nameTool(alias, former.name))]),
    ...(other === null ? [] : [messages.formatLookAlike(nameTool(alias, other))]),
  ];
}

function isSameText(one: JsonObject, other: JsonObject): boolean {
  return toText({ ...one, name: '' }) === toText({ ...other, name: '' });
}

/** The effect of a review on the approval of calls. */
function noteEffect(
  { name, before, meaning }: ToolUnderReview,
  { alias, isFirst, trustsReadOnly }: ServerReview,
  rules: ToolRules,
): readonly string[] {
  const [was, is] = [before !== null && saysItReads(before), saysItReads(meaning)];
  const claim = is === was || before === null ? [] : [is ? messages.NOW_SAYS_READS : messages.SAYS_READS_NO_MORE];
  const trusted = is && trustsReadOnly ? [messages.TRUSTED_READS] : [];
  return [...claim, ...trusted, noteRule(`${alias}.${name}`, `${alias}.*`, rules, isFirst)];
}

function noteRule(name: string, star: string, { autoApprove, tools }: ToolRules, isFirst: boolean): string {
  const find = (list: readonly string[] = []) => list.find((rule) => rule === name || rule === star);
  const denied = find(tools?.deny);
  if (denied !== undefined) return messages.formatDeniedTool(escapeForDisplay(denied));
  const rule = find(tools?.ask) === undefined ? [name, star].find((one) => Object.hasOwn(autoApprove, one)) : undefined;
  if (rule === undefined || autoApprove[rule] !== true) return messages.ASKED_EACH_CALL;
  return messages.formatAllowedTool(escapeForDisplay(rule), isFirst);
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
  return [`  ${key}:`, ...quoteText(shown, columns)];
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
