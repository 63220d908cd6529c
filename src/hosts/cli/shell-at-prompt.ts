import type { Job, JobNotice } from '../../adapters/shell/jobs.ts';
import type { Shell } from '../../adapters/shell/shell.ts';
import { sanitizeColoured, sanitizeLine, sanitizeText } from '../../core/sanitize.ts';
import type { Engine } from '../../engine/engine.ts';
import { Insistence } from './interrupt.ts';
import { Leave } from './leave.ts';
import { formatSecret, formatSecretEnd, type Place } from './prompt-line.ts';
import { isDumbTerminal, type Look, styled, type Theme } from './screen/theme.ts';
import type { Tty } from './screen/tty.ts';
import type { Setup } from './setup.ts';

/** What the shell at the prompt works with. */
export interface ShellAtPromptParts {
  readonly tty: Tty;
  readonly setup: Setup;
  readonly theme: Theme;
  readonly login: boolean;
  readonly engine: () => Promise<Engine>;
  /** Shows text above the line that is typed. */
  readonly print: (text: string) => void;
  readonly say: (look: Look, text: string) => void;
  readonly onTypedAhead: (bytes: Uint8Array) => void;
  readonly onReady: () => void;
}

/** Longest wait for the startup files before a line is routed without what they define. */
const BOOT_WAIT_MS = 3000;

/** A command of the model that takes longer gets a word about who has the keys. */
const LONG_MS = 2000;

/** A prompt of more lines leaves no room for the rest. */
const MOST_PROMPT_LINES = 10;

/** The person's shell as it shows beside the line: its own prompt, its jobs, and what comes from it between commands. */
export class ShellAtPrompt {
  readonly #parts: ShellAtPromptParts;
  #ready = Promise.withResolvers<void>();
  #shell: Shell | null = null;
  /** The job whose output was shown last, so that it is named once. */
  #named: number | null = null;
  readonly #insistence: Insistence;
  #prompt: string | null = null;
  readonly leave = new Leave();

  constructor(parts: ShellAtPromptParts) {
    const { tty, theme } = parts;
    this.#parts = parts;
    this.#insistence = new Insistence(
      (text) => tty.write(`\r\n${styled(theme, 'dim', sanitizeText(text))}\r\n`),
      () => performance.now(),
    );
  }

  /** Settles when the startup files have run, or take too long. */
  async booted(): Promise<void> {
    await Promise.race([this.#ready.promise, Bun.sleep(BOOT_WAIT_MS)]);
  }

  /** Looks at keys for the program in the foreground; true when they were for us. */
  takeKeys(bytes: Uint8Array): boolean {
    return this.#shell !== null && this.#insistence.take(bytes, this.#shell);
  }

  /** Jobs in the background, running and stopped. */
  get jobs(): readonly Job[] {
    return this.#shell?.report.jobs ?? [];
  }

  /** The shell's own prompt where it is to be shown; null for ours. */
  get prompt(): string | null {
    return this.#prompt;
  }

  /** A command of the model runs: the keys are the person's, and that is said when it takes long. */
  tellWhoTypes(isRunning: () => boolean): void {
    setTimeout(() => {
      const shell = this.#shell;
      const name = shell?.foreground?.name;
      if (shell === null || name === undefined || !isRunning()) return;
      if (!shell.isAtLineStart) return this.tellWhoTypes(isRunning);
      const { tty, theme } = this.#parts;
      tty.write(`${styled(theme, 'dim', sanitizeLine(`[your keys go to ${name}; Ctrl-C stops it]`))}\r\n`);
    }, LONG_MS);
  }

  /** Leaving would end jobs: that is said once, and the next time nothing stands in the way. */
  mayLeave(): boolean {
    const words = this.leave.holdBack(this.jobs);
    if (words !== null) this.#parts.say('warning', words);
    return words === null;
  }

  /** Opens the shell with its output on this terminal. */
  readonly open = async (cwd: string, restore: string | null): Promise<Shell> => {
    const { tty, setup, login, say } = this.#parts;
    const { openShell } = await import('./own-shell.ts');
    this.#ready = Promise.withResolvers();
    this.#shell = openShell({
      tty,
      setup,
      login,
      cwd,
      restore,
      program: (await this.#parts.engine()).shellProgram(),
      renderPrompt: setup.loaded.config.ui.prompt !== 'aish',
      onOutside: (bytes, job) => this.#showOutside(bytes, job),
      onJobNotice: (notice) => this.#tellJob(notice),
      onTrouble: (line) => say('warning', line),
      onTypedAhead: this.#parts.onTypedAhead,
      onReady: () => {
        this.#named = null;
        this.#prompt = this.#ownPrompt();
        this.#ready.resolve();
        this.#parts.onReady();
      },
      onPasswordWanted: (program) => tty.write(formatSecret(program, this.#place)),
      onPasswordOver: () => tty.write(formatSecretEnd(this.#place)),
    });
    return this.#shell;
  };

  get #place(): Place {
    const { tty, theme, setup } = this.#parts;
    return { columns: tty.size().columns, theme, isDumb: isDumbTerminal(setup.env) };
  }

  /** By the configuration, or because the person made one. */
  #ownPrompt(): string | null {
    const wanted = this.#parts.setup.loaded.config.ui.prompt;
    const report = this.#shell?.report;
    if (report === undefined || report.prompt === null || wanted === 'aish') return null;
    if (wanted === 'auto' && !report.isPromptOwn) return null;
    const lines = sanitizeColoured(report.prompt).replace(/^\n+/, '').split('\n');
    return lines.slice(-MOST_PROMPT_LINES).join('\n');
  }

  /** Output of no command, under the name of its job where it can be no other. */
  #showOutside(bytes: Uint8Array, job: Job | null): void {
    const { print, theme } = this.#parts;
    const text = sanitizeColoured(new TextDecoder().decode(bytes));
    if (text === '') return;
    const isNew = job !== null && job.number !== this.#named;
    this.#named = job?.number ?? null;
    print(isNew ? `${styled(theme, 'dim', `[${job.number}] ${sanitizeLine(job.line)}:`)}\n${text}` : text);
  }

  #tellJob({ number, line, how }: JobNotice): void {
    this.#parts.say('dim', `[${number}] ${line}: ${how}`);
    this.#parts.onReady();
  }
}
