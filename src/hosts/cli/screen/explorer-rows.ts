import { beginExploration, type Exploration, followExploration, isLimit } from '../../../core/explore/explorer.ts';
import { formatRow, THINKING } from '../../../core/explore/messages.ts';
import { formatTokens } from '../../../core/session/context-state.ts';
import { styled } from '../../../core/terminal/theme.ts';
import { clipText } from '../../../core/terminal/wrap.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { EventOf } from '../../../protocol/event.ts';
import type { ToolCall } from '../../../protocol/tool.ts';
import type { LiveAnswer, Stage } from './live-answer.ts';

/** The longest question and the longest call of a row. */
const QUESTION_COLUMNS = 40;
const CALL_COLUMNS = 40;

/** One row for each explorer at work. An explorer that is done leaves its row as a line that stays. */
export class ExplorerRows {
  readonly #live: Pick<LiveAnswer, 'note'>;
  readonly #stage: Pick<Stage, 'theme' | 'size'>;
  readonly #works = new Map<number, { readonly work: Exploration; readonly now: string }>();
  #callId = '';

  constructor(live: Pick<LiveAnswer, 'note'>, stage: Pick<Stage, 'theme' | 'size'>) {
    this.#live = live;
    this.#stage = stage;
  }

  /** Shows an event of an explorer. */
  show({ callId, explorer, event }: EventOf<'explorer.event'>): void {
    if (callId !== this.#callId) this.#works.clear();
    this.#callId = callId;
    const before = this.#works.get(explorer);
    const begun = event.type === 'turn.started' && before === undefined ? beginExploration(event.text) : before?.work;
    if (begun === undefined) return;
    const work = followExploration(begun, event);
    const now = event.type === 'step.completed' ? nameCall(event.calls[0]) : (before?.now ?? THINKING);
    const isDone = event.type === 'turn.ended' && !isLimit(event.reason);
    if (isDone) this.#works.delete(explorer);
    else this.#works.set(explorer, { work, now });
    this.#draw(isDone ? `${this.#toRow(explorer, work, '')}\n` : '');
  }

  /** The call is over, or with it the turn. */
  end(callId = this.#callId): void {
    if (callId !== this.#callId || this.#works.size === 0) return;
    this.#works.clear();
    this.#draw('');
  }

  #draw(finished: string): void {
    const works = [...this.#works].sort(([one], [other]) => one - other);
    const rows = works.map(([explorer, { work, now }]) => this.#toRow(explorer, work, now));
    this.#live.note(rows, finished);
  }

  #toRow(explorer: number, { question, tokens }: Exploration, now: string): string {
    const { theme, size } = this.#stage;
    const [asked, doing] = [clip(question, QUESTION_COLUMNS), clip(now, CALL_COLUMNS)];
    const row = `  ${formatRow(explorer, asked, doing, formatTokens(tokens))}`;
    return styled(theme, 'dim', clipText(row, size().columns - 1));
  }
}

function clip(text: string, columns: number): string {
  return clipText(escapeForDisplay(text), columns);
}

/** Empty without a call: the explorer reports. */
function nameCall(call: ToolCall | undefined): string {
  if (call === undefined) return '';
  const { command, path } = call.arguments;
  if (typeof command === 'string') return command;
  return typeof path === 'string' ? `${call.name} ${path}` : call.name;
}
