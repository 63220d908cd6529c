import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { readHostsFile, readKnownHosts, readSshHosts, readSshIncludes } from '../../core/completion/host-names.ts';
import { expandGlob } from './globs.ts';

/** Files included by included files, so deep; a file that includes itself ends there. */
const DEEPEST = 8;

/** Hosts the person has a name for: of the ssh configuration, known to ssh, and of this system. */
export async function listHosts(home: string, system = '/etc'): Promise<readonly string[]> {
  const folder = join(home, '.ssh');
  const found = await Promise.all([
    readConfiguration(join(folder, 'config'), { folder, home, depth: 0 }),
    readConfiguration(join(system, 'ssh', 'ssh_config'), { folder: join(system, 'ssh'), home, depth: 0 }),
    tryRead(join(folder, 'known_hosts')).then(readKnownHosts),
    tryRead(join(system, 'ssh', 'ssh_known_hosts')).then(readKnownHosts),
    tryRead(join(system, 'hosts')).then(readHostsFile),
  ]);
  return [...new Set(found.flat())];
}

interface Place {
  /** Relative includes are looked for here. */
  readonly folder: string;
  readonly home: string;
  readonly depth: number;
}

async function readConfiguration(path: string, place: Place): Promise<readonly string[]> {
  if (place.depth > DEEPEST) return [];
  const text = await tryRead(path);
  const included = await Promise.all(readSshIncludes(text).map((pattern) => findIncluded(pattern, place)));
  const inner = included.flat().map((file) => readConfiguration(file, { ...place, depth: place.depth + 1 }));
  return [...readSshHosts(text), ...(await Promise.all(inner)).flat()];
}

async function findIncluded(pattern: string, { folder, home }: Place): Promise<readonly string[]> {
  const path = pattern.startsWith('~/') ? join(home, pattern.slice(2)) : pattern;
  const files = await expandGlob(path, folder);
  return files.map((file) => (isAbsolute(file) ? file : join(folder, file)));
}

async function tryRead(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}
