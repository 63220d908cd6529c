import { quote } from '../../../core/text/quote.ts';

interface IntegrationOptions {
  /** aish's folder with the pipe and the command file. */
  readonly folder: string;
  readonly nonce: string;
  readonly login: boolean;
  /** Whether the startup files of the user are left out. */
  readonly withoutStartup: boolean;
  /** Whether the shell is to render its own prompt. */
  readonly renderPrompt: boolean;
  /** The user's home and, for zsh, where their files are. */
  readonly env: Readonly<Record<string, string>>;
}

/** How a kind of shell is started so that it tells us what it does. */
export interface Integration {
  /** The one line ever typed into the shell; the user's line comes to it in a file. */
  readonly injection: string;
  /** The character with which the file that holds a line is filled behind it: to the shell it is the end of the line. */
  readonly blank: string;
  /** Typed when a command was interrupted after it had removed our hooks. */
  readonly repair: string;
  /** Typed when startup files were interrupted: does the work that should follow them, and repairs. */
  readonly complete: string;
  /** Whether a Ctrl-C that meets hooks of the prompt brings it without them; else it has them run again. */
  readonly dropsHooks: boolean;
  /** The noise of a line editor that works, though not on the screen; null for a shell without one. */
  readonly editor: EditorNoise | null;
  /** A line of several in the form in which the shell keeps it in its history; null where that is the line as it was typed. */
  toEntry(line: string): string | null;
  prepare(options: IntegrationOptions): Preparation;
}

/** The text that a line editor writes around a command, which is no output of it. */
export interface EditorNoise {
  /** Between the mark of the beginning and the first output. */
  readonly lead: RegExp;
  /** Between the mark of the end and the prompt. */
  readonly trail: RegExp;
}

/** Arguments, changes to the environment, and files to write before the shell starts. */
export interface Preparation {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The file that holds the nonce: removed as soon as the shell has read it. */
  readonly secret: string;
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Keeps the prompt of the system in `__aish_sy`, before startup files of the user set another one. A prompt that comes from outside is
 * the user's.
 */
export function readSystemPrompt(inherited: string | undefined): string {
  const isInherited =
    inherited === undefined ? '' : `if [[ $__aish_sy == ${quote(inherited)} ]]; then __aish_sy=; fi\n`;
  return `__aish_sy=\${PS1-}\n${isInherited}`;
}
