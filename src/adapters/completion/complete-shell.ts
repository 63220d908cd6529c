import { expandAlias } from '../../core/completion/alias.ts';
import { restOfCommand } from '../../core/completion/bash-words.ts';
import type { Completion } from '../../core/completion/completion.ts';
import { type CursorContext, findCursorContext } from '../../core/completion/cursor-context.ts';
import { takeBestFits } from '../../core/completion/rank-match.ts';
import { fromHelper } from './helper-matches.ts';
import type { HelperShell } from './helper-shell.ts';
import type { LiveNames } from './live-names.ts';
import { completeByOurselves } from './own-answer.ts';

/** A line of the shell that is to be completed. */
export interface ShellLine {
  readonly text: string;
  readonly cursor: number;
  readonly signal: AbortSignal;
}

/**
 * Completes a line of the shell: at once where files and tables of our own tell all, else as the person's own completion does, and by
 * ourselves after all where that is not there, knows nothing, or takes too long.
 */
export async function completeShell(
  { text, cursor, signal }: ShellLine,
  live: LiveNames,
  helper: HelperShell | null,
): Promise<readonly Completion[]> {
  const context = findCursorContext(text, cursor);
  if (context === null) return [];
  const expanded = expandAlias(text, context, live.aliases);
  if (expanded === null) return completeAt({ text, cursor, signal }, { context, live, helper });
  const found = await completeAt({ ...expanded, signal }, { context: expanded.context, live, helper });
  return found.map((one) => ({ ...one, start: one.start - expanded.shift }));
}

interface Answering {
  readonly context: CursorContext;
  readonly live: LiveNames;
  readonly helper: HelperShell | null;
}

async function completeAt(
  { text, cursor, signal }: ShellLine,
  { context, live, helper }: Answering,
): Promise<readonly Completion[]> {
  const owning = completeByOurselves(context, live);
  const asksHelper = helper !== null && context.place === 'argument' && context.words.length > 0;
  const own = await owning;
  if (own.isFinal || !asksHelper) return own.completions;
  const isAlone = own.completions.length === 0;
  const rest = context.word.quote === 'none' ? restOfCommand(text, cursor) : '';
  const ask = (end: number) => {
    const request = { line: text.slice(context.start, end), rest, cwd: live.cwd, exportsFile: live.exportsFile };
    return helper.ask(request, { signal, isAlone });
  };
  const matches = await ask(cursor);
  if (matches !== null) return describe(await fromHelper(matches, context, live), own.completions);
  if (own.completions.length > 0 || signal.aborted) return own.completions;
  return askLoosely(context, { ask, live });
}

interface Asking {
  readonly ask: (end: number) => ReturnType<HelperShell['ask']>;
  readonly live: LiveNames;
}

/** Nothing begins as typed: asks for all there is in that place, and takes what fits best. */
async function askLoosely(context: CursorContext, { ask, live }: Asking): Promise<readonly Completion[]> {
  const { word, words } = context;
  // Letters behind one dash are options as they stand, each of its own.
  if (words.some(({ value }) => value === '--') || /^-[A-Za-z\d]+$/.test(word.raw)) return [];
  const dashes = /^-*/.exec(word.raw)?.[0].length ?? 0;
  if (word.raw.length <= dashes || word.quote !== 'none' || /[/=:\\"'$]/.test(word.raw)) return [];
  const matches = await ask(word.start + dashes);
  if (matches === null) return [];
  const all = (await fromHelper(matches, context, live)).filter(({ start }) => start === word.start);
  return takeBestFits(all, word.value, (one) => one.value ?? one.text);
}

/** The helper says what there is; where it has no words for it, ours stand beside it. */
function describe(completions: readonly Completion[], own: readonly Completion[]): readonly Completion[] {
  const descriptions = new Map(own.map((one) => [one.value ?? one.text, one.description]));
  return completions.map((completion) => {
    const description = completion.description ?? descriptions.get(completion.value ?? completion.text);
    return description === undefined ? completion : { ...completion, description };
  });
}
