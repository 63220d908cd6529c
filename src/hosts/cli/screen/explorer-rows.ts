import { beginExploration, type Exploration, followExploration, isLimit } from '../../../core/explore/explorer.ts';
import { formatRow, THINKING } from '../../../core/explore/messages.ts';
import { formatTokens } from '../../../core/session/context-state.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { EventOf } from '../../../protocol/event.ts';
import type { ToolCall } from '../../../protocol/tool.ts';
import { clipText } from './wrap.ts';

/** The longest question and the longest call of a row. */
const QUESTION_COLUMNS = 40;
const CALL_COLUMNS = 40;

/** One row for each explorer at work. An explorer that is done leaves its row as a line that stays. */
export class ExplorerRows {
  readonly #works = new Map<number, { readonly work: Exploration; readonly now: string }>();

  /** The rows after an event, and the line that stays; null for none. */
  take({ explorer, event }: EventOf<'explorer.event'>): {
    readonly rows: readonly string[];
    readonly done: string | null;
  } {
    const before = this.#works.get(explorer);
    const begun = event.type === 'turn.started' && before === undefined ? beginExploration(event.text) : before?.work;
    if (begun === undefined) return { rows: this.#rows(), done: null };
    const work = followExploration(begun, event);
    const [call] = event.type === 'step.completed' ? event.calls : [];
    const now =
      call === undefined ? (event.type === 'step.completed' ? '' : (before?.now ?? THINKING)) : nameCall(call);
    const isDone = event.type === 'turn.ended' && !isLimit(event.reason);
    if (isDone) this.#works.delete(explorer);
    else this.#works.set(explorer, { work, now });
    return { rows: this.#rows(), done: isDone ? toRow(explorer, work, '') : null };
  }

  #rows(): readonly string[] {
    return [...this.#works]
      .sort(([one], [other]) => one - other)
      .map(([number, { work, now }]) => toRow(number, work, now));
  }
}

function toRow(number: number, { question, tokens }: Exploration, now: string): string {
  const asked = clipText(escapeForDisplay(question), QUESTION_COLUMNS);
  return formatRow(number, asked, clipText(escapeForDisplay(now), CALL_COLUMNS), formatTokens(tokens));
}

function nameCall({ name, arguments: args }: ToolCall): string {
  const what = args.command ?? args.path;
  return typeof what === 'string' ? (args.command === undefined ? `${name} ${what}` : what) : name;
}
