import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, toPaths } from '../../../adapters/config/paths.ts';
import type { SessionClient } from '../../../core/session/session-client.ts';
import { toSettings } from '../../../core/session/settings.ts';
import { Engine } from '../../../engine/session/engine.ts';
import { LocalSessionClient } from '../../../engine/session/local-session-client.ts';
import { type Config, DEFAULT_CONFIG } from '../../../protocol/config.ts';
import { AishError } from '../../../protocol/error.ts';
import { VERSION } from '../../../protocol/version.ts';
import { formatNoRepository, NO_GIT, NO_GIT_HINT, NO_REPOSITORY_HINT } from './messages.ts';
import { LIST_FILE, startScriptedModel } from './scripted-model.ts';

/** Where the demo plays: a repository, a model and a session of its own, all gone afterwards. */
export interface Stage {
  readonly repository: string;
  readonly modelUrl: string;
  readonly client: SessionClient;
  close(): Promise<void>;
}

const FILES: Readonly<Record<string, string>> = {
  'ideas.txt': 'a shell you talk to\na garden on the roof\n',
  [LIST_FILE]: 'buy oat milk\nwater the plants\ncall Ada\n',
};

/** Sets the stage up in a folder of its own; neither the user's configuration nor their sessions are touched. */
export async function openStage(env: Environment, options: { readonly pauseMs: number }): Promise<Stage> {
  const root = mkdtempSync(join(tmpdir(), 'aish-demo-'));
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  process.on('exit', remove);
  try {
    const repository = makeRepository(root, env);
    const model = startScriptedModel(options.pauseMs);
    const { engine, client } = await openSession(root, repository, model.url, env);
    const close = async (): Promise<void> => {
      await engine.close();
      await model.close();
      remove();
    };
    return { repository, modelUrl: model.url, client, close };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

function makeRepository(root: string, env: Environment): string {
  const repository = join(root, 'project');
  mkdirSync(repository);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(repository, name), text);
  // Settings of the user's git, such as signing and hooks, have no business in a repository that lives for a minute.
  const settings = [
    'commit.gpgsign=false',
    'core.hooksPath=/dev/null',
    'user.name=aish demo',
    'user.email=demo@localhost',
  ];
  const git = ['git', ...settings.flatMap((setting) => ['-c', setting])];
  const clean = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
  for (const args of [
    ['init', '-q', '--template='],
    ['add', '.'],
    ['commit', '-qm', 'The beginning'],
  ]) {
    runGit([...git, ...args], repository, clean);
  }
  return repository;
}

function runGit(command: readonly string[], cwd: string, env: Environment): void {
  if (Bun.which('git') === null) {
    throw new AishError('demo.no-git', NO_GIT, { hint: NO_GIT_HINT });
  }
  const done = Bun.spawnSync([...command], { cwd, env, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  if (done.exitCode === 0) return;
  throw new AishError('demo.git', formatNoRepository(cwd, done.stderr.toString().trim()), {
    hint: NO_REPOSITORY_HINT,
  });
}

async function openSession(root: string, cwd: string, modelUrl: string, env: Environment) {
  const config: Config = { ...DEFAULT_CONFIG, models: { scripted: { base_url: modelUrl, model: 'scripted' } } };
  const runtimeFolder = (): string => {
    const folder = join(root, 'run');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  };
  const own = { ...env, XDG_STATE_HOME: join(root, 'state'), XDG_CACHE_HOME: join(root, 'cache') };
  const engine = new Engine({ config, paths: toPaths(own), env, cwd, version: VERSION, runtimeFolder });
  const live = await engine.open({ cwd, settings: toSettings(config) });
  return { engine, client: new LocalSessionClient({ live }) };
}
