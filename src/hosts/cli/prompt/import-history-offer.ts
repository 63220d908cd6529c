import { formatError, toErrorFact } from '../../../protocol/error.ts';
import type { PromptHistory } from '../editor/history-at-prompt.ts';
import type { Style } from '../screen/theme.ts';

/** What the first look at history works with. */
export interface FirstLookDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: (style: Style, text: string) => void;
}

/** Reads the history behind the first prompt. Where there is none yet, what the shells of this user remember is taken over, and said. */
export async function lookAtHistory(history: PromptHistory, { env, say }: FirstLookDeps): Promise<void> {
  try {
    await history.load();
    if (history.size > 0 || !history.isKept) return;
    const { listForeignHistories, readForeignHistories } = await import('../../../adapters/history/import-history.ts');
    const found = readForeignHistories(listForeignHistories(env), { rules: history.rules, most: history.maxLines });
    const count = found.length === 0 ? 0 : history.merge(found, { onlyIfEmpty: true });
    const lines = count === 1 ? 'line' : 'lines';
    if (count > 0) say('dim', `history: took over ${count} ${lines} of your other shells; :history clear forgets them`);
  } catch (thrown) {
    say('warning', `the history cannot be read: ${formatError(toErrorFact(thrown))}`);
  }
}
