import { definedOf } from '../../../adapters/config/paths.ts';
import type { Job, JobNotice } from '../../../adapters/shell/background.ts';
import type { Shell } from '../../../adapters/shell/shell.ts';
import type { Foreground } from '../../../core/prompt/prompt-state.ts';
import { type Style, styled, type Theme } from '../../../core/terminal/theme.ts';
import { sanitizeColoured, sanitizeLine, sanitizeText } from '../../../core/text/sanitize.ts';
import type { Engine } from '../../../engine/session/engine.ts';
import type { OpenShell } from '../../../engine/shell/shared-shell.ts';
import { formatSecret, formatSecretEnd, type Place } from '../screen/prompt-line.ts';
import type { Tty } from '../screen/tty.ts';
import { runtimeFolder, type Setup } from '../setup/setup.ts';
import { formatKeysTo, formatUnstopped } from './messages.ts';
import type { ForegroundProgram } from './prompt-driver.ts';

interface ShellAtPromptDeps {
  readonly tty: Tty;
  readonly setup: Setup;
  readonly theme: Theme;
  readonly screen: Place;
  readonly login: boolean;
  readonly engine: () => Promise<Engine>;
  /** Shows text above the line that is typed. */
  readonly print: (text: string) => void;
  readonly say: (style: Style, text: string) => void;
  readonly onTypedAhead: (bytes: Uint8Array) => void;
  readonly onReady: () => void;
  /** The shell ended by itself at its prompt. */
  readonly onLeft: () => void;
}

/** Longest wait for the startup files before a line is routed without what they define. */
const BOOT_WAIT_MS = 3000;

/** A command of the model that takes longer gets a notice about the owner of the keys. */
const LONG_MS = 2000;

/** A prompt of more lines leaves no room for the rest. */
const MOST_PROMPT_LINES = 10;

/** The user's shell beside the line: its own prompt, its jobs, and its output between commands. */
export class ShellAtPrompt {
  readonly #deps: ShellAtPromptDeps;
  #ready = Promise.withResolvers<void>();
  #shell: Shell | null = null;
  /** The job whose output was shown last, so that it is named once. */
  #named: number | null = null;
  #prompt: string | null = null;

  constructor(deps: ShellAtPromptDeps) {
    this.#deps = deps;
  }

  /** Settles when the startup files have run, or take too long. */
  async booted(): Promise<void> {
    await Promise.race([this.#ready.promise, Bun.sleep(BOOT_WAIT_MS)]);
  }

  /** The program in the foreground of the shell; null while there is no shell. */
  get program(): ForegroundProgram | null {
    return this.#shell;
  }

  /** Shows how to end a program that Ctrl-C does not stop. */
  offerSignals({ name, group }: Foreground): void {
    const { tty, theme } = this.#deps;
    const text = formatUnstopped(name, group);
    tty.write(`\r\n${styled(theme, 'dim', sanitizeText(text))}\r\n`);
  }

  /** Jobs in the background, running and stopped. */
  get jobs(): readonly Job[] {
    return this.#shell?.report.jobs ?? [];
  }

  /** The shell's own prompt where it is to be shown; null for ours. */
  get prompt(): string | null {
    return this.#prompt;
  }

  /** The shell's text for the right edge, if its own prompt is shown. */
  get rightPrompt(): string {
    const right = this.#prompt === null ? null : this.#shell?.report.rightPrompt;
    return right && !right.includes('\n') ? sanitizeColoured(right) : '';
  }

  /** Name of the virtual environment that is active; null where there is none. */
  get environment(): string | null {
    return this.#shell?.report.environment ?? null;
  }

  /** A command of the model runs: the keys are the user's, and a notice says so when it takes long. */
  tellWhoTypes(isRunning: () => boolean): void {
    setTimeout(() => {
      const shell = this.#shell;
      const name = shell?.foreground?.name;
      if (shell === null || name === undefined || !isRunning()) return;
      if (!shell.isAtLineStart) return this.tellWhoTypes(isRunning);
      const { tty, theme } = this.#deps;
      tty.write(`${styled(theme, 'dim', sanitizeLine(formatKeysTo(name)))}\r\n`);
    }, LONG_MS);
  }

  /** Opens the shell with its output on this terminal. */
  readonly open: OpenShell = async (cwd, restore = null, how) => {
    const { tty, setup, login } = this.#deps;
    const { Shell } = await import('../../../adapters/shell/shell.ts');
    this.#ready = Promise.withResolvers();
    const program = (await this.#deps.engine()).shellProgram();
    this.#shell = Shell.open({
      env: definedOf(setup.env),
      size: tty.size(),
      runtimeDir: runtimeFolder(setup),
      terminal: tty.fd,
      login,
      cwd,
      restore,
      ...how,
      program,
      renderPrompt: setup.loaded.config.ui.prompt !== 'aish',
      onOutside: (bytes, job) => this.#showOutside(bytes, job),
      onJobNotice: (notice) => this.#tellJob(notice),
      onTrouble: (line) => this.#tellTrouble(line),
      onTypedAhead: this.#deps.onTypedAhead,
      onPrompt: () => {
        this.#prompt = this.#ownPrompt();
        this.#deps.onReady();
      },
      onState: (state) => {
        if (state === 'ended' && this.#shell?.hasLeft === true) this.#deps.onLeft();
        if (state !== 'ready') return;
        this.#named = null;
        this.#prompt = this.#ownPrompt();
        this.#ready.resolve();
        this.#deps.onReady();
      },
      onPasswordWanted: (program) => tty.write(formatSecret(program, this.#deps.screen)),
      onPasswordOver: () => tty.write(formatSecretEnd(this.#deps.screen)),
    });
    return this.#shell;
  };

  /** By the configuration, or because the user made one. */
  #ownPrompt(): string | null {
    const wanted = this.#deps.setup.loaded.config.ui.prompt;
    const report = this.#shell?.report;
    if (report === undefined || report.prompt === null || wanted === 'aish') return null;
    if (wanted === 'auto' && !report.isPromptOwn) return null;
    const lines = sanitizeColoured(report.prompt).split('\n');
    return lines.slice(-MOST_PROMPT_LINES).join('\n');
  }

  /** Output of no command, under the name of its job where it can be no other. */
  #showOutside(bytes: Uint8Array, job: Job | null): void {
    const { print, theme } = this.#deps;
    const text = sanitizeColoured(new TextDecoder().decode(bytes));
    if (text === '') return;
    const isNew = job !== null && job.number !== this.#named;
    this.#named = job?.number ?? null;
    print(isNew ? `${styled(theme, 'dim', `[${job.number}] ${sanitizeLine(job.line)}:`)}\n${text}` : text);
  }

  /** Below what the program in the foreground has written so far; its prompt, where it shows one, stands below that again. */
  #tellTrouble(line: string): void {
    const { tty, say } = this.#deps;
    const open = this.#shell?.openLine.slice() ?? new Uint8Array(0);
    if (open.length > 0) tty.write('\r\n');
    say('warning', line);
    if (open.length > 0) tty.write(new TextDecoder().decode(open));
  }

  #tellJob({ number, line, how }: JobNotice): void {
    this.#deps.say('dim', `[${number}] ${line}: ${how}`);
    this.#deps.onReady();
  }
}
