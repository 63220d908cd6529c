import type { CommandRecord } from '../protocol/command.ts';

/** What may be told of a private command: where it left the shell, its status and how long it took. */
export function withoutText({ driver, exit, cwd, durationMs }: CommandRecord): CommandRecord {
  return { line: '', driver, exit, cwd, output: '', bytes: 0, durationMs, private: true };
}

/** A line that begins with a blank is private. */
export function beginsPrivately(line: string): boolean {
  return /^[ \t]/.test(line);
}
