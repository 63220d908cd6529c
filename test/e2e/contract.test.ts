import { describe, expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { exec, FIX, useProject, write } from '../support/contract-project.ts';
import { broken, calls, type Reply, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';

const RUN = ['run', '--goal', 'make the sum right', '--until', 'sh test/sum.sh', '--only', 'src', '--output', 'json'];

async function run(script: readonly Reply[], more: readonly string[] = []) {
  const home = new Home();
  useProject(home);
  await using server = startModelServer({ script: [...script] });
  // A token costs a dollar.
  home.useModel(server.url, 'price_input = 1000000\nprice_output = 1000000');
  const { code, out, error } = await home.run([...RUN, ...more]);
  const receipt = out === '' ? null : JSON.parse(out);
  return { home, code, receipt, error, requests: server.requests };
}

/** Calls that pass a fence, and the fence that stops each. */
const FENCED: readonly (readonly [name: string, fence: object, script: readonly Reply[]])[] = [
  ['edits the test', { code: 'pinned', path: 'test/sum.sh' }, [write('test/sum.sh', 'exit 0\n')]],
  ['edits the test by a command', { code: 'pinned', path: 'test/sum.sh' }, [exec('echo exit 0 > test/sum.sh')]],
  ['removes the test', { code: 'pinned', path: 'test/sum.sh' }, [exec('rm test/sum.sh')]],
  ['moves the folder of the test', { code: 'pinned' }, [exec('mv test src/test')]],
  ['writes outside the paths', { code: 'outside', path: 'keep.txt' }, [write('keep.txt', 'x\n')]],
  ['deletes outside the paths', { code: 'outside', path: 'keep.txt' }, [exec('rm keep.txt')]],
  ['writes outside the project', { code: 'outside' }, [write('../other.txt', 'x\n')]],
  ['commits', { code: 'repository' }, [exec('git commit -qam x --allow-empty')]],
  ['uses the network', { code: 'network' }, [exec('curl http://127.0.0.1:9/')]],
  ['takes more rights', { code: 'privileged' }, [exec('sudo -n true')]],
  ['hides what it runs', { code: 'unreadable' }, [exec('eval "$X')]],
];

describe.skipIf(!hasProgram('bwrap'))('an autonomous run', () => {
  test('[contract.achieved] works until the checks pass, and its receipt names every change', async () => {
    const { home, code, receipt, requests } = await run([exec('cat src/sum.sh'), FIX, text('Fixed.')]);
    using _ = home;
    expect(code).toBe(0);
    expect(receipt).toMatchObject({
      reason: 'achieved',
      checksBefore: [{ command: 'sh test/sum.sh', exit: 1 }],
      checksAfter: [{ command: 'sh test/sum.sh', exit: 0 }],
      changes: [{ path: 'src/sum.sh', kind: 'changed' }],
      steps: 3,
    });
    expect(requests[0]?.body.messages?.at(-1)?.content).toContain('2 + 3 is not 5');
    expect(home.git('status', '--porcelain')).toBe('M src/sum.sh');
  });

  test.each(FENCED)('[contract.fence] %s: the run ends, and nothing has changed', async (_, fence, script) => {
    const { home, code, receipt } = await run(script);
    using _home = home;
    expect(receipt).toMatchObject({ reason: 'fence', fence, changes: [] });
    expect(code).toBe(3);
    expect(home.git('status', '--porcelain')).toBe('');
    expect(existsSync(join(home.root, 'other.txt'))).toBe(false);
  });

  test('[contract.limits] a run ends at its limit of steps, of tokens, of costs, and without progress', async () => {
    const idle = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? exec(`true ${at}`) : text('Hm.')));
    const reasons = [];
    for (const more of [['--max-steps', '3'], ['--max-tokens', '20'], ['--max-usd', '20'], []]) {
      const { home, receipt, code } = await run(idle, more);
      reasons.push([receipt.reason, code]);
      home[Symbol.dispose]();
    }
    expect(reasons).toEqual([
      ['step-limit', 4],
      ['token-limit', 4],
      ['cost-limit', 4],
      ['no-progress', 1],
    ]);
  });

  test('[contract.stream] [contract.end] an answer that streams ends at the limit of tokens, and the end says what is missing', async () => {
    const endless = broken(text('word '.repeat(400)), 400, 'hang');
    const { home, receipt, code, error } = await run([endless], ['--max-tokens', '100']);
    using _ = home;
    expect([receipt.reason, code, receipt.steps]).toEqual(['token-limit', 4, 0]);
    expect(error).toContain('still fails: sh test/sum.sh');
  });

  test('[contract.stream] a call that fails again and again ends the run, unless its checks pass then', async () => {
    const plan = { items: [{ text: 'fix it', state: 'doing' }] };
    const script = [calls({ name: 'aish__plan', arguments: plan }), ...Array.from({ length: 3 }, () => exec('false'))];
    const { home, receipt, code, error } = await run(script);
    using _ = home;
    expect([receipt.reason, code, receipt.plan]).toEqual(['repeated-failure', 1, plan.items]);
    expect(error).toContain('open in the plan: fix it');
  });

  test('[contract.copy] files that git ignores stay as they are, and a check leaves nothing behind', async () => {
    const { home, receipt } = await run([
      exec('mkdir -p build && echo x > build/x && echo y > src/new.txt'),
      FIX,
      text('Done.'),
    ]);
    using _ = home;
    expect(receipt).toMatchObject({
      reason: 'achieved',
      changes: [
        { path: 'src/new.txt', kind: 'added' },
        { path: 'src/sum.sh', kind: 'changed' },
      ],
    });
    expect(existsSync(join(home.work, 'build'))).toBe(false);
  });

  test('[contract.copy] code that rewrites the test which runs it does not make it pass', async () => {
    using home = new Home();
    useProject(home);
    // A shell reads a long script in pieces.
    const steps = `right=$(sh src/sum.sh 2 3)\n${'# more\n'.repeat(4000)}[ "$right" = 5 ]\n`;
    writeFileSync(join(home.work, 'test/sum.sh'), steps);
    const forged = write('src/sum.sh', `yes 'exit 0' | head -c ${steps.length} > test/sum.sh; echo 4\n`);
    await using server = startModelServer({ script: [forged, text('Done.'), FIX, text('Fixed.')] });
    home.useModel(server.url);
    const { out } = await home.run([...RUN, '--until', 'bash test/sum.sh']);
    const { reason, steps: used, changes } = JSON.parse(out);
    expect([reason, used, changes]).toEqual(['achieved', 4, [{ path: 'src/sum.sh', kind: 'changed' }]]);
  });

  test('[contract.already] nothing is asked of the model if the checks pass already', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [] });
    home.useModel(server.url);
    const { code, out } = await home.run(['run', '--goal', 'g', '--until', 'echo here > made.txt', '--output', 'json']);
    expect([code, JSON.parse(out).reason]).toEqual([0, 'already-achieved']);
    expect(server.requests).toEqual([]);
    expect(existsSync(join(home.work, 'made.txt'))).toBe(false);
  });

  test('[contract.usage] a run without goal or check, or with a path outside, is an error', async () => {
    using home = new Home();
    for (const args of [[], ['--goal', 'g'], ['--goal', 'g', '--until', 'true', '--only', '../x']]) {
      const { code, out, error } = await home.run(['run', ...args]);
      expect([code === 0, out]).toEqual([false, '']);
      expect(error).toContain('aish:');
    }
  });

  test('[contract.prompt] the whole contract is shown, only yes begins it, and its steps are undone together', async () => {
    using home = new Home();
    useProject(home);
    await using server = startModelServer({ script: [exec('echo x > src/new.txt'), FIX, text('Fixed.')] });
    home.useModel(server.url);
    await using terminal = home.open();
    await prompted(terminal);
    terminal.type(":norris 'make the sum right' until 'sh test/sum.sh' only src\n");
    const shown = await terminal.waitFor(/Type yes:\s*$/, PATIENCE);
    for (const line of [
      'Goal: make the sum right',
      'Until: sh test/sum.sh exits with 0',
      'Changes: only src',
      'Network: off',
    ])
      expect(shown).toContain(line);
    terminal.type('y\n');
    await terminal.waitFor(/The run has not begun\.[\s\S]*>\s*$/, PATIENCE);
    expect(server.requests).toEqual([]);
    terminal.type(":norris 'make the sum right' until 'sh test/sum.sh' only src\n");
    await terminal.waitFor(/Type yes:\s*$/, PATIENCE);
    terminal.type('yes\n');
    const ended = await terminal.waitFor(/The goal is reached[\s\S]*>\s*$/, PATIENCE);
    expect(ended).toContain(':norris receipt shows each call and change, :norris undo undoes them');
    expect(ended).not.toContain(':norris resume');
    expect(home.git('status', '--porcelain')).toBe('M src/sum.sh\n?? src/new.txt');
    terminal.type(':norris undo\n');
    await terminal.waitFor(/restored {2}src\/sum\.sh[\s\S]*>\s*$/, PATIENCE);
    expect(home.git('status', '--porcelain')).toBe('');
  });
});
