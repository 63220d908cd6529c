import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSandbox } from '../../src/adapters/sandbox/open-sandbox.ts';
import { planSandbox } from '../../src/core/sandbox/sandbox-plan.ts';
import { scrubEnvironment } from '../../src/core/sandbox/sandboxed-line.ts';
import { answerLines } from './json-driver.ts';
import { until } from './until.ts';

/**
 * A program that runs commands in a sandbox, with things outside for each to reach for. It answers in JSON what came of them. Being a
 * program of its own, it can be started as another user. `PORT`, `UDP` and `VICTIM` in the command stand for what it finds outside.
 */
export interface Request {
  readonly text: string;
  readonly home: string;
  readonly writes: boolean;
  readonly files: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, number>>;
  /** Links by their path in the home, and where each leads. */
  readonly links?: Readonly<Record<string, string>>;
  /** A command that runs in the home before, outside. */
  readonly before?: string;
  /** The directory of the command, in the home; by default the top of the project. */
  readonly cwd?: string;
  /** The project, in the home. */
  readonly project?: string;
  /** The action outside once the sandbox has run the earlier command. */
  readonly meanwhile?: string;
  /** A command that the same sandbox runs before. */
  readonly earlier?: string;
  /** The texts of commands that are begun after that one, each in place of the one before, and wait. */
  readonly begun?: string | readonly string[];
  /** The directory of the earlier command, in the home, and the variables that only it has. */
  readonly earlierPlace?: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
  /** A command that runs at the same time; its output counts as well. */
  readonly besides?: string;
  /** Called off as soon as the command has printed this. */
  readonly stopAt?: string;
  /** This program is killed as soon as the command has printed this. */
  readonly dieAt?: string;
}

/** A socket for datagrams with a path, which counts what came to it once its input ends; this Bun has none of its own. */
const LETTERS = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1]); s.setblocking(False); print('ready', flush=True); sys.stdin.read()
count = 0
try:
  while True: s.recv(99); count += 1
except BlockingIOError: print(count)`;

let count = 0;

await answerLines(runOne);

async function runOne(request: Request): Promise<unknown> {
  const project = join(request.home, 'project');
  mkdirSync(project, { recursive: true });
  for (const [name, text] of Object.entries(request.files)) {
    mkdirSync(dirname(join(request.home, name)), { recursive: true });
    writeFileSync(join(request.home, name), text);
  }

  for (const [path, target] of Object.entries(request.links ?? {})) {
    rmSync(join(request.home, path), { force: true });
    symlinkSync(target, join(request.home, path));
  }
  const outside = (text: string): void => {
    const { exitCode, stderr } = Bun.spawnSync(['bash', '-c', text], { cwd: request.home });
    if (exitCode !== 0) throw new Error(stderr.toString());
  };
  if (request.before !== undefined) outside(request.before);

  count += 1;
  const abstract = `aish-sandbox-test-${process.pid}-${count}`;
  let reached = 0;
  const datagrams: string[] = [];
  const socket = {
    open: () => {
      reached += 1;
    },
    data: () => {},
  };
  using tcp = Bun.listen({ hostname: '127.0.0.1', port: 0, socket });
  using _path = Bun.listen({ unix: join(project, 'door'), socket });
  using _abstract = Bun.listen({ unix: `\0${abstract}`, socket });
  const postbox = request.text.includes('letters')
    ? Bun.spawn(['python3', '-c', LETTERS, join(project, 'letters')], { stdin: 'pipe', stdout: 'pipe' })
    : null;
  if (postbox !== null) await until({ what: 'a socket for datagrams' }, () => existsSync(join(project, 'letters')));
  const untrusted = Promise.withResolvers<void>();
  const udp = await Bun.udpSocket({
    hostname: '127.0.0.1',
    socket: {
      data: (_, bytes) => {
        datagrams.push(bytes.toString());
        if (bytes.toString() === 'from outside') untrusted.resolve();
      },
    },
  });
  const victim = Bun.spawn(['sleep', '600'], {
    env: { CANARY: 'of-the-victim' },
    stdio: ['ignore', 'ignore', 'ignore'],
  });

  const sandbox = openSandbox({ path: process.env.PATH ?? '', folder: () => join(request.home, 'private') });
  mkdirSync(join(request.home, 'private'), { recursive: true, mode: 0o700 });
  const missing = await sandbox.available();
  const plan = planSandbox(request.writes ? 'mutating' : 'read-only', {
    cwd: join(request.home, request.cwd ?? request.project ?? 'project'),
    project: join(request.home, request.project ?? 'project'),
    home: request.home.replace(/\/$/, ''),
    own: [join(request.home, 'private')],
    programs: (process.env.PATH ?? '').split(':'),
  });
  const text = request.text
    .replaceAll('PORT', String(tcp.port))
    .replaceAll('UDP', String(udp.port))
    .replaceAll('VICTIM', String(victim.pid))
    .replaceAll('ABSTRACT', abstract);
  const stop = new AbortController();
  let output = '';
  const command = {
    text,
    plan: { ...plan, limits: { ...plan.limits, ...request.limits } },
    env: scrubEnvironment({ ...process.env, HOME: request.home }),
  };
  if (request.earlier !== undefined) {
    const { cwd, env } = request.earlierPlace ?? {};
    const earlier = {
      text: request.earlier,
      plan: cwd === undefined ? command.plan : { ...command.plan, cwd: join(request.home, cwd) },
      env: { ...command.env, ...env },
    };
    await sandbox.run({ ...earlier, signal: stop.signal, onOutput: () => {} });
  }
  for (const begun of [request.begun ?? []].flat()) sandbox.begin({ ...command, text: begun });
  if (request.meanwhile !== undefined) outside(request.meanwhile);
  const onBeside = (bytes: Uint8Array): void => {
    output += Buffer.from(bytes).toString('utf8');
  };
  const beside = (text: string) => sandbox.run({ ...command, text, signal: stop.signal, onOutput: onBeside });
  const running = sandbox
    .run({
      ...command,
      signal: stop.signal,
      onOutput: (bytes) => {
        output += Buffer.from(bytes).toString('utf8');
        if (request.dieAt !== undefined && output.includes(request.dieAt)) {
          victim.kill('SIGKILL');
          process.kill(process.pid, 'SIGKILL');
        }
        if (request.stopAt !== undefined && output.includes(request.stopAt)) stop.abort();
      },
    })
    .catch((thrown: unknown) => ({ exit: null, ended: String(thrown) }));
  if (request.besides !== undefined) await beside(request.besides);
  const result = await running;
  // Packets sent before this one have arrived before it.
  udp.send('from outside', udp.port, '127.0.0.1');
  await untrusted.promise;
  const isVictimAlive = victim.exitCode === null && victim.signalCode === null;
  await postbox?.stdin.end();
  const letters = Number(((await postbox?.stdout.text()) ?? '0').replace(/\D+/g, ''));
  victim.kill('SIGKILL');
  udp.close();
  sandbox.close();
  return { missing, ...result, output, reached, letters, datagrams, isVictimAlive };
}
