import type { HelperShell } from '../../../adapters/completion/helper-shell.ts';
import type { LiveNames } from '../../../adapters/completion/live-names.ts';
import type { OptionTexts } from '../../../adapters/completion/option-texts.ts';
import { KnownCalls } from '../../../adapters/shell/known-calls.ts';
import { NO_DIRECTORIES } from '../../../adapters/shell/shell-directories.ts';
import type { Completion } from '../../../core/completion/completion.ts';
import { isMetaLine, withColon } from '../../../core/meta/meta-line.ts';
import type { PromptRole } from '../../../core/prompt/prompt-state.ts';
import type { Engine } from '../../../engine/session/engine.ts';
import type { PromptHistory } from '../editor/history-at-prompt.ts';
import type { CompletionRequest } from '../editor/line-editor-options.ts';
import { runtimeFolder, type Setup } from '../setup/setup.ts';
import type { KnownShell } from './known-shell.ts';

interface CompleterDeps {
  readonly setup: Setup;
  readonly engine: () => Promise<Pick<Engine, 'servers'>>;
  readonly shell: () => KnownShell | null;
  readonly cwd: () => string;
  readonly history: Pick<PromptHistory, 'directories'>;
  /** Names that only the running program knows, by the kind of argument they fit. */
  readonly names: (kind: string) => readonly string[];
  readonly role: PromptRole;
  /** When it fires, the helper is ended. */
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

/** Completes at the cursor: aish's own syntax by its tables, all else by the shell. Its modules are loaded at the first Tab. */
export class Completer {
  readonly #deps: CompleterDeps;
  readonly #calls: KnownCalls;
  #sources: Promise<Sources> | null = null;
  #shellModule: Promise<typeof import('../../../adapters/completion/complete-shell.ts')> | null = null;

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
    if (mention !== undefined && !/^\s*!/.test(before)) return this.#completeMention(mention, before);
    const forced = /^\s*[!?]/.exec(before)?.[0].length ?? 0;
    return this.#completeShell(text.slice(forced), { text, cursor: cursor - forced, signal }, forced);
  }

  /** Ends the helper shells. */
  close(): void {
    void this.#sources?.then(({ helper, optionTexts }) => {
      helper?.close();
      optionTexts?.close();
    });
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
    const { completeMeta } = await import('./complete-meta.ts');
    const found = await completeMeta(line, {
      ...this.#deps,
      completePath: (before, from) => this.#completePath(before, from),
      completeHandle: (word, before) => this.#completeHandle(word, before),
    });
    return shifted(found, shift);
  }

  /** A blank in the path is kept by a backslash or by quotes, as the user began. */
  async #completeMention(mention: string, before: string): Promise<readonly Completion[]> {
    return this.#completePath(before, before.length - mention.length);
  }

  async #completePath(before: string, from: number): Promise<readonly Completion[]> {
    const [{ completePath }, { scanLine }] = await Promise.all([
      import('../../../adapters/completion/path-words.ts'),
      import('../../../core/completion/scan-line.ts'),
    ]);
    const part = before.slice(from);
    const word = scanLine(part, part.length)?.word;
    if (word === undefined) return [];
    const found = await completePath(word, await this.#liveNames(), { from: 0 });
    return shifted(found, from);
  }

  async #completeShell(line: string, request: CompletionRequest, shift: number): Promise<readonly Completion[]> {
    this.#shellModule ??= import('../../../adapters/completion/complete-shell.ts');
    const { completeShell } = await this.#shellModule;
    this.#sources ??= this.#openSources();
    const asked = { ...request, text: line };
    const found = await completeShell(asked, await this.#liveNames(), await this.#sources);
    return shifted(found, shift);
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

  async #openSources(): Promise<Sources> {
    const { setup, ending } = this.#deps;
    const [{ HelperShell }, { OptionTexts }, { findShell }] = await Promise.all([
      import('../../../adapters/completion/helper-shell.ts'),
      import('../../../adapters/completion/option-texts.ts'),
      import('../../../adapters/shell/program.ts'),
    ]);
    if (ending.aborted) return { helper: null, optionTexts: null };
    const { program } = setup.loaded.config.shell;
    const env = Object.entries(setup.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const options = {
      program: findShell({ program, env: setup.env }),
      runtimeDir: runtimeFolder(setup),
      cacheFolder: setup.paths.cache,
      env: { ...Object.fromEntries(env), AISH: String(process.pid) },
    };
    return { helper: new HelperShell(options), optionTexts: new OptionTexts(options) };
  }
}

function shifted(completions: readonly Completion[], by: number): readonly Completion[] {
  return by === 0 ? completions : completions.map((one) => ({ ...one, start: one.start + by }));
}
