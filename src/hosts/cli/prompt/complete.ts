import { completeShell } from '../../../adapters/completion/complete-shell.ts';
import { HelperShell } from '../../../adapters/completion/helper-shell.ts';
import type { LiveNames } from '../../../adapters/completion/live-names.ts';
import { OptionTexts } from '../../../adapters/completion/option-texts.ts';
import { completePath } from '../../../adapters/completion/path-words.ts';
import { definedOf } from '../../../adapters/config/paths.ts';
import type { McpServers } from '../../../adapters/mcp/servers.ts';
import { KnownCalls } from '../../../adapters/shell/known-calls.ts';
import { NO_DIRECTORIES } from '../../../adapters/shell/lookup.ts';
import { findShell } from '../../../adapters/shell/program.ts';
import { type Candidate, type Completion, takeBestFits } from '../../../core/completion/completion.ts';
import { scanLine } from '../../../core/completion/scan-line.ts';
import type { CompletionRequest } from '../../../core/editor/line-editor-options.ts';
import { CLIENT_COMMANDS, completeMetaCommand, OWNER_COMMANDS } from '../../../core/meta/meta-command.ts';
import type { MetaArgument, MetaEntry } from '../../../core/meta/meta-entry.ts';
import { isMetaLine, withColon } from '../../../core/meta/meta-line.ts';
import { formatPath, matchDirectories } from '../../../core/prompt/directories.ts';
import type { PromptRole } from '../../../core/prompt/prompt-state.ts';
import type { PromptHistory } from '../editor/history-at-prompt.ts';
import { runtimeFolder, type Setup } from '../setup/setup.ts';
import type { KnownShell } from './line-facts.ts';

/** Dependencies of completion. */
export interface CompleterDeps {
  readonly setup: Setup;
  readonly servers: () => Promise<McpServers | null>;
  readonly shell: () => KnownShell | null;
  /** Directory of the shell. */
  readonly cwd: () => string;
  readonly history: Pick<PromptHistory, 'directories'>;
  /** Names that only the running program knows, by the kind of argument they fit. */
  readonly names: (kind: string) => readonly string[];
  readonly role: PromptRole;
  /** Fires when the prompt ends, and with it the helper. */
  readonly ending: AbortSignal;
}

/** Helper shells; null once the prompt ends. */
interface Sources {
  readonly helper: HelperShell | null;
  readonly optionTexts: OptionTexts | null;
}

type Answer = Promise<readonly Completion[]> | readonly Completion[];

/** A mention of a file that ends at the cursor, as messages to the model have them. */
const MENTION = /(?<![\p{L}\p{N}_.+@/\\-])@!?("[^"\n]*|(?:\\.|[^\s"`<>|;\\@])*)$/u;

/** Completes at the cursor: aish's own syntax by its tables, all else by the shell. Loaded at the first Tab. */
export class Completer {
  readonly #deps: CompleterDeps;
  readonly #calls: KnownCalls;
  #sources: Sources | null = null;

  constructor(deps: CompleterDeps) {
    this.#deps = deps;
    this.#calls = new KnownCalls(deps.setup.env.HOME ?? '/');
    deps.ending.addEventListener('abort', () => this.close(), { once: true });
  }

  /** Answers a Tab; nothing in it ever fails. */
  complete({ text, cursor, signal }: CompletionRequest): Answer {
    const before = text.slice(0, cursor);
    const meta = isMetaLine(before) ? before : withColon(before, (word) => this.#deps.shell()?.lookup(word) !== null);
    if (meta !== null) return this.#completeMeta(meta, before.length - meta.length, signal);
    const handle = /^\s*(%\d*)$/.exec(before)?.[1];
    if (handle !== undefined) return this.#completeHandle(handle, before);
    const mention = MENTION.exec(before)?.[1];
    if (mention !== undefined && !/^\s*!/.test(before)) return this.#completeMention(before, mention);
    const forced = /^\s*[!?]/.exec(before)?.[0].length ?? 0;
    return this.#completeShell(text.slice(forced), { text, cursor: cursor - forced, signal }, forced);
  }

  /** Ends the helper shells. */
  close(): void {
    this.#sources?.helper?.close();
    this.#sources?.optionTexts?.close();
  }

  /** Handles of outputs at the beginning of a line. */
  #completeHandle(word: string, before: string): readonly Completion[] {
    const start = before.length - word.length;
    return this.#deps
      .names('output')
      .filter((name) => name.startsWith(word))
      .map((text) => ({ start, text }));
  }

  /** `shift`: how much further right the line begins in the editor. */
  async #completeMeta(line: string, shift: number, signal: AbortSignal): Promise<readonly Completion[]> {
    const whole = /^(\s*:private\s+)\S/.exec(line)?.[1];
    if (whole !== undefined) {
      const command = line.slice(whole.length);
      const request = { text: command, cursor: command.length, signal };
      return this.#completeShell(command, request, whole.length + shift);
    }
    return shifted(await this.#completeMetaLine(line), shift);
  }

  /** From the table, or from files and the session. */
  async #completeMetaLine(before: string): Promise<readonly Completion[]> {
    const { role, names } = this.#deps;
    const commands = role === 'owner' ? OWNER_COMMANDS : CLIENT_COMMANDS;
    const kinds: MetaArgument[] = [];
    const note = (kind: MetaArgument): readonly string[] => {
      kinds.push(kind);
      return names(kind);
    };
    const { listCustomEntries } = await import('../commands/custom-command.ts');
    const custom = listCustomEntries({ setup: this.#deps.setup, cwd: this.#deps.cwd() });
    const found = completeMetaCommand(before, note, [...commands, ...custom]);
    if (found.length > 0) return found;
    if (/^\s*:[\w-]+\./.test(before)) return this.#completeOfServer(before, null);
    return kinds.length === 0 ? completeLoosely(before, names, commands) : this.#completeArgument(kinds, before);
  }

  /** A resource of a server, or a file. */
  async #completeMention(before: string, mention: string): Promise<readonly Completion[]> {
    const found = /^[\w-]+:/.test(mention) ? await this.#completeOfServer(before, mention) : [];
    return found.length > 0 ? found : this.#completePath(before, before.length - mention.length);
  }

  /** Prompts, or with a mention resources; none from a server that fails. */
  async #completeOfServer(before: string, mention: string | null): Promise<readonly Completion[]> {
    const { completeResource, completeServerPrompt } = await import('../commands/custom-command.ts');
    const { ending } = this.#deps;
    const servers = await this.#deps.servers();
    const found =
      mention === null
        ? completeServerPrompt(before, servers, ending)
        : completeResource(before, mention, servers, ending);
    return found.catch(() => []);
  }

  async #completeArgument(kinds: readonly MetaArgument[], before: string): Promise<readonly Completion[]> {
    const start = before.search(/(?<!\S)\S*$/);
    const typed = before.slice(start);
    if (kinds.includes('path')) return this.#completePath(before, start);
    // Outputs are compared by their handles where checkpoints are by their names.
    if (kinds.includes('checkpoint') && typed.startsWith('%')) return this.#completeHandle(typed, before);
    if (kinds.includes('directory')) return completeDirectory(before, this.#deps);
    // The command itself reports what cannot be read.
    const candidates = await Promise.all(kinds.map((kind) => LISTS[kind]?.(this.#deps).catch(() => []) ?? []));
    return takeBestFits(candidates.flat(), typed, ({ value }) => value).map((one) => ({
      ...one,
      start,
      text: one.value,
    }));
  }

  /** A blank in the path is kept by a backslash or by quotes, as the user began. */
  async #completePath(before: string, from: number): Promise<readonly Completion[]> {
    const part = before.slice(from);
    const word = scanLine(part, part.length)?.word;
    if (word === undefined) return [];
    const found = await completePath(word, await this.#liveNames(), { from: 0 });
    return shifted(found, from);
  }

  async #completeShell(line: string, request: CompletionRequest, shift: number): Promise<readonly Completion[]> {
    const names = await this.#liveNames();
    this.#sources ??= this.#openSources();
    return shifted(await completeShell({ ...request, text: line }, names, this.#sources), shift);
  }

  /** The shell reports its names behind its prompt, so a Tab right after a command waits for those of this prompt. */
  async #liveNames(): Promise<LiveNames> {
    const { setup, cwd } = this.#deps;
    const shell = this.#deps.shell();
    await shell?.lookups.settled();
    return {
      cwd: cwd(),
      home: setup.env.HOME ?? '/',
      commands: async (isWanted) => (await shell?.lookups.list(isWanted, cwd())) ?? new Map(),
      aliases: shell?.lookups.aliases ?? new Map(),
      variables: shell?.lookups.variables ?? [],
      jobs: shell?.report.jobs ?? [],
      directories: shell?.lookups.directories ?? NO_DIRECTORIES,
      options: shell?.lookups.options ?? [],
      calls: this.#calls,
      exportsFile: shell?.lookups.exportsFile ?? null,
      env: setup.env,
    };
  }

  #openSources(): Sources {
    const { setup, ending } = this.#deps;
    if (ending.aborted) return { helper: null, optionTexts: null };
    const { program } = setup.loaded.config.shell;
    const options = {
      program: findShell({ program, env: setup.env }),
      runtimeDir: runtimeFolder(setup),
      cacheFolder: setup.paths.cache,
      env: { ...definedOf(setup.env), AISH: String(process.pid) },
    };
    return { helper: new HelperShell(options), optionTexts: new OptionTexts(options) };
  }
}

function shifted(completions: readonly Completion[], by: number): readonly Completion[] {
  return by === 0 ? completions : completions.map((one) => ({ ...one, start: one.start + by }));
}

const MOST_SESSIONS = 100;
const MOST_DIRECTORIES = 30;

/** No word of the table begins so: those that hold its letters. */
function completeLoosely(
  before: string,
  names: CompleterDeps['names'],
  commands: readonly MetaEntry[],
): readonly Completion[] {
  const typed = /(?<![^\s:])[^\s:]*$/.exec(before)?.[0] ?? '';
  const all = completeMetaCommand(before.slice(0, before.length - typed.length), names, commands);
  return takeBestFits(all, typed, ({ text }) => text);
}

/** Directories for the words of a command. All words together find them, so a path takes the place of all of them. */
function completeDirectory(before: string, { setup, history, cwd }: CompleterDeps): readonly Completion[] {
  const start = /^\s*:\S+\s+/.exec(before)?.[0].length ?? before.length;
  const words = before
    .slice(start)
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = matchDirectories(words, history.directories()).filter((path) => path !== cwd());
  return found.slice(0, MOST_DIRECTORIES).map((path) => ({ start, text: formatPath(path, setup.env.HOME) }));
}

async function listSessionNames({ setup }: CompleterDeps): Promise<readonly Candidate[]> {
  const { listSessions } = await import('../../../adapters/store/sessions.ts');
  return listSessions(setup.paths.state)
    .slice(0, MOST_SESSIONS)
    .map(({ id, name, firstText }) => ({ value: id, description: name ?? firstText ?? '(no messages)' }));
}

/** Those of the configuration and those connected since. */
async function listServerNames({ servers }: CompleterDeps): Promise<readonly Candidate[]> {
  return ((await servers())?.statuses() ?? []).map(({ alias, state, url, command }) => ({
    value: alias,
    description: [state, url ?? command ?? ''].join(' ').trim(),
  }));
}

/** The names known so far: nothing waits for a server here. */
async function listToolNames({ servers }: CompleterDeps): Promise<readonly Candidate[]> {
  const known = await (await servers())?.tools({ waitMs: 0, signal: new AbortController().signal });
  return (known?.tools ?? []).map(({ name, description }) => ({ value: name, description: firstLineOf(description) }));
}

function firstLineOf(text: string | undefined): string {
  return text?.trim().split('\n', 1)[0] ?? '';
}

async function listCheckpointNames({ cwd }: CompleterDeps): Promise<readonly Candidate[]> {
  const { timeline } = await import('../../../adapters/git/snapshot/timeline.ts');
  return (await timeline(cwd())).map(({ id, label }) => ({ value: id, description: label }));
}

/** Arguments of which files, servers or the repository have a list; all others only the user knows. */
const LISTS: { readonly [K in MetaArgument]?: (deps: CompleterDeps) => Promise<readonly Candidate[]> } = {
  session: listSessionNames,
  checkpoint: listCheckpointNames,
  server: listServerNames,
  tool: listToolNames,
};
