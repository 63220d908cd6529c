import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TrustStore } from '../../src/adapters/config/trust.ts';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { exec, FIX, useProject, write } from '../support/contract-project.ts';
import { held, type ModelServer, type Reply, startModelServer, status, text } from '../support/model-server.ts';
import { commandLine, descendants, survivors } from '../support/processes.ts';
import { hasProgram } from '../support/programs.ts';
import type { TestTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const RUN = ['run', '--goal', 'make the sum right', '--until', 'sh test/sum.sh', '--worktree'];

/** Everything of the user's repository that a run must leave alone. */
function stateOf(home: Home): readonly string[] {
  const index = readFileSync(join(home.work, '.git/index')).toString('base64');
  const said = [
    ['status', '--porcelain'],
    ['for-each-ref'],
    ['stash', 'list'],
    ['worktree', 'list'],
    ['log', '--oneline'],
  ];
  return [index, ...said.map((args) => home.git(...args))];
}

function copiesIn(home: Home): readonly string[] {
  const folder = join(home.root, 'state/.aish-runs');
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Settles when so many requests have come to the model. */
function requested({ requests }: ModelServer, count: number): Promise<number> {
  return until(
    { what: `${count} requests` },
    () => requests.length,
    (found) => found >= count,
  );
}

async function beginInBackground(terminal: TestTerminal, limits = ''): Promise<void> {
  terminal.type(`:norris 'make the sum right' until 'sh test/sum.sh' ${limits} in background\n`);
  await terminal.waitFor(/Place: a copy of the project[\s\S]*Type yes:\s*$/, PATIENCE);
  terminal.type('yes\n');
  await terminal.waitFor(/run r1 begins in the background/, PATIENCE);
}

describe.skipIf(!hasProgram('bwrap'))('a run in a working copy', () => {
  test('[contract.worktree] leaves the project alone, whatever its state, and says where the changes are', async () => {
    using home = new Home();
    useProject(home);
    writeFileSync(join(home.work, 'keep.txt'), 'stashed\n');
    home.git('stash');
    writeFileSync(join(home.work, 'keep.txt'), 'changed\n');
    writeFileSync(join(home.work, 'src/note.txt'), 'untracked\n');
    mkdirSync(join(home.work, 'build'));
    writeFileSync(join(home.work, 'build/dep.sh'), 'echo dependency\n');
    mkdirSync(join(home.work, '.git/hooks'), { recursive: true });
    for (const hook of ['post-checkout', 'pre-commit', 'reference-transaction'])
      writeFileSync(join(home.work, '.git/hooks', hook), '#!/bin/sh\ntouch "$HOME/hooked"\n', { mode: 0o755 });
    // The user trusts what the hooks of the project run, and so they run in the copy.
    const hooks = { 'config.toml': '[hooks]\npre-tool = [".aish/hooks/note"]\n', 'hooks/note': 'echo x >> ~/noted\n' };
    mkdirSync(join(home.work, '.aish/hooks'), { recursive: true });
    for (const [name, content] of Object.entries(hooks)) {
      writeFileSync(join(home.work, '.aish', name), content, { mode: 0o755 });
      new TrustStore(home.state).trust(join(home.work, '.aish', name), content);
    }
    const before = stateOf(home);
    const look = exec('cat keep.txt src/note.txt build/dep.sh; git status --porcelain; echo more >> src/note.txt');
    await using server = startModelServer({ script: [look, FIX, text('Fixed.')] });
    home.useModel(server.url);
    const { code, out, error } = await home.run([...RUN, '--receipt', 'receipt.md']);
    expect([code, error.includes('The goal is reached')]).toEqual([0, true]);
    const seen = String(server.requests[1]?.body.messages?.at(-1)?.content);
    for (const line of ['changed', 'untracked', 'echo dependency', ' M keep.txt', '?? src/note.txt'])
      expect(seen).toContain(line);
    const tree = join(home.root, 'state/.aish-runs/r1/work');
    expect(out).toContain(`2 files changed.\nThe changes are in ${tree}\n`);
    expect(readFileSync(join(tree, 'src/note.txt'), 'utf8')).toBe('untracked\nmore\n');
    expect(home.git('status', '--porcelain', '--', 'receipt.md')).toBe('?? receipt.md');
    home.git('clean', '-q', '-f', 'receipt.md');
    expect(stateOf(home)).toEqual(before);
    expect(['hooked', 'noted'].map((name) => existsSync(join(home.home, name)))).toEqual([false, true]);
  });

  test('[contract.resume] a run at its limit goes on in its working copy, and its receipt has all changes', async () => {
    using home = new Home();
    useProject(home);
    await using server = startModelServer({ script: [exec('echo first > src/first.txt'), FIX, text('Fixed.')] });
    home.useModel(server.url);
    const first = await home.run([...RUN, '--max-steps', '1', '--output', 'json']);
    const { session_id, run, reason } = JSON.parse(first.out);
    expect([first.code, run, reason]).toEqual([4, 'r1', 'step-limit']);
    // The process of a run in the background, without the prompt that it works for.
    await home.run(['run', '--in', run]);
    expect(server.requests.length).toBe(1);
    const { code, out } = await home.run(['run', '--resume', session_id, '--max-steps', '5', '--output', 'json']);
    const paths = JSON.parse(out).changes.map(({ path }: { readonly path: string }) => path);
    expect([code, paths]).toEqual([0, ['src/first.txt', 'src/sum.sh']]);
    expect(home.git('status', '--porcelain')).toBe('');
    expect(copiesIn(home)).toEqual(['r1']);
  });

  test('[contract.apply] --apply takes the changes over at success, and an undo takes them back', async () => {
    using home = new Home();
    useProject(home);
    await using server = startModelServer({ script: [FIX, text('Fixed.')] });
    home.useModel(server.url);
    const { code, out } = await home.run([...RUN, '--apply']);
    expect([code, out.includes('run r1: applied 1 file; :undo c1 takes them back')]).toEqual([0, true]);
    expect(home.git('status', '--porcelain')).toBe('M src/sum.sh');
    expect(copiesIn(home)).toEqual([]);
    expect((await home.run(['undo'])).code).toBe(0);
    expect(home.git('status', '--porcelain')).toBe('');
  });

  test.each<readonly [string, number, readonly Reply[]]>([
    ['fails at a fence', 3, [FIX, write('test/sum.sh', 'exit 0\n')]],
    ['changes nothing', 3, [exec('curl http://127.0.0.1:9/')]],
  ])('[contract.apply] --apply applies nothing if the run %s', async (_, status, script) => {
    using home = new Home();
    useProject(home);
    await using server = startModelServer({ script: [...script] });
    home.useModel(server.url);
    expect((await home.run([...RUN, '--apply'])).code).toBe(status);
    expect(home.git('status', '--porcelain')).toBe('');
    expect(copiesIn(home)).toEqual(script.length === 1 ? [] : ['r1']);
    const waiting = `working copies of runs wait for you: r1 (${home.work})`;
    expect((await home.run(['doctor'])).out.includes(waiting)).toBe(script.length > 1);
  });

  test('[contract.background] [contract.apply] the prompt stays free, and an edit of the user is never lost', async () => {
    using home = new Home();
    useProject(home);
    const fixed = Promise.withResolvers<void>();
    const more = exec('echo run > keep.txt; echo new > src/new.txt');
    await using server = startModelServer({ script: [more, held(FIX, fixed.promise), text('Fixed.')] });
    home.useModel(server.url);
    await using terminal = home.open();
    await prompted(terminal);
    await beginInBackground(terminal);
    await requested(server, 2);
    expect(await runLine(terminal, 'echo user > keep.txt; echo still-$((40+2))')).toContain('still-42');
    terminal.type(':norris\n');
    await terminal.waitFor(
      /r1 {2}works {2}make the sum right\n {4}step 1 of 20, [\s\S]*fails \(exit 1\)[\s\S]*>\s*$/,
      PATIENCE,
    );
    terminal.type(':norris apply\n');
    await terminal.waitFor(/run r1 is still running/, PATIENCE);
    const { session } = JSON.parse(readFileSync(join(home.state, 'runs/r1.json'), 'utf8'));
    await using second = home.open(['attach', session]);
    await second.waitForHistory(/fails \(exit 1\): sh test\/sum\.sh/, PATIENCE);
    expect(home.git('status', '--porcelain')).toBe('M keep.txt');
    fixed.resolve();
    await terminal.waitForHistory(/run r1: The goal is reached: all checks pass\. 3 files changed\./, PATIENCE);
    terminal.type(':norris diff\n');
    await terminal.waitFor(/\+echo \$\(\(\$1 \+ \$2\)\)[\s\S]*>\s*$/, PATIENCE);
    terminal.type(':norris apply\n');
    await terminal.waitFor(/applied 2 files; :undo c1 takes[\s\S]*not applied: keep\.txt: you changed it/, PATIENCE);
    expect(home.git('status', '--porcelain')).toBe('M keep.txt\n M src/sum.sh\n?? src/new.txt');
    expect(readFileSync(join(home.work, 'keep.txt'), 'utf8')).toBe('user\n');
    terminal.type(':undo\n');
    await terminal.waitFor(/restored {2}src\/sum\.sh[\s\S]*>\s*$/, PATIENCE);
    expect(home.git('status', '--porcelain')).toBe('M keep.txt');
    terminal.type(':norris discard\n');
    await terminal.waitFor(/run r1: its working copy is removed/, PATIENCE);
    expect(copiesIn(home)).toEqual([]);
  });

  test('[contract.background] a run that fails says why at the prompt', async () => {
    using home = new Home();
    useProject(home);
    await using server = startModelServer({ script: [status(401)] });
    home.useModel(server.url);
    await using terminal = home.open();
    await prompted(terminal);
    await beginInBackground(terminal);
    const shown = await terminal.waitForHistory(/run r1: The run failed\. It changed no file\./, PATIENCE);
    expect(shown).toMatch(/run r1: .*401/);
  });

  test('[contract.background] [contract.resume] a run at its limit goes on in its working copy', async () => {
    using home = new Home();
    useProject(home);
    const first = exec('echo first > src/first.txt');
    await using server = startModelServer({ script: [first, FIX, text('Fixed.')] });
    home.useModel(server.url);
    await using terminal = home.open();
    await prompted(terminal);
    await beginInBackground(terminal, 'within 1 step');
    await terminal.waitForHistory(/run r1: The run stopped at its limit of steps\. 1 file changed\./, PATIENCE);
    terminal.type(':norris resume r1 within 5 steps\n');
    await terminal.waitFor(/Limits: 5 steps[\s\S]*Type yes:\s*$/, PATIENCE);
    terminal.type('yes\n');
    await terminal.waitForHistory(/run r1: The goal is reached: all checks pass\. 2 files changed\./, PATIENCE);
    expect(server.requests.length).toBe(3);
    expect(home.git('status', '--porcelain')).toBe('');
  });

  test.each<readonly [string, (terminal: TestTerminal) => void]>([
    [':halt', (terminal) => terminal.type(':halt\n')],
    [':norris stop', (terminal) => terminal.type(':norris stop\n')],
    ['kill -9 of aish', (terminal) => process.kill(terminal.pid, 'SIGKILL')],
    ['the loss of the terminal', (terminal) => process.kill(terminal.pid, 'SIGHUP')],
    [':quit', (terminal) => terminal.type(':quit\n')],
  ])('[contract.background] %s ends the run with all its processes', async (_, end) => {
    using home = new Home();
    useProject(home);
    const never = Promise.withResolvers<void>();
    const sleep = exec('sleep 300 & sleep 300');
    await using server = startModelServer({ script: [sleep, held(text('Never.'), never.promise)] });
    home.useModel(server.url);
    await using terminal = home.open();
    await prompted(terminal);
    await beginInBackground(terminal);
    await requested(server, 1);
    const pids = await until(
      { what: 'the command of the run' },
      () => descendants(terminal.pid),
      (found) => found.some((pid) => commandLine(pid) === 'sleep 300'),
    );
    const ofRun = pids.filter((pid) => commandLine(pid).includes('--in r1'));
    expect(ofRun.length).toBeGreaterThan(0);
    const worked = [...ofRun, ...ofRun.flatMap(descendants)];
    end(terminal);
    expect(await survivors(worked)).toEqual([]);
    expect(home.git('status', '--porcelain')).toBe('');
    expect(copiesIn(home)).toEqual(['r1']);
  });

  test.each([[], ['--worktree']])(
    '[contract.background] a signal during the checks ends the run %j',
    async (...more) => {
      using home = new Home();
      useProject(home);
      await using server = startModelServer({ script: [] });
      home.useModel(server.url);
      const program = home.start(['run', '--goal', 'g', '--until', 'sleep 300', ...more]);
      const pids = await until(
        { what: 'the check' },
        () => descendants(program.pid),
        (found) => found.some((pid) => commandLine(pid) === 'sleep 300'),
      );
      process.kill(program.pid, 'SIGTERM');
      expect(await program.exited).toBe(143);
      expect(await survivors(pids)).toEqual([]);
      expect(server.requests).toEqual([]);
      expect(copiesIn(home)).toEqual([]);
    },
  );

  test('[contract.usage] --apply needs --worktree', async () => {
    using home = new Home();
    const { code, error } = await home.run(['run', '--goal', 'g', '--until', 'true', '--apply']);
    expect([code, error]).toEqual([2, expect.stringContaining('--apply needs --worktree')]);
  });
});
