import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rereadFromDisk } from './memory.ts';
import { type ModelServer, startModel } from './model.ts';

/** The place of a measurement: a home of its own, a model server in a process of its own, and the program under test. */
export interface Place {
  readonly root: string;
  /** The folder that the program works in. */
  readonly work: string;
  /** The program under test. */
  readonly aish: string;
  /** The least program that asks a model: one fetch in a compiled Bun program. */
  readonly bareFetch: string;
  readonly model: ModelServer;
  readonly env: Readonly<Record<string, string>>;
  /** Writes a configuration for this place and returns its path. */
  configure(name: string, extra?: string): string;
  close(): Promise<void>;
}

/** Makes a fresh place around the program. */
export async function openPlace(aish: string): Promise<Place> {
  const root = mkdtempSync(join(tmpdir(), 'aish-bench-'));
  for (const folder of ['home', 'work', 'run']) mkdirSync(join(root, folder), { mode: 0o700 });
  writeFileSync(join(root, 'home/.bashrc'), '');
  const model = await startModel();
  const configure = (name: string, extra = ''): string => {
    const path = join(root, `${name}.toml`);
    writeFileSync(path, `model = "bench"\n${extra}\n[models.bench]\nbase_url = "${model.url}/v1"\n`, { mode: 0o600 });
    return path;
  };
  const close = async (): Promise<void> => {
    await model.close();
    rmSync(root, { recursive: true, force: true });
  };
  const env = createEnvironment(root, configure('plain'));
  const bareFetch = buildBareFetch(root);
  for (const program of [aish, bareFetch]) rereadFromDisk(program);
  return { root, work: join(root, 'work'), aish, bareFetch, model, env, configure, close };
}

function createEnvironment(root: string, config: string): Record<string, string> {
  const home = join(root, 'home');
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home,
    SHELL: '/bin/bash',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    PS1: '$ ',
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_RUNTIME_DIR: join(root, 'run'),
    AISH_CONFIG: config,
  };
}

function buildBareFetch(root: string): string {
  const out = join(root, 'bare-fetch');
  const flags = ['--compile', '--minify', '--bytecode', '--format=esm'];
  const child = Bun.spawnSync([
    process.execPath,
    'build',
    ...flags,
    `--outfile=${out}`,
    join(import.meta.dir, 'bare-fetch.ts'),
  ]);
  if (child.exitCode !== 0) throw new Error(`cannot build the floor: ${child.stderr.toString()}`);
  return out;
}
