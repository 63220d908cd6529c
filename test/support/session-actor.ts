// One actor of a session as a process of its own, driven by lines of JSON: its owner, or a client over the session's socket.
import { toPaths } from '../../src/adapters/config/paths.ts';
import { HttpSessionClient } from '../../src/adapters/daemon/http-client.ts';
import type { SessionClient, TerminalStream } from '../../src/core/session/session-client.ts';
import { toSettings } from '../../src/core/session/settings.ts';
import { isAtRest, isIdle } from '../../src/core/session/state.ts';
import { Engine } from '../../src/engine/session/engine.ts';
import { LocalSessionClient } from '../../src/engine/session/local-session-client.ts';
import { openSessionServer } from '../../src/hosts/daemon/session-server.ts';
import { DEFAULT_CONFIG } from '../../src/protocol/config.ts';
import { isDurable } from '../../src/protocol/durable-event.ts';
import { toErrorFact } from '../../src/protocol/error.ts';
import type { ActorCommand, ActorOptions, ActorReport, AtRest } from './actor-process.ts';
import { stateDigest } from './state-digest.ts';

/** The actions of an actor, beside those of every client. */
interface Actor {
  readonly client: SessionClient;
  /** The owner's answer to who asks for the keyboard. */
  keyboard?(answer: 'grant' | 'refuse' | 'take-back'): void;
  look(): Pick<AtRest, 'isAtRest' | 'isIdle' | 'waiting' | 'holder'>;
  close(): Promise<void>;
}

const SIZE = { columns: 80, rows: 24 };

function report(value: ActorReport): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function openOwner(options: Extract<ActorOptions, { role: 'owner' }>): Promise<Actor> {
  const { url, work, run, path, resume } = options;
  const env = process.env;
  const config = { ...DEFAULT_CONFIG, models: { scripted: { base_url: url, model: 'scripted' } } };
  const engine = new Engine({ config, paths: toPaths(env), env, cwd: work, runtimeFolder: () => run });
  const settings = { ...toSettings(config), autoRun: 'none' } as const;
  const live = await engine.open({ cwd: work, settings, ...(resume === null ? {} : { resume }) });
  const owner = {
    size: () => SIZE,
    asked: () => {},
    requestEnded: () => {},
    keyboard: () => {},
    told: () => {},
  };
  const onFault = (thrown: unknown): void => report({ type: 'fault', text: String(thrown) });
  const sessionServer = openSessionServer({ live, path, owner, models: ['scripted'], onFault, mostWaiting: 100 });
  return {
    client: new LocalSessionClient({ live }),
    keyboard: (answer) => {
      if (answer === 'grant') sessionServer.share.grant();
      else if (answer === 'refuse') sessionServer.share.refuse();
      else sessionServer.share.takeBack();
    },
    look: () => ({
      isAtRest: isAtRest(live.session.state),
      isIdle: isIdle(live.session.state),
      waiting: live.session.queue.size,
      holder: sessionServer.share.holder,
    }),
    close: async () => {
      sessionServer.withdraw();
      await engine.close();
      await sessionServer.close();
    },
  };
}

function openClient({ path, session, name }: Extract<ActorOptions, { role: 'client' }>): Actor {
  const client = HttpSessionClient.attach({ type: 'socket', path }, session, name);
  return {
    client,
    look: () => ({ isAtRest: isAtRest(client.state), isIdle: isIdle(client.state), waiting: 0, holder: null }),
    close: () => client.detach(),
  };
}

const options = JSON.parse(process.argv[2] ?? '') as ActorOptions;
const actor = options.role === 'owner' ? await openOwner(options) : openClient(options);
const { client } = actor;
let terminal: TerminalStream | null = null;
let lag = Promise.resolve();
let followed = options.after;

/** Reads as the client's own screen would; ends when the session does. */
async function follow(): Promise<void> {
  for await (const recorded of client.events(options.after)) {
    if (isDurable(recorded.event)) followed = recorded.seq;
    if (isDurable(recorded.event) || recorded.event.type === 'op.rejected') report({ type: 'event', recorded });
    await lag;
  }
  report({ type: 'ended' });
}

function join(): void {
  if (terminal !== null) return;
  const joined = client.terminal(SIZE, {
    output: () => {},
    keyboard: (holder, isOurs) => report({ type: 'keyboard', holder, isOurs }),
    refused: () => report({ type: 'refused' }),
    named: (name) => report({ type: 'named', name }),
    closed: () => {
      if (terminal === joined) terminal = null;
      report({ type: 'left' });
    },
  });
  terminal = joined;
}

async function act(command: ActorCommand): Promise<unknown> {
  switch (command.do) {
    case 'submit':
      return await client.submit(command.op, { inTurn: command.inTurn });
    case 'place':
      return await client.query({ type: 'place' });
    case 'join':
      return join();
    case 'leave':
      terminal?.close();
      terminal = null;
      report({ type: 'left' });
      return null;
    case 'ask':
      return terminal?.ask();
    case 'give-back':
      return terminal?.giveBack();
    case 'keys':
      return terminal?.write(Buffer.from(command.text));
    case 'resize':
      return terminal?.resize({ columns: command.columns, rows: command.rows });
    case 'keyboard':
      return actor.keyboard?.(command.answer);
    case 'lag':
      lag = Bun.sleep(command.ms);
      return null;
    case 'look':
      return { ...actor.look(), seq: client.seq, followed, name: client.name, joined: terminal !== null };
    case 'digest':
      return stateDigest(client.state);
    case 'close':
      return await actor.close();
  }
}

async function answer(line: string): Promise<void> {
  const command = JSON.parse(line) as ActorCommand;
  try {
    report({ type: 'answer', id: command.id, value: (await act(command)) ?? null });
  } catch (thrown) {
    report({ type: 'answer', id: command.id, error: toErrorFact(thrown).code });
  }
  if (command.do === 'close') process.exit(0);
}

void follow().catch((thrown) => report({ type: 'fault', text: `the events ended: ${String(thrown)}` }));
report({ type: 'open', session: client.sessionId });
for await (const line of console) void answer(line);
process.exit(0);
