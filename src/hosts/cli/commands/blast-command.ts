import type { LiveSession } from '../../../engine/engine.ts';
import { measureLine } from '../../../engine/gate/measure-line.ts';
import { formatBlast } from '../screen/blast.ts';
import type { Theme } from '../screen/theme.ts';

/** What `:blast` works with. */
export interface BlastContext {
  readonly live: LiveSession;
  readonly theme: Theme;
  readonly columns: number;
}

/** What a line would touch if it ran here now. Nothing of it runs. */
export async function showBlast(line: string, { live, theme, columns }: BlastContext): Promise<string> {
  const cwd = live.sharedShell.placeNow();
  const blast = await measureLine(line, live.gate, new AbortController().signal, cwd);
  return formatBlast(blast, { columns, theme, cwd }).join('\n');
}
