import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import type { NamedProgram } from '../../protocol/tool.ts';
import { standForText } from '../files/named-file.ts';
import { isExecutable } from '../system/file-status.ts';
import type { Lookup } from './lookup.ts';

/** The names of the shell as of its last prompt, which give a word its meaning. */
type Meanings = Pick<Lookup, 'kindOf' | 'aliases' | 'folders' | 'exportsFile' | 'prompt' | 'isCurrent'>;

/** A word that does not mean what it meant when a command was shown. */
interface ChangedProgram {
  readonly name: string;
  /** The shell has not said what the word meant then, or what it means now. */
  readonly isUnknown: boolean;
}

/** Stands for the trap that sees, and may change, every command before it runs. */
const TRAP = 'trap DEBUG';

/** The beginning of a value for a meaning that the shell has not reported, or not in time. */
const UNKNOWN = 'unknown ';

/** The shell's meaning of some first words, and the trap that comes before each; null if there is no shell. */
export async function seePrograms(
  words: Iterable<string>,
  meanings: Meanings | null,
  cwd: string,
): Promise<readonly NamedProgram[]> {
  const names = [...new Set(words)].filter((word) => word !== '' && !word.includes('/'));
  if (meanings?.isCurrent !== true) return [...names, TRAP].map((name) => ({ name, seen: unknownAt(meanings) }));
  const seen = await Promise.all(names.map(async (name) => ({ name, seen: await standFor(name, meanings, cwd) })));
  return [...seen, { name: TRAP, seen: standForText(readTrap(meanings)) }];
}

/**
 * The first of some words that means something else by now; null where none does. A meaning that was unknown, as what a function does
 * always is,
 * is the one of the prompt that the shell was at: as long as it is at that prompt no line has run in it, so none can have changed.
 */
export async function findChangedProgram(
  programs: readonly NamedProgram[],
  meanings: Meanings,
  cwd: string,
): Promise<ChangedProgram | null> {
  const words = programs.map(({ name }) => name).filter((name) => name !== TRAP);
  const now = new Map((await seePrograms(words, meanings, cwd)).map(({ name, seen }) => [name, seen]));
  const same = unknownAt(meanings);
  const changed = programs.find(({ name, seen }) => now.get(name) !== seen && seen !== same);
  if (changed === undefined) return null;
  return { name: changed.name, isUnknown: !meanings.isCurrent || changed.seen.startsWith(UNKNOWN) };
}

/** The value for an unknown meaning at a prompt. Without a shell, no two prompts are the same. */
function unknownAt(meanings: Pick<Meanings, 'prompt'> | null): string {
  return `${UNKNOWN}${standForText(meanings?.prompt ?? '')}`;
}

/** The shell tells the names of functions, and not what they do: any line that ran may have defined one anew. */
async function standFor(word: string, meanings: Meanings, cwd: string): Promise<string> {
  return meanings.kindOf(word) === 'function'
    ? unknownAt(meanings)
    : standForText(await meaningOf(word, meanings, cwd));
}

async function meaningOf(word: string, { kindOf, aliases, folders }: Meanings, cwd: string): Promise<string> {
  const kind = kindOf(word);
  if (kind !== null) return `${kind} ${aliases.get(word) ?? ''}`;
  for (const folder of folders) {
    const path = join(isAbsolute(folder) ? folder : join(cwd, folder), word);
    if (await isExecutable(path)) return fileAt(path);
  }
  return 'none';
}

/** A program that was replaced or written over is another one under the same name. The time of its last write may be set. */
function fileAt(path: string): string {
  try {
    const real = realpathSync(path);
    const { ino, size, mtimeMs, ctimeMs } = statSync(real);
    return [path, real, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch {
    return path;
  }
}

/**
 * bash has its trap put away at the prompt by the first of our hooks, or by the last where another hook has set it; zsh lists all its
 * traps, which are as one where any of them sees commands.
 */
function readTrap({ exportsFile }: Meanings): string {
  const [first = '', late = ''] = ['debug', 'debug-late'].map((name) => readText(join(dirname(exportsFile), name)));
  return /DEBUG/.test(first) ? first + late : late;
}

function readText(path: string): string {
  return attempt(() => readFileSync(path, 'utf8'), '');
}
