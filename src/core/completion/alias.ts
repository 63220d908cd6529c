import { type CursorContext, findCursorContext } from './cursor-context.ts';

/** A line with an alias replaced by what it stands for. */
export interface ExpandedLine {
  readonly text: string;
  readonly cursor: number;
  readonly context: CursorContext;
  /** How much further right everything behind the alias stands. */
  readonly shift: number;
}

/** What does more than run one command stands for no command that could be completed. */
const COMPOUND = /[;|&<>()$'"`\\\n]/;
const MOST_ROUNDS = 10;

/** Reads the command at the cursor as the shell would: where an alias names it, by what that stands for, again and again. */
export function expandAlias(
  text: string,
  context: CursorContext,
  aliases: ReadonlyMap<string, string>,
): ExpandedLine | null {
  const { word } = context;
  let line: ExpandedLine = { text, cursor: word.start + word.raw.length, context, shift: 0 };
  const done = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const [first] = line.context.words;
    const body = first === undefined || done.has(first.raw) ? undefined : aliases.get(first.raw);
    if (first === undefined || body === undefined || COMPOUND.test(body) || body.trim() === '') break;
    done.add(first.raw);
    const shift = body.length - first.raw.length;
    const whole = line.text.slice(0, first.start) + body + line.text.slice(first.start + first.raw.length);
    const expanded = findCursorContext(whole, line.cursor + shift);
    if (expanded === null) break;
    line = { text: whole, cursor: line.cursor + shift, context: expanded, shift: line.shift + shift };
  }
  return done.size === 0 ? null : line;
}
