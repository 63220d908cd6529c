import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HOLD_WORDS } from '../../src/adapters/sandbox/bubblewrap-words.ts';
import { openSandbox } from '../../src/adapters/sandbox/open-sandbox.ts';
import { scrubEnvironment } from '../../src/core/sandbox/environment.ts';
import { planSandbox } from '../../src/core/sandbox/sandbox-plan.ts';
import { until } from './until.ts';

/**
 * A program that runs one command in a sandbox, with things outside for it to reach for: it tells in JSON what came of them. Being a
 * program of its own, it can be started as another user. `PORT`, `UDP` and `VICTIM` in the command stand for what it finds outside.
 */
export interface Request {
  readonly text: string;
  readonly home: string;
  readonly writes: boolean;
  readonly files: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, number>>;
  /** The command that the sandbox was set up for before. */
  readonly ahead?: string;
  /** What comes next comes when that command has got to where it waits, and not at once. */
  readonly whenHeld?: 'run' | 'die';
  /** Called off as soon as the command has printed this. */
  readonly stopAt?: string;
}

const request: Request = JSON.parse(readFileSync(0, 'utf8'));
const project = join(request.home, 'project');
mkdirSync(project, { recursive: true });
for (const [name, text] of Object.entries(request.files)) {
  mkdirSync(dirname(join(request.home, name)), { recursive: true });
  writeFileSync(join(request.home, name), text);
}

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
using _abstract = Bun.listen({ unix: `\0aish-sandbox-test-${process.pid}`, socket });
const heard = Promise.withResolvers<void>();
const udp = await Bun.udpSocket({
  hostname: '127.0.0.1',
  socket: {
    data: (_, bytes) => {
      datagrams.push(bytes.toString());
      if (bytes.toString() === 'from outside') heard.resolve();
    },
  },
});
const victim = Bun.spawn(['sleep', '600'], { env: { CANARY: 'of-the-victim' }, stdio: ['ignore', 'ignore', 'ignore'] });

const sandbox = openSandbox({ path: process.env.PATH ?? '', folder: () => join(request.home, 'private') });
mkdirSync(join(request.home, 'private'), { recursive: true, mode: 0o700 });
const missing = await sandbox.available();
const plan = planSandbox(request.writes ? 'mutating' : 'read-only', {
  cwd: project,
  project,
  home: request.home,
  own: [join(request.home, 'private')],
});
const text = request.text
  .replaceAll('PORT', String(tcp.port))
  .replaceAll('UDP', String(udp.port))
  .replaceAll('VICTIM', String(victim.pid))
  .replaceAll('ABSTRACT', `aish-sandbox-test-${process.pid}`);
const stop = new AbortController();
let output = '';
const command = {
  text,
  plan: { ...plan, limits: { ...plan.limits, ...request.limits } },
  env: scrubEnvironment({ ...process.env, HOME: request.home }),
};
if (request.ahead !== undefined) await sandbox.prepare({ ...command, text: request.ahead });
if (request.whenHeld !== undefined) await until({ what: 'a command that is held', limitMs: 20_000 }, isHeld);
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
await heard.promise;
const isVictimAlive = victim.exitCode === null && victim.signalCode === null;
victim.kill('SIGKILL');
udp.close();
sandbox.close();
process.stdout.write(JSON.stringify({ missing, ...result, output, reached, datagrams, isVictimAlive }));

function isHeld(): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return words.startsWith(HOLD_WORDS.join('\0')) && words.includes(request.ahead ?? '');
    } catch {
      return false; // No process, or one that has ended.
    }
  });
}
