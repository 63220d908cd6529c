import { join } from 'node:path';
import { parseIgnored } from '../../core/history-rules.ts';
import { PromptHistory } from './editor/history-at-prompt.ts';
import type { Setup } from './setup.ts';

/** The history all terminals share, by the rules of the configuration and of the environment. */
export function openHistory({ loaded, paths, cwd, env }: Setup): PromptHistory {
  const { enabled, ignore, duplicates, max_lines } = loaded.config.history;
  const history = new PromptHistory({
    path: enabled ? join(paths.state, 'history.jsonl') : null,
    rules: { ignore, duplicates },
    maxLines: max_lines,
    session: `${Date.now().toString(36)}-${process.pid.toString(36)}`,
    cwd,
  });
  // Until the shell itself tells.
  history.follow({ control: env.HISTCONTROL ?? '', ignore: parseIgnored(env.HISTIGNORE ?? '', 'bash') });
  return history;
}
