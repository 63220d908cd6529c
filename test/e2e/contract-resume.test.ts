import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../fidelity/random.ts';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { exec, FIX, useProject } from '../support/contract-project.ts';
import { type Answer, held, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';

const RUN = ['run', '--goal', 'make the sum right', '--until', 'sh test/sum.sh', '--only', 'src', '--output', 'json'];
const LONG = 120_000;

describe.skipIf(!hasProgram('bwrap'))('an autonomous run that ended early', () => {
  test('[contract.resume] [contract.end] goes on from its limit of steps; its receipt covers all of it', async () => {
    using home = new Home();
    useProject(home);
    const script = [exec('echo x > src/new.txt'), exec('true'), text('Hm.'), FIX, text('Fixed.')];
    await using server = startModelServer({ script });
    home.useModel(server.url);
    const first = await home.run([...RUN, '--max-steps', '2']);
    expect([first.code, JSON.parse(first.out)]).toMatchObject([4, { reason: 'step-limit', steps: 2 }]);
    const { session_id: id } = JSON.parse(first.out);
    for (const line of [
      'aish: used: 2 steps',
      'aish: still fails: sh test/sum.sh',
      `aish undo 1 undoes the run, aish run --resume ${id} goes on`,
    ])
      expect(first.error).toContain(line);
    const again = await home.run(['run', '--resume', '--output', 'json']);
    expect([again.code, again.out]).toEqual([1, '']);
    expect(again.error).toContain('the run has used all of its steps or tokens');
    const second = await home.run(['run', '--resume', id, '--max-steps', '9', '--output', 'json']);
    expect([second.code, JSON.parse(second.out)]).toMatchObject([
      0,
      {
        reason: 'achieved',
        steps: 5,
        checksBefore: [{ exit: 1 }],
        checksAfter: [{ exit: 0 }],
        changes: [
          { path: 'src/new.txt', kind: 'added' },
          { path: 'src/sum.sh', kind: 'changed' },
        ],
        calls: [{ what: 'echo x > src/new.txt' }, { what: 'true' }, { what: 'aish.write_file src/sum.sh' }],
      },
    ]);
    expect(server.requests[2]?.body.messages?.at(-1)?.content).toContain('You have worked on this before');
    expect((await home.run(['run', '--resume'])).error).toContain('no autonomous run of this session can go on');
  });

  test('[contract.resume] keeps its pins: a test that changed meanwhile fails it, and one that is new does not pass', async () => {
    using home = new Home();
    useProject(home);
    await using server = startModelServer({ script: [exec('true')] });
    home.useModel(server.url);
    await home.run([...RUN, '--max-steps', '1']);
    writeFileSync(join(home.work, 'test/sum.sh'), 'exit 0\n');
    const { code, out } = await home.run(['run', '--resume', '--max-steps', '5', '--output', 'json']);
    expect([code, JSON.parse(out)]).toMatchObject([
      1,
      { reason: 'pinned-changed', pinnedChanged: ['test/sum.sh'], changes: [] },
    ]);
  });

  test('[contract.usage] a run that goes on takes no other terms', async () => {
    using home = new Home();
    const { code, error } = await home.run(['run', '--resume', '--only', 'src']);
    expect(code).toBe(2);
    expect(error).toContain('--only');
  });

  test('[contract.resume] [contract.replay] goes on at the prompt of another process; no message of aish counts as typed', async () => {
    using home = new Home();
    useProject(home);
    await using server = startModelServer({ script: [exec('true'), exec('true 2'), FIX, text('Fixed.')] });
    home.useModel(server.url);
    const { out } = await home.run([...RUN, '--max-steps', '1']);
    await using terminal = home.open(['--continue']);
    await prompted(terminal);
    const begun = await terminal.waitFor(/:norris resume goes on/, PATIENCE);
    expect(begun).not.toContain('You work alone');
    terminal.type(':norris resume within 9 steps\n');
    const shown = await terminal.waitFor(/Go on with this run\? Type yes:\s*$/, PATIENCE);
    for (const line of ['Goal: make the sum right', 'Limits: 9 steps', 'used: 1 step']) expect(shown).toContain(line);
    terminal.type('yes\n');
    await terminal.waitFor(/The goal is reached[\s\S]*>\s*$/, PATIENCE);
    terminal.type(':norris undo\n');
    await terminal.waitFor(/restored {2}src\/sum\.sh[\s\S]*>\s*$/, PATIENCE);
    terminal.type('exit\n');
    await terminal.ended();
    const { session_id: id } = JSON.parse(out);
    const replay = await home.run(['sessions', 'replay', id, '--speed', '1000']);
    expect(replay.out).toContain(":norris 'make the sum right' until 'sh test/sum.sh'");
    const why = await home.run(['sessions', 'why', id, '1']);
    const plain = await home.run(['sessions', 'show', id]);
    expect(replay.out).not.toContain('You work alone');
    expect(why.out).toContain('aish to the model: make the sum right');
    expect(why.out).not.toContain('  user: make');
    expect(plain.out).not.toContain('\n> make the sum right');
  });
});

/** How often the run is killed: `AISH_RUN_KILLS=100` takes some minutes. */
const KILLS = Number(process.env.AISH_RUN_KILLS ?? 4);
const SEED = Number(process.env.AISH_RUN_SEED ?? 20_261_128);
/** A life that is killed has so many turns at most, so that no such life reaches the goal. */
const TURNS = 3;
/** The check passes with so many lines. */
const ENOUGH = 4 + TURNS * KILLS;
/** A life is killed after so many events at most, and so many milliseconds later. */
const EVENTS = 40;
const LATER_MS = 30;

/** The life of aish that goes on now: its turns that are left, and its end. */
let life = { turns: 0, end: () => {} };

/** Appends a line of its own, in a file or by a command, once for each call that the conversation has; each turn has one call. */
const append: Answer = ({ body }) => {
  const { messages = [] } = body;
  if (messages.at(-1)?.role === 'tool') return text('Next.');
  if (life.turns === 0) {
    life.end();
    return held(text('Never.'), new Promise(() => {}));
  }
  life.turns -= 1;
  const number = messages.filter(({ role }) => role === 'assistant').length;
  return exec(`echo ${number} >> src/log.txt; echo ${number} > src/n${number % 5}.txt`);
};

/** Lets a run go on, and kills it after so many of its events. The answer is its exit status; null if it was killed. */
async function live(home: Home, args: readonly string[], random: Random): Promise<number | null> {
  const program = home.start(args);
  life = { turns: TURNS, end: () => program.kill('SIGKILL') };
  let left = 1 + random.below(EVENTS);
  const later = random.below(LATER_MS);
  for await (const piece of program.stdout) {
    left -= piece.filter((byte) => byte === 10).length;
    if (left > 0) continue;
    setTimeout(() => program.kill('SIGKILL'), later);
    left = Number.POSITIVE_INFINITY;
  }
  await program.exited;
  return program.signalCode === 'SIGKILL' ? null : program.exitCode;
}

function hasBegun(home: Home): boolean {
  const folder = join(home.state, 'sessions');
  if (!existsSync(folder)) return false;
  const found = Bun.spawnSync(['grep', '-rqs', 'contract.checked', folder]);
  return found.exitCode === 0;
}

describe.skipIf(!hasProgram('bwrap'))('an autonomous run that is killed again and again', () => {
  test(
    '[contract.kill] does nothing twice, and its receipt equals the diff of the tree',
    async () => {
      using home = new Home();
      mkdirSync(join(home.work, 'src'));
      mkdirSync(join(home.work, 'test'));
      writeFileSync(join(home.work, 'src/log.txt'), '');
      writeFileSync(join(home.work, 'test/lines.sh'), `[ "$(grep -c . src/log.txt)" -ge ${ENOUGH} ]\n`);
      home.git('add', '.');
      home.git('commit', '-qm', 'begin');
      await using server = startModelServer({ script: Array.from({ length: 100 * (KILLS + 5) }, () => append) });
      // A receipt needs the checkpoints of its run, and a run that is killed often has more than aish keeps by default.
      home.useModel(server.url, '[checkpoint]\nkeep = 100000');
      const random = new Random(SEED);
      const limits = ['--max-steps', '9999', '--max-tokens', '99999999', '--max-minutes', '999', '--output'];
      const begin = ['run', '--goal', 'append lines', '--until', 'sh test/lines.sh', '--only', 'src', ...limits];
      const goOn = ['run', '--resume', ...limits];
      let ended: number | null = null;
      for (let kill = 0; kill < KILLS && ended === null; kill += 1)
        ended = await live(home, [...(hasBegun(home) ? goOn : begin), 'stream-json'], random);
      life = { turns: Number.POSITIVE_INFINITY, end: () => {} };
      const { code, out, error } = await home.run([...(hasBegun(home) ? goOn : begin), 'json']);
      const { reason, changes, checksBefore } = JSON.parse(out === '' ? '{}' : out);
      expect({ code, reason, failures: server.failures, error: code === 0 ? '' : error }).toEqual({
        code: 0,
        reason: 'achieved',
        failures: [],
        error: '',
      });
      const lines = readFileSync(join(home.work, 'src/log.txt'), 'utf8').trim().split('\n');
      expect(lines).toEqual([...new Set(lines)]);
      expect(checksBefore).toMatchObject([{ exit: 1 }]);
      const kinds: Readonly<Record<string, string>> = { M: 'changed', '??': 'added' };
      const status = home.git('status', '--porcelain', '-uall').split('\n');
      const tree = status
        .map((row) => row.trim().split(/\s+/))
        .map(([kind = '', path]) => ({ path, kind: kinds[kind] }));
      expect(changes).toEqual(tree.toSorted((one, other) => ((one.path ?? '') < (other.path ?? '') ? -1 : 1)));
    },
    LONG + KILLS * 20_000,
  );
});
