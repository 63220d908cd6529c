import { describe, expect, test } from 'bun:test';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpSessionClient } from '../../src/adapters/daemon/http-client.ts';
import type { Recorded, SessionEvent } from '../../src/protocol/event.ts';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked, pause } from '../support/conversation.ts';
import { startDaemonProcess, TestHome } from '../support/daemon.ts';
import { calls, type ModelServer, type Reply, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';
import type { TestTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const LONG = 120_000;

const run = (command: string): Reply => calls({ name: 'aish__exec', arguments: { command } });

function resultOf(server: ModelServer): unknown {
  return server.requests.at(-1)?.body.messages.findLast((message) => message.role === 'tool')?.content;
}

async function press(terminal: TestTerminal, key: string): Promise<void> {
  await pause(terminal);
  terminal.type(key);
}

/** Settles when the prompt about a dry run's result appears. */
function dryRunResult(terminal: TestTerminal): Promise<string> {
  return terminal.waitFor(
    /\[a\] (?:apply all|use this result).*(?:\n.*)?(?:\[d\] discard|\[n\] no)(?: {2}\[v\] view all)?$/,
    PATIENCE,
  );
}

/**
 * The contents of the work folder, with everything that a dry run must leave alone; an approval prompt may keep notes of its own in `.git`.
 */
function snapshot(home: Home): unknown {
  const names = readdirSync(home.work, { recursive: true, encoding: 'utf8' }).sort();
  return ['.', ...names.filter((name) => name !== '.git' && !name.startsWith('.git/aish'))].map((name) => {
    const { mode, size, mtimeNs, ino } = lstatSync(join(home.work, name), { bigint: true });
    return [name, mode, size, mtimeNs, ino];
  });
}

/** Settles when no view is left. */
async function swept(home: Home): Promise<void> {
  const look = () => viewsOf(home);
  await until({ what: 'the end of all views', limitMs: PATIENCE.timeoutMs }, look, ({ length }) => length === 0);
}

function viewsOf(home: Home): readonly string[] {
  const folder = join(home.state, 'dryRuns');
  return existsSync(folder) ? readdirSync(folder) : [];
}

describe.skipIf(!hasProgram('bwrap'))('a dry run', () => {
  test(
    '[dry-run.call] [dry-run.discard] shows what the command of a call would do, and dropped it leaves no trace',
    async () => {
      using home = new Home();
      const command = 'echo more >> README; mkdir docs; echo x > docs/y; echo told; exit 3';
      await using server = startModelServer({ script: [run(command), text('Fine.')] });
      home.useModel(server.url);
      const before = snapshot(home);
      await using terminal = home.open();
      await ask(terminal, 'try');
      await asked(terminal, 'aish.exec');
      await press(terminal, 'r');
      const screen = await dryRunResult(terminal);
      expect(screen).toContain('exit 3 · 2 changes · %1 · the project is unchanged');
      expect(screen).toContain('  output:\n    told\n');
      expect(screen).toContain('\n  +more\n');
      expect(screen).toContain('  1  changed  README  (6 B → 11 B)\n  2  created  docs/  (1 file, 2 B)\n');
      expect(screen.replace(/\s+/g, ' ')).toContain('Unlike a real run, the dry run had no network');
      expect(screen).toContain('[a] apply all  [c] choose some  [d] discard  [y] run it for real  [n] no');
      await press(terminal, 'd');
      expect(await asked(terminal, 'aish.exec')).toContain('\n  discarded\n');
      expect(snapshot(home)).toEqual(before);
      await swept(home);
      await answer(terminal, 'n');
      await answered(terminal, 'Fine.');
      expect(resultOf(server)).toBe('[aish] tool call declined by user');
    },
    LONG,
  );

  test(
    '[dry-run.own] says what no undo would bring back, and what it was refused on the way to a good end',
    async () => {
      using home = new Home();
      home.git('init', '-q');
      writeFileSync(join(home.work, '.gitignore'), '*.log\n');
      writeFileSync(join(home.work, 'a.log'), 'x');
      await using terminal = home.open();
      await prompted(terminal);
      terminal.type(':dry-run rm a.log; echo x > s4; chmod 4755 s4; true\n');
      const screen = await dryRunResult(terminal);
      expect(screen).toContain('  1  deleted  a.log  (1 B)\n      ignored by git (no undo brings it back)\n');
      expect(screen).toContain('  2  created  s4  (2 B)\n');
      expect(screen.replace(/\s+/g, ' ')).toContain(
        'The sandbox blocked it: the command tried something that the sandbox forbids',
      );
      await press(terminal, 'd');
      await prompted(terminal);
    },
    LONG,
  );

  test.each([
    ['fish', 'for i in a b; echo $i > $i.txt; end; rm READM*'],
    ['zsh', 'for i in a b; print $i > $i.txt; rm READM*(N)'],
  ])(
    '[dry-run.own] a line that only %s can read is tried in that shell',
    async (program, line) => {
      const SHELL = Bun.which(program);
      if (SHELL === null) return;
      using home = new Home();
      await using terminal = home.open([], { env: { SHELL } });
      await prompted(terminal);
      terminal.type(`:dry-run ${line}\n`);
      const screen = await dryRunResult(terminal);
      expect(screen).toContain('a.txt  (2 B)');
      expect(screen).toContain('b.txt  (2 B)');
      expect(screen).toContain('deleted  README');
      await press(terminal, 'd');
      await prompted(terminal);
    },
    120_000,
  );

  test(
    '[dry-run.apply] is applied whole, the model reads so, and an undo takes it back',
    async () => {
      using home = new Home();
      const script = [run('echo more >> README; echo told'), text('Fine.'), run('echo new > new'), text('Done.')];
      await using server = startModelServer({ script });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'do');
      await asked(terminal, 'aish.exec');
      await press(terminal, 'r');
      await dryRunResult(terminal);
      await press(terminal, 'a');
      expect(await answered(terminal, 'Fine.')).toContain('  Applied 1 change.\n');
      expect(readFileSync(join(home.work, 'README'), 'utf8')).toBe('hello\nmore\n');
      expect(resultOf(server)).toBe(
        `exit 0; cwd ${home.work}; output %1; ran in a sandbox, without network: cd, variables and functions do not last\ntold\n` +
          '[aish] ran on a copy of the project (dry run); the user applied all changes: README',
      );
      await swept(home);
      terminal.type(':undo\n');
      await terminal.waitForHistory('restored  README', PATIENCE);
      expect(readFileSync(join(home.work, 'README'), 'utf8')).toBe('hello\n');
      // By now aish knows the rest of the tree, and has to look for what the next dry run changes.
      await prompted(terminal);
      await ask(terminal, 'more');
      await asked(terminal, 'aish.exec');
      await press(terminal, 'r');
      await dryRunResult(terminal);
      await press(terminal, 'a');
      await answered(terminal, 'Done.');
      terminal.type(':undo\n');
      await terminal.waitForHistory('removed  new', PATIENCE);
      expect(existsSync(join(home.work, 'new'))).toBe(false);
    },
    LONG,
  );

  test(
    '[dry-run.apply] is applied in part, and what changed meanwhile is left',
    async () => {
      using home = new Home();
      const command = 'for f in one two three; do echo $f > $f; done; echo more >> README';
      await using server = startModelServer({ script: [run(command), text('Fine.')] });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'do');
      await asked(terminal, 'aish.exec');
      await press(terminal, 'r');
      await dryRunResult(terminal);
      writeFileSync(join(home.work, 'README'), 'mine\n');
      await press(terminal, 'c');
      await terminal.waitFor('changes to apply (1-4', PATIENCE);
      terminal.type('1-2 4\n');
      const screen = await answered(terminal, 'Fine.');
      expect(screen).toContain('not applied: README: changed since the dry run started');
      expect(['one', 'two', 'three'].map((name) => existsSync(join(home.work, name)))).toEqual([true, true, false]);
      expect(readFileSync(join(home.work, 'README'), 'utf8')).toBe('mine\n');
      expect(String(resultOf(server))).toContain(
        '[aish] ran on a copy of the project (dry run); the user applied: one, two; left out by the user: three; not applied: README',
      );
    },
    LONG,
  );

  test(
    '[dry-run.own] [dry-run.discard] is there for a command of the user, and Ctrl-C ends it',
    async () => {
      using home = new Home();
      const before = snapshot(home);
      await using terminal = home.open();
      await prompted(terminal);
      terminal.type(':dry-run echo more >> README; touch started; sleep 600\n');
      await terminal.waitFor('dry run, without input', PATIENCE);
      terminal.press('ctrl-c');
      await terminal.waitForHistory('The dry run stopped; the project is unchanged.', PATIENCE);
      await prompted(terminal);
      expect(snapshot(home)).toEqual(before);
      terminal.type(':dry-run rm README\n');
      expect(await dryRunResult(terminal)).toContain('  1  deleted  README  (6 B)\n');
      await press(terminal, 'a');
      await terminal.waitForHistory('Applied 1 change', PATIENCE);
      await prompted(terminal);
      expect(existsSync(join(home.work, 'README'))).toBe(false);
      expect(await runLine(terminal, 'git status --short')).toContain(' D README');
    },
    LONG,
  );

  test(
    '[dry-run.own] that changed nothing asks nothing, and the next line is a line',
    async () => {
      using home = new Home();
      await using terminal = home.open();
      await prompted(terminal);
      terminal.type(':dry-run echo tried\n');
      await terminal.waitForHistory(/no changes[\s\S]*tried/, PATIENCE);
      await prompted(terminal);
      expect(await runLine(terminal, 'echo a line')).toContain('a line');
      expect(terminal.history()).not.toContain('[d] discard');
      await swept(home);
    },
    LONG,
  );

  test.each([
    ['runs', 'touch made; sleep 600', 'dry run, without input'],
    ['is asked about', 'touch made', /\[a\] apply all/],
  ] as const)(
    '[dry-run.discard] that %s when the terminal is lost goes with it, and so does its view',
    async (_when, line, shown) => {
      using home = new Home();
      const before = snapshot(home);
      await using terminal = home.open();
      await prompted(terminal);
      terminal.type(`:dry-run ${line}\n`);
      await terminal.waitFor(shown, PATIENCE);
      terminal.hangUp();
      await terminal.ended();
      expect([viewsOf(home), snapshot(home)]).toEqual([[], before]);
    },
    LONG,
  );

  test(
    '[dry-run.discard] that is killed leaves the project as it was, and its view goes with the next start',
    async () => {
      using home = new Home();
      const before = snapshot(home);
      await using terminal = home.open();
      await prompted(terminal);
      terminal.type(':dry-run echo more >> README; sleep 600\n');
      await terminal.waitFor('dry run, without input', PATIENCE);
      process.kill(terminal.pid, 'SIGKILL');
      await terminal.ended();
      expect(snapshot(home)).toEqual(before);
      await using again = home.open();
      await prompted(again);
      await swept(home);
    },
    LONG,
  );
});

/** The events up to the next one of a type. */
async function untilEvent(
  events: AsyncIterator<Recorded>,
  type: Recorded['event']['type'],
): Promise<readonly SessionEvent[]> {
  const seen: SessionEvent[] = [];
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    seen.push(next.value.event);
    if (next.value.event.type === type) return seen;
  }
  throw new Error(`no ${type} among ${seen.map((event) => event.type).join(', ')}`);
}

describe.skipIf(!hasProgram('bwrap'))('through the daemon', () => {
  test(
    '[dry-run.ops] is asked for, applied and dropped by JSON',
    async () => {
      await using model = startModelServer({ script: [run('echo more >> README; touch made'), text('Fine.')] });
      using home = new TestHome(`[models.scripted]\nbase_url = "${model.url}"\nmodel = "scripted"\n`);
      home.initRepository();
      await using daemon = await startDaemonProcess(home);
      const client = await HttpSessionClient.open({ type: 'socket', path: daemon.socket });
      const events = client.events(0)[Symbol.asyncIterator]();
      await client.submit({ type: 'dry-run', line: 'rm README' });
      const own = (await untilEvent(events, 'dry-run.completed')).at(-1);
      expect(own).toMatchObject({ number: 1, report: { count: 1, items: [{ kind: 'deleted', path: 'README' }] } });
      await client.submit({ type: 'discard' });
      await untilEvent(events, 'dry-run.discarded');
      await client.submit({ type: 'send', text: 'go' });
      await untilEvent(events, 'approval.requested');
      await client.submit({ type: 'dry-run', callId: 'call00000', prompt: 1 });
      const tried = (await untilEvent(events, 'dry-run.completed')).at(-1);
      expect(tried).toMatchObject({ number: 2, report: { record: { exit: 0 }, count: 2 } });
      expect(readFileSync(join(home.work, 'README'), 'utf8')).toBe('a project\n');
      await client.submit({ type: 'apply', items: [1] });
      const rest = await untilEvent(events, 'turn.ended');
      expect(rest).toContainEqual({
        type: 'dry-run.applied',
        number: 2,
        report: { applied: ['README'], left: ['made'], conflicts: [] },
      });
      expect([readFileSync(join(home.work, 'README'), 'utf8'), existsSync(join(home.work, 'made'))]).toEqual([
        'a project\nmore\n',
        false,
      ]);
      expect(model.failures).toEqual([]);
    },
    LONG,
  );
});

test(
  '[dry-run.call] says so where it cannot be done, and the question stands again',
  async () => {
    using home = new Home();
    await using server = startModelServer({ script: [run('echo more >> README'), text('Fine.')] });
    home.useModel(server.url);
    // aish's own folders lie below it.
    await using terminal = home.open([], { cwd: home.root });
    await ask(terminal, 'do');
    await asked(terminal, 'aish.exec');
    await press(terminal, 'r');
    await terminal.waitForHistory(/cannot dry-run here: \S+ contains aish's own files/, PATIENCE);
    await asked(terminal, 'aish.exec');
    await press(terminal, 'n');
    await answered(terminal, 'Fine.');
  },
  LONG,
);
