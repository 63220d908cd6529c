import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Candidate } from '../../core/completion/completion.ts';

/** Where a system tells of its users and processes. */
export interface SystemPlaces {
  readonly passwd: string;
  readonly proc: string;
}

export const SYSTEM_PLACES: SystemPlaces = { passwd: '/etc/passwd', proc: '/proc' };

/** A user of this system. */
export interface User {
  readonly name: string;
  readonly home: string;
}

const LONGEST_COMMAND = 120;

/** The users of this system, people before services. */
export async function listUsers({ passwd }: SystemPlaces = SYSTEM_PLACES): Promise<readonly User[]> {
  const rows = (await tryRead(passwd)).split('\n').map((line) => line.split(':'));
  const users = rows.flatMap(([name = '', , id = '', , , home = '']) =>
    name === '' || name.startsWith('#') ? [] : [{ name, home, isPerson: Number(id) >= 1000 || id === '0' }],
  );
  users.sort((one, other) => Number(other.isPerson) - Number(one.isPerson) || (one.name < other.name ? -1 : 1));
  return users.map(({ name, home }) => ({ name, home }));
}

/** The processes of this system with their command lines, the youngest first; this program's own are left out. */
export async function listProcesses({ proc }: SystemPlaces = SYSTEM_PLACES): Promise<readonly Candidate[]> {
  const pids = await listPids(proc);
  const lines = await Promise.all(pids.map((pid) => readCommand(proc, pid)));
  return pids.flatMap((pid, at) => {
    const line = lines[at] ?? '';
    return line === '' || pid === process.pid ? [] : [{ value: String(pid), description: line }];
  });
}

/** The names of the programs that run, each once. */
export async function listProcessNames({ proc }: SystemPlaces = SYSTEM_PLACES): Promise<readonly Candidate[]> {
  const pids = await listPids(proc);
  const names = await Promise.all(pids.map(async (pid) => (await tryRead(join(proc, `${pid}`, 'comm'))).trim()));
  return [...new Set(names)]
    .filter((name) => name !== '')
    .sort()
    .map((value) => ({ value }));
}

async function listPids(proc: string): Promise<readonly number[]> {
  const pids = (await tryList(proc)).filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.sort((one, other) => other - one);
}

/** Of what a process tells of itself nothing may be taken for more than words. */
async function readCommand(proc: string, pid: number): Promise<string> {
  const line = (await tryRead(join(proc, `${pid}`, 'cmdline'))).replaceAll('\0', ' ').trim();
  return line.slice(0, LONGEST_COMMAND);
}

async function tryRead(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}

async function tryList(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch {
    return [];
  }
}
