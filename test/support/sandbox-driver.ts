import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HOLD_WORDS } from '../../src/adapters/sandbox/bubblewrap-words.ts';
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
  /** Where the command runs, in the home; by default the top of the project. */
  readonly cwd?: string;
  /** The project, in the home. */
  readonly project?: string;
  /** What happens outside once the sandbox has been prepared. */
  readonly meanwhile?: string;
  /** The command that the sandbox was set up for before. */
  readonly ahead?: string;
  /** What comes next comes when that command has got to where it waits, and not at once. */
  readonly whenHeld?: 'run' | 'die';
  /** Called off as soon as the command has printed this. */
  readonly stopAt?: string;
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
  if (request.ahead !== undefined) await sandbox.prepare({ ...command, text: request.ahead });
  if (request.meanwhile !== undefined) outside(request.meanwhile);
  if (request.whenHeld !== undefined)
    await until({ what: 'a command that is held', limitMs: 20_000 }, () => isHeld(request.ahead ?? ''));
  if (request.whenHeld === 'die') {
    victim.kill('SIGKILL');
    process.kill(process.pid, 'SIGKILL');
  }
  const result = await sandbox
    .run({
      ...command,
      signal: stop.signal,
      onOutput: (bytes) => {
        output += Buffer.from(bytes).toString('utf8');
        if (request.stopAt !== undefined && output.includes(request.stopAt)) stop.abort();
      },
    })
    .catch((thrown: unknown) => ({ exit: null, ended: String(thrown) }));
  // What was sent before this has arrived before it.
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

/** Whether a command that was set up ahead waits. */
function isHeld(ahead: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return words.startsWith(HOLD_WORDS.join('\0')) && words.includes(ahead);
    } catch {
      return false; // No process, or one that has ended.
    }
  });
}
