import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { AISH, Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { openAttachedClient, serverOf } from '../support/attached-terminal.ts';
import { ask, asked } from '../support/conversation.ts';
import { calls, held, type ModelServer, startModelServer, text } from '../support/model-server.ts';
import { descendants, HAS_PROCESS_TABLE, survivors } from '../support/processes.ts';
import type { TestTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

/** A place where aish waits at a terminal. */
interface Waiting {
  readonly where: string;
  readonly args?: (session: string) => readonly string[];
  /** Another aish has the session open. */
  readonly isShared?: true;
  /** Settles when it waits there. */
  readonly reach: (terminal: TestTerminal, owner: TestTerminal | null, model: ModelServer) => Promise<unknown>;
}

const shown = (terminal: TestTerminal, wanted: string | RegExp) => terminal.waitForHistory(wanted, PATIENCE);
const isGone = async (attached: TestTerminal, owner: TestTerminal | null) => {
  await openAttachedClient(attached);
  process.kill(owner?.pid ?? 0, 'SIGKILL');
  await shown(attached, 'to resume the session here');
};

const PLACES: readonly Waiting[] = [
  { where: 'the prompt', reach: prompted },
  {
    where: 'a question',
    reach: async (terminal) => {
      await ask(terminal, 'write');
      await asked(terminal, 'aish.write_file');
    },
  },
  {
    where: 'the work of a model',
    reach: async (terminal, _, model) => {
      await ask(terminal, 'hold');
      await model.requested(1);
    },
  },
  {
    where: 'a program that a user runs',
    reach: async (terminal) => {
      await prompted(terminal);
      terminal.type('echo be""gun; cat\n');
      await shown(terminal, 'begun');
    },
  },
  {
    where: 'the list of sessions',
    isShared: true,
    reach: async (terminal) => {
      await prompted(terminal);
      terminal.type(':resume\n');
      await shown(terminal, /Enter/);
    },
  },
  { where: 'the question of the demo', args: () => ['demo'], reach: (terminal) => shown(terminal, '[y] allow') },
  {
    where: 'a replay',
    isShared: true,
    args: (id) => ['sessions', 'replay', id, '--step'],
    reach: (terminal) => shown(terminal, 'kept'),
  },
  {
    where: 'the question of a session that is open',
    isShared: true,
    args: (id) => ['--resume', id],
    reach: (terminal) => shown(terminal, '[j] join'),
  },
  { where: 'a session of another terminal', isShared: true, args: () => ['attach'], reach: openAttachedClient },
  { where: 'a session whose owner is gone', isShared: true, args: () => ['attach'], reach: isGone },
];

describe.skipIf(!HAS_PROCESS_TABLE).each(PLACES)('a terminal that is closed at $where', ({ args, isShared, reach }) => {
  // Only the leader of a terminal's session gets a signal as well; the others have to see that there is nothing to read.
  test.each([
    ['a signal comes as well', []],
    ['nothing is there to read', ['/bin/sh', '-c', 'trap "" HUP; "$@"; exit 0', 'sh']],
  ])('ends the program: %s', async (_, before) => {
    using home = new Home();
    const never = new Promise<void>(() => {});
    const write = calls({ name: 'aish__write_file', arguments: { path: 'a', content: 'b' } });
    await using model = startModelServer({
      script: [({ body }) => (JSON.stringify(body).includes('hold') ? held(text('x'), never) : write)],
    });
    home.useModel(model.url);
    const owner = isShared === undefined ? null : home.open();
    let session = '';
    if (owner !== null) {
      await runLine(owner, 'echo kept');
      session = await serverOf(home);
    }
    const [command = AISH, ...words] = [...before, AISH, ...(args?.(session) ?? [])];
    const terminal = home.open(words, { command });
    await reach(terminal, owner, model);
    const pids = [terminal.pid, ...descendants(terminal.pid)];
    terminal.hangUp();
    expect(await survivors(pids)).toEqual([]);
    await owner?.close();
    await terminal.close();
  });
});
