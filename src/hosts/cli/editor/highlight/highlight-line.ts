import type { KnownWord, ShellPaint } from '../../../../core/code-colours/paint-shell.ts';
import { parseMentions } from '../../../../core/context/mentions.ts';
import type { StyledSpan } from '../../../../core/editor/line-editor-options.ts';
import { isNamed } from '../../../../core/meta/meta-entry.ts';
import { META_COMMANDS } from '../../../../core/meta/meta-table.ts';
import type { Route } from '../../../../core/routing/router.ts';
import type { Style } from '../../../../core/terminal/theme.ts';

/** Facts about the words of a line. */
export interface HighlightFacts {
  /** Whether a word exists at the place of a command; null while that is unknown. */
  knows(word: string): boolean | null;
  /** Whether a path is known to exist. */
  isPath(path: string): boolean;
  /** Cuts a shell line by its grammar; null while the parser is not there. */
  paint(text: string): ShellPaint | null;
}

/** Longer lines, which nobody types, have no colours. */
const LONGEST = 8000;
/** Neither have lines with more of these: substitutions inside of each other cost the parser their square. */
const MOST_OPENERS = 200;
const OPENER = /[$<>]\(|\$\{|`/g;

/** The styles of a typed line, by its route, sorted and without overlaps. */
export function highlightLine(
  text: string,
  { type }: Pick<Route, 'type'>,
  facts: HighlightFacts,
): readonly StyledSpan[] {
  if (text.length > LONGEST || (text.length > 2 * MOST_OPENERS && countOpeners(text) > MOST_OPENERS)) return [];
  switch (type) {
    case 'nothing':
      return [];
    case 'meta':
      return toMetaSpans(text, facts);
    case 'message':
      return toMessageSpans(text, facts);
    case 'command':
      return toCommandSpans(text, facts);
  }
}

function countOpeners(text: string): number {
  return text.match(OPENER)?.length ?? 0;
}

function toCommandSpans(text: string, facts: HighlightFacts): readonly StyledSpan[] {
  // A mark that forces the shell is no part of the line; the shell's own negation is.
  const mark = /^\s*!(?=[^\s!$^*#?:\d-])/.exec(text)?.[0].length ?? 0;
  const spans = toShellSpans(text, mark, facts);
  return mark === 0 ? spans : [{ start: mark - 1, end: mark, style: 'shell' }, ...spans];
}

function toShellSpans(text: string, from: number, facts: HighlightFacts): readonly StyledSpan[] {
  const paint = facts.paint(from === 0 ? text : text.slice(from));
  if (paint === null) return [];
  const styles = paint.kinds.map((kind): Style | null => (kind === 'gap' || kind === 'plain' ? null : kind));
  for (const word of paint.commands) fill(styles, word, lookOfCommand(paint, word, facts));
  for (const word of paint.operands)
    if (word.value.length > 1 || word.value === '/' || word.value === '~') underline(styles, word, facts);
  return toSpans(styles, from);
}

/** A word that is still being typed never counts as unknown: it may be the beginning of any command. */
function lookOfCommand(paint: ShellPaint, { value, end }: KnownWord, facts: HighlightFacts): Style | null {
  if (paint.functions.has(value) || /^%\d+$/.test(value)) return 'command';
  const isKnown = facts.knows(value);
  if (isKnown === true) return 'command';
  if (facts.isPath(value)) return 'path';
  return isKnown === false && end < paint.text.length ? 'unknown' : null;
}

/** Colours the plain part of a word; what is quoted or expanded in it keeps its look. */
function fill(styles: (Style | null)[], { start, end }: KnownWord, style: Style | null): void {
  for (let at = start; at < end; at += 1) styles[at] ??= style;
}

function underline(styles: (Style | null)[], word: KnownWord, facts: HighlightFacts): void {
  if (!facts.isPath(word.value)) return;
  for (let at = word.start; at < word.end; at += 1) styles[at] = styles[at] === 'string' ? 'string-path' : 'path';
}

function toSpans(styles: readonly (Style | null)[], offset: number): readonly StyledSpan[] {
  const spans: StyledSpan[] = [];
  for (let start = 0; start < styles.length; ) {
    const style = styles[start] ?? null;
    let end = start + 1;
    while (end < styles.length && styles[end] === style) end += 1;
    if (style !== null) spans.push({ start: start + offset, end: end + offset, style });
    start = end;
  }
  return spans;
}

function toMessageSpans(text: string, facts: HighlightFacts): readonly StyledSpan[] {
  const mark = /^\s*\?/.exec(text)?.[0].length ?? 0;
  const marked: StyledSpan[] = mark === 0 ? [] : [{ start: mark - 1, end: mark, style: 'ai' }];
  const mentions = parseMentions(text).map(({ start, end, path }): StyledSpan => {
    return { start, end, style: facts.isPath(path) ? 'mention' : 'variable' };
  });
  return [...marked, ...mentions];
}

/** `:name`, and the second word where the command has several; what begins no command is unknown. */
function toMetaSpans(text: string, facts: HighlightFacts): readonly StyledSpan[] {
  const found = /^(\s*)(:([a-zA-Z-]*))(\s*)(\S*)/.exec(text);
  if (found === null) return [{ start: 0, end: text.length, style: 'meta' }];
  const [, indent = '', command = '', name = '', blank = '', second = ''] = found;
  const start = indent.length;
  const end = start + command.length;
  const entries = META_COMMANDS.filter((entry) => isNamed(entry, name));
  const style = styleOfMeta(
    name,
    [...new Set(META_COMMANDS.flatMap(({ name: long, short }) => [long, ...(short === undefined ? [] : [short])]))],
    end === text.length,
  );
  const first: StyledSpan[] = style === null ? [] : [{ start, end, style }];
  if (entries.some((entry) => entry.takesLine === true))
    return [...first, ...toShellSpans(text, end + blank.length, facts)];
  const actions = entries.flatMap((entry) => entry.action ?? []);
  if (actions.length === 0 || second === '') return first;
  const from = end + blank.length;
  const to = from + second.length;
  const other = styleOfMeta(second, actions, to === text.length);
  return other === null ? first : [...first, { start: from, end: to, style: other }];
}

function styleOfMeta(word: string, known: readonly string[], isOpen: boolean): Style | null {
  if (known.includes(word)) return 'meta';
  return isOpen && known.some((name) => name.startsWith(word)) ? null : 'unknown';
}
