import { AishError } from '../../../../protocol/error.ts';
import type { Options } from '../../setup/args.ts';
import { COMPLETION_SHELLS } from '../../setup/command-table.ts';
import { prepare } from '../../setup/setup.ts';
import { formatBashCompletion } from './bash-script.ts';
import { formatFishCompletion } from './fish-script.ts';
import { formatZshCompletion } from './zsh-script.ts';

/** Runs `aish completion`: prints the script for a shell, or, for those scripts, the names of a kind, one a line. */
export async function runCompletion([shell, kind]: readonly string[], options: Options): Promise<string> {
  switch (shell) {
    case 'bash':
      return formatBashCompletion();
    case 'zsh':
      return formatZshCompletion();
    case 'fish':
      return formatFishCompletion();
    case 'names':
      return (await listNames(kind, options)).map((name) => `${name}\n`).join('');
    default:
      throw new AishError('usage', `aish completion takes ${COMPLETION_SHELLS.join(' | ')}`, {
        hint: 'for example eval "$(aish completion bash)"',
      });
  }
}

/** The names of a kind; none after an error, because a completion cannot show one. */
async function listNames(kind: string | undefined, options: Options): Promise<readonly string[]> {
  try {
    const setup = await prepare(options);
    switch (kind) {
      case 'model':
        return Object.keys(setup.loaded.config.models);
      case 'session':
        return (await import('../../../../adapters/store/sessions.ts'))
          .listSessions(setup.paths.state)
          .map(({ id }) => id);
      case 'checkpoint':
        return (await (await import('../../../../adapters/git/snapshot/timeline.ts')).timeline(setup.cwd)).map(
          ({ id }) => id,
        );
      default:
        return [];
    }
  } catch {
    return [];
  }
}
