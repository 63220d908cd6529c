import { formatError, toErrorFact } from '../../../protocol/error.ts';
import type { PromptHistory } from '../editor/history-at-prompt.ts';
import type { Style } from '../screen/theme.ts';
import { formatFirstImport, formatUnreadableHistory } from './messages.ts';

/** Dependencies of the first read of the history. */
export interface FirstLookDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: (style: Style, text: string) => void;
}

/** Reads the history behind the first prompt. If it is empty, imports the history of the user's other shells, and reports it. */
export async function lookAtHistory(history: PromptHistory, { env, say }: FirstLookDeps): Promise<void> {
  try {
    await history.load();
    if (history.size > 0 || !history.isKept) return;
    const { listForeignHistories, readForeignHistories } = await import('../../../adapters/history/import-history.ts');
    const found = readForeignHistories(listForeignHistories(env), { rules: history.rules, most: history.maxLines });
    const count = found.length === 0 ? 0 : history.merge(found, { onlyIfEmpty: true });
    if (count > 0) say('dim', formatFirstImport(count));
  } catch (thrown) {
    say('warning', formatUnreadableHistory(formatError(toErrorFact(thrown))));
  }
}
