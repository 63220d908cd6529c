import type { TaintSource } from '../../protocol/taint.ts';
import type { LineGround } from '../gate/judge-line.ts';
import { isBelow } from './below.ts';
import { holdsOthers, isOutside, isProject, othersBelow, type TaintGround } from './places.ts';
import { type LineReading, readLine } from './read-line.ts';
import { boundSources, toSource } from './taint-state.ts';

/** What only the file system can tell. */
export interface FileFacts {
  exists(path: string): boolean;
  /** Where a path really leads; the path itself where that cannot be told. */
  real(path: string): string;
}

/** Where a line runs, and what is known of the text there. */
export type ReadGround = LineGround & Pick<TaintGround, 'paths' | 'older'>;

/** Where the text that a command printed comes from, and which files of the project hold text of others by it. */
export interface LineTaint {
  readonly sources: readonly TaintSource[];
  readonly written: readonly string[];
}

/** Fills folders of a project with what others wrote. */
const FILLS =
  /^(?:git (?:pull|fetch|clone|submodule|lfs|remote)|gh (?:repo|run|release|gist|pr)|glab \w+|svn \w+|hg \w+)\b/;
/** Makes files of what stands elsewhere in the repository or in an archive. */
const UNPACKS =
  /^(?:git (?:checkout|switch|merge|rebase|apply|am|cherry-pick|stash|restore|reset|revert|worktree)|patch|tar|unzip|7z|cpio|rsync|bsdtar)\b/;
const DEPENDENCIES = ['node_modules', 'vendor', 'venv', '.venv', 'third_party'];

/** Judges where the output of a line comes from. `wasHeard`: whoever ran it had read text of others, so what it writes may say that again. */
export function sourcesOfLine(
  line: string,
  ground: ReadGround,
  facts: FileFacts,
  { wasHeard }: { readonly wasHeard: boolean },
): LineTaint {
  const reading = readLine(line, ground);
  const sources = [
    ...reading.connections.map((name) => toSource('network', name)),
    ...reading.unknown.map((name) => toSource('command', name)),
    ...filesOf(reading, ground, facts).map((path) => toSource('file', path)),
  ];
  const isFilled = reading.connections.length > 0;
  const written = isFilled || wasHeard ? writtenBy(reading, ground, facts, { isFilled }) : [];
  return { sources: boundSources(distinct(sources)), written };
}

/** The files with text of others that a line may have read. A word is a path where there is such a place: a pattern of grep is none. */
function filesOf(reading: LineReading, ground: ReadGround, facts: FileFacts): readonly string[] {
  const named = reading.reads
    .filter((path) => facts.exists(path))
    .map((path) => facts.real(path))
    .filter((path) => holdsOthers(path, ground));
  const known = reading.readsAround.flatMap((folder) => othersBelow(folder, ground.paths) ?? []);
  const outside = reading.readsAround.filter((folder) => isOutside(folder, ground));
  const there = reading.reads.filter((path) => facts.exists(path));
  const roots = there.length > 0 ? there : reading.readsAround;
  const fetched = reading.isDeep
    ? roots.flatMap((folder) => DEPENDENCIES.map((name) => `${folder}/${name}`)).filter((path) => facts.exists(path))
    : [];
  const gone = [...reading.patterns, ...(reading.isDeep ? roots : [])];
  const older = gone.flatMap((folder) => othersBelow(folder, ground.older ?? []) ?? []);
  return [...new Set([...named, ...known, ...outside, ...fetched, ...older])];
}

function writtenBy(
  reading: LineReading,
  ground: ReadGround,
  facts: FileFacts,
  { isFilled }: { readonly isFilled: boolean },
): readonly string[] {
  if (!isProject(ground)) return [];
  if (reading.judgement.class === 'read-only' && !isFilled) return [];
  const { cwd, project } = ground;
  const whole = reading.commands.some((command) => UNPACKS.test(command) || (isFilled && FILLS.test(command)));
  if (whole && !reading.commands.some((command) => command.startsWith('git clone'))) return [project];
  const fetched = reading.paths.length === 0 ? [] : reading.paths;
  const byAddress = isFilled ? addressesOf(reading).map((name) => `${cwd}/${name}`) : [];
  return [...new Set([...fetched, ...byAddress])].filter(
    (path) => isBelow(path, project) && path !== project && path !== cwd && facts.exists(path),
  );
}

/** The names under which programs keep what they fetch, where they are told none. */
function addressesOf({ judgement }: LineReading): readonly string[] {
  const words = judgement.parts.flatMap((part) => part.words.flatMap((word) => word ?? []));
  return words.flatMap((word) => {
    if (!/^[\w+.-]+:/.test(word)) return [];
    const name =
      word
        .replace(/[?#].*$/s, '')
        .split(/[/:]/)
        .at(-1) ?? '';
    return name === '' ? ['index.html'] : [name.replace(/\.git$/, '')];
  });
}

function distinct(sources: readonly TaintSource[]): readonly TaintSource[] {
  return sources.filter(
    (one, at) => sources.findIndex(({ kind, name }) => kind === one.kind && name === one.name) === at,
  );
}
