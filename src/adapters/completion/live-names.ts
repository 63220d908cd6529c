import { readWord } from '../../core/completion/scan-line.ts';
import type { WordKind } from '../../protocol/query.ts';
import type { Job } from '../shell/background.ts';
import type { KnownCalls } from '../shell/known-calls.ts';
import type { ShellDirectories } from '../shell/lookup.ts';
import { readExported } from './helper-protocol.ts';

/** The facts of the live shell for completion. */
export interface LiveNames {
  readonly cwd: string;
  readonly home: string;
  /** The shell's meanings of the wanted words. */
  commands(isWanted: (word: string) => boolean): Promise<ReadonlyMap<string, WordKind>>;
  /** The text of the shell's aliases. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly variables: readonly string[];
  readonly jobs: readonly Job[];
  readonly directories: ShellDirectories;
  /** The shell's active options. */
  readonly options: readonly string[];
  /** Calls that projects define. */
  readonly calls: KnownCalls;
  /** The file with the exported variables as lines of the shell; null while there is no shell. */
  readonly exportsFile: string | null;
  /** The environment aish was started with. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The value of an exported variable, as of the shell's last prompt. */
export async function readVariable(
  name: string,
  live: Pick<LiveNames, 'home' | 'cwd' | 'exportsFile' | 'env'>,
): Promise<string | undefined> {
  if (name === 'HOME') return live.home;
  if (name === 'PWD') return live.cwd;
  const exported = await readExported(live.exportsFile);
  const raw = new RegExp(`^(?:declare -\\S+|export|typeset -\\S+) ${name}=(.*)$`, 'm').exec(exported)?.[1];
  return raw === undefined ? live.env[name] : readWord(raw);
}
