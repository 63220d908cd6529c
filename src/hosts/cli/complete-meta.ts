import type { Candidate } from '../../core/completion/completion.ts';
import type { MetaArgument } from '../../core/meta-table.ts';
import type { LiveSession } from '../../engine/engine.ts';
import type { Setup } from './setup.ts';

/** Where the names of arguments come from. */
export interface MetaPlace {
  readonly setup: Setup;
  readonly live: LiveSession | null;
  readonly cwd: string;
}

const MOST_SESSIONS = 100;

/** What an argument of a meta-command may be, where files or the repository tell; none where only the person knows. */
export async function listMetaArguments(kind: MetaArgument, place: MetaPlace): Promise<readonly Candidate[]> {
  try {
    switch (kind) {
      case 'session':
        return await listSessionNames(place);
      case 'checkpoint':
        return await listCheckpointNames(place);
      case 'server':
        return Object.keys(place.setup.loaded.config.mcp.servers).map((value) => ({ value }));
      case 'topic':
      case 'url':
      case 'alias':
      case 'tool':
      case 'model':
      case 'output':
      case 'line':
      case 'theme':
      case 'path':
      case 'approve':
      case 'history':
        return [];
    }
  } catch {
    // Completion offers what can be read; the command itself says what is wrong.
    return [];
  }
}

async function listSessionNames({ setup }: MetaPlace): Promise<readonly Candidate[]> {
  const { listSessions } = await import('../../adapters/store/sessions.ts');
  return listSessions(setup.paths.state)
    .slice(0, MOST_SESSIONS)
    .map(({ id, firstText }) => ({ value: id, description: firstText ?? 'nothing was said' }));
}

async function listCheckpointNames({ cwd }: MetaPlace): Promise<readonly Candidate[]> {
  const { listCheckpoints } = await import('../../adapters/git/checkpoint.ts');
  return (await listCheckpoints(cwd)).map(({ id, label }) => ({ value: id, description: label }));
}
