import { type Candidate, type Completion, takeBestFits } from '../../../core/completion/completion.ts';
import { matchDirectories } from '../../../core/completion/match-directories.ts';
import { CLIENT_COMMANDS, completeMetaCommand, OWNER_COMMANDS } from '../../../core/meta/meta-command.ts';
import type { MetaArgument, MetaEntry } from '../../../core/meta/meta-entry.ts';
import { formatPath } from '../../../core/prompt/directories.ts';
import type { PromptRole } from '../../../core/prompt/prompt-state.ts';
import type { Engine } from '../../../engine/session/engine.ts';
import type { PromptHistory } from '../editor/history-at-prompt.ts';
import type { Setup } from '../setup/setup.ts';

interface MetaContext {
  readonly setup: Setup;
  readonly role: PromptRole;
  readonly engine: () => Promise<Pick<Engine, 'servers'>>;
  readonly history: Pick<PromptHistory, 'directories'>;
  readonly cwd: () => string;
  /** Names that only the running program knows, by the kind of argument they fit. */
  readonly names: (kind: string) => readonly string[];
  readonly completePath: (before: string, from: number) => Promise<readonly Completion[]>;
  readonly completeHandle: (word: string, before: string) => readonly Completion[];
}

const MOST_SESSIONS = 100;
const MOST_DIRECTORIES = 30;

/** Completions for the end of an unfinished meta line: from the table, or from files and the session. */
export async function completeMeta(before: string, context: MetaContext): Promise<readonly Completion[]> {
  const kinds: MetaArgument[] = [];
  const note = (kind: MetaArgument): readonly string[] => {
    kinds.push(kind);
    return context.names(kind);
  };
  const found = completeMetaCommand(before, note, commandsOf(context));
  if (found.length > 0) return found;
  return kinds.length === 0 ? completeLoosely(before, context) : completeArgument(kinds, before, context);
}

function commandsOf({ role }: MetaContext): readonly MetaEntry[] {
  return role === 'owner' ? OWNER_COMMANDS : CLIENT_COMMANDS;
}

/** No word of the table begins so: those that hold its letters. */
function completeLoosely(before: string, context: MetaContext): readonly Completion[] {
  const typed = /(?<![^\s:])[^\s:]*$/.exec(before)?.[0] ?? '';
  const all = completeMetaCommand(before.slice(0, before.length - typed.length), context.names, commandsOf(context));
  return takeBestFits(all, typed, ({ text }) => text);
}

async function completeArgument(
  kinds: readonly MetaArgument[],
  before: string,
  context: MetaContext,
): Promise<readonly Completion[]> {
  const start = before.search(/(?<!\S)\S*$/);
  const typed = before.slice(start);
  if (kinds.includes('path')) return context.completePath(before, start);
  // Outputs are compared by their handles where checkpoints are by their names.
  if (kinds.includes('checkpoint') && typed.startsWith('%')) return context.completeHandle(typed, before);
  if (kinds.includes('directory')) return completeDirectory(before, context);
  const candidates = await Promise.all(kinds.map((kind) => listMetaArguments(kind, context)));
  return takeBestFits(candidates.flat(), typed, ({ value }) => value).map(({ value, description }) => ({
    start,
    text: value,
    ...(description === undefined ? {} : { description }),
  }));
}

/** Directories for the words of a command. All words together find them, so a path takes the place of all of them. */
function completeDirectory(before: string, { setup, history, cwd }: MetaContext): readonly Completion[] {
  const start = /^\s*:\S+\s+/.exec(before)?.[0].length ?? before.length;
  const words = before
    .slice(start)
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = matchDirectories(words, history.directories()).filter((path) => path !== cwd());
  return found.slice(0, MOST_DIRECTORIES).map((path) => ({ start, text: formatPath(path, setup.env.HOME) }));
}

/** Candidates for an argument of a meta-command, if files or the repository have them; none if only the user knows. */
async function listMetaArguments(kind: MetaArgument, context: MetaContext): Promise<readonly Candidate[]> {
  try {
    switch (kind) {
      case 'session':
        return await listSessionNames(context);
      case 'checkpoint':
        return await listCheckpointNames(context);
      case 'server':
        return await listServerNames(context);
      case 'tool':
        return await listToolNames(context);
      case 'topic':
      case 'url':
      case 'alias':
      case 'model':
      case 'output':
      case 'line':
      case 'words':
      case 'list':
      case 'switch':
      case 'usage':
      case 'theme':
      case 'path':
      case 'approve':
      case 'history':
      case 'directory':
        return [];
    }
  } catch {
    // Completion offers the readable entries; the command itself reports the error.
    return [];
  }
}

async function listSessionNames({ setup }: MetaContext): Promise<readonly Candidate[]> {
  const { listSessions } = await import('../../../adapters/store/sessions.ts');
  return listSessions(setup.paths.state)
    .slice(0, MOST_SESSIONS)
    .map(({ id, name, firstText }) => ({ value: id, description: name ?? firstText ?? '(no messages)' }));
}

/** Those of the configuration and those connected since. */
async function listServerNames({ engine }: MetaContext): Promise<readonly Candidate[]> {
  const servers = await (await engine()).servers();
  return (servers?.statuses() ?? []).map(({ alias, state, url, command }) => ({
    value: alias,
    description: [state, url ?? command ?? ''].join(' ').trim(),
  }));
}

/** The names known so far: nothing waits for a server here. */
async function listToolNames({ engine }: MetaContext): Promise<readonly Candidate[]> {
  const servers = await (await engine()).servers();
  const known = await servers?.tools({ waitMs: 0, signal: new AbortController().signal });
  return (known?.tools ?? []).map(({ name, description }) => ({ value: name, description: firstLineOf(description) }));
}

function firstLineOf(text: string | undefined): string {
  return text?.trim().split('\n', 1)[0] ?? '';
}

async function listCheckpointNames({ cwd }: MetaContext): Promise<readonly Candidate[]> {
  const { timeline } = await import('../../../adapters/git/snapshot/timeline.ts');
  return (await timeline(cwd())).map(({ id, label }) => ({ value: id, description: label }));
}
