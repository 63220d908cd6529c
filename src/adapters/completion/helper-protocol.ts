import { readFile } from 'node:fs/promises';

/** A request to a helper shell. */
export interface HelperRequest {
  /** The simple command up to the cursor. */
  readonly line: string;
  /** How it goes on behind the cursor, from a blank on. */
  readonly rest?: string;
  readonly cwd: string;
  /** Holds the live shell's exported variables as lines of the shell; null where there is no live shell. */
  readonly exportsFile: string | null;
}

/** One thing the helper's completion offers. */
export interface HelperMatch {
  /** The text that replaces the line from `start` on. */
  readonly text: string;
  /** Offset in the request's line. */
  readonly start: number;
  /** A path, not quoted yet. */
  readonly isPath: boolean;
  /** Written for the line already, as far as anyone who offers it says. */
  readonly isQuoted: boolean;
  /** Behind it, where it is the only one. */
  readonly suffix?: string;
  readonly description?: string;
}

/** A helper shell that runs. */
export interface HelperProcess {
  readonly pid: number;
  /** Settles when its startup files are done; rejects when it ended instead. */
  readonly ready: Promise<void>;
  /** Settles with what the user's completion offers; null where it has nothing for the command. Rejects when the process ends. */
  ask(request: HelperRequest): Promise<readonly HelperMatch[] | null>;
  /** Ends it and all it started, at once. */
  kill(): void;
}

/** How a helper is started. */
export interface HelperOptions {
  readonly program: string;
  /** A folder of aish for the exchange with the helper; the owner removes it. */
  readonly folder: string;
  /** Kept between starts. */
  readonly cacheFolder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly exportsFile: string | null;
  /** Whether the user's startup files are read. */
  readonly withStartupFiles: boolean;
}

/** Most matches that are taken from a helper. */
export const MOST_MATCHES = 2000;

/** The exported variables as the shell last wrote them, as lines of a shell: what lies behind the NUL is older. */
export async function readExported(file: string | null): Promise<string> {
  if (file === null) return '';
  try {
    return (await readFile(file, 'utf8')).split('\0', 1)[0] ?? '';
  } catch {
    return '';
  }
}
