import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestShell } from '../../../test/support/test-shell.ts';
import { until } from '../../../test/support/until.ts';
import { Background, parseJobs, takeNotices } from './background.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe.each(['bash', 'zsh'] as const)('jobs of %s', (program) => {
  test('those that run and those that are stopped are counted at each prompt', async () => {
    await using t = openTestShell(program);
    await t.run('sleep 61 & sleep 62 &');
    const stopped = t.run('sleep 63');
    await until(
      { what: 'sleep at the terminal' },
      () => t.shell.foregroundName,
      (name) => name === 'sleep',
    );
    t.shell.write(bytes('\x1a'));
    expect((await stopped).exit).toBe(148);
    await t.ready();
    const told = t.shell.report.jobs.map(({ state, line }) => `${state} ${line}`);
    expect(told).toEqual(
      ['running sleep 61', 'running sleep 62', 'stopped sleep 63'].sort(
        (one, other) => told.indexOf(one) - told.indexOf(other),
      ),
    );
  });

  test('a job that ends while the shell waits is told at once, with its line and how it ended', async () => {
    await using t = openTestShell(program);
    await t.run('mkfifo gate; (read x < gate; exit 3) &');
    await t.ready();
    const [job] = t.shell.report.jobs;
    writeFileSync(join(t.home, 'gate'), 'go\n');
    await t.until(() => t.notices.length > 0);
    expect(t.notices).toEqual([`[${job?.number}] ${job?.line}: exit 3`]);
    expect(t.shell.report.jobs).toEqual([]);
    expect(t.outside()).toBe('');
  });

  test('a job that ends during a command is told by the shell itself', async () => {
    await using t = openTestShell(program);
    await t.run('mkfifo gate; cat gate &');
    const during = await t.run('job=$!; : >gate; while kill -0 $job 2>/dev/null; do :; done; /bin/true');
    expect(during.output).toMatch(/[Dd]one +(mkfifo gate; )?cat gate\n/);
    await t.ready();
    expect([t.shell.report.jobs, t.notices]).toEqual([[], []]);
  });

  test('a job that was begun in several lines has a label of one, wherever it is told', async () => {
    await using t = openTestShell(program);
    await t.run('mkfifo gate');
    await t.run('for i in 1; do\n  read x <gate\n  : $x\ndone &');
    await t.ready();
    const [job] = t.shell.report.jobs;
    expect(job?.line).toMatch(/^for i in 1;? ?do.*read x ?< ?gate.*done$/);
    expect(job?.line).not.toContain('\n');
    writeFileSync(join(t.home, 'gate'), 'go\n');
    await t.until(() => t.notices.length > 0);
    expect(t.notices).toEqual([`[${job?.number}] ${job?.line}: done`]);
    expect(t.outside()).toBe('');
  });

  test('what the only job prints while the shell waits is told to be from it', async () => {
    await using t = openTestShell(program);
    await t.run('mkfifo gate; (read x < gate; echo late; read y < gate) &');
    await t.ready();
    writeFileSync(join(t.home, 'gate'), 'go\n');
    await t.until(() => t.outside().includes('late'));
    expect(t.attributed).toEqual(['1: late\r\n']);
  });

  test('a command is over when it ends, whatever holds its output open', async () => {
    await using t = openTestShell(program);
    expect((await t.run('(sleep 60 &) ; echo left')).output).toBe('left\n');
    expect((await t.run('sleep 0.05 | :')).exit).toBe(0);
    expect((await t.run('bg 2>/dev/null; jobs > /dev/null; echo on')).output).toContain('on\n');
  });

  test('bg lets a stopped job go on and fg brings it back', async () => {
    await using t = openTestShell(program);
    await t.run('mkfifo gate');
    const first = t.run('sh -c "read x < gate; echo finished"');
    await until(
      { what: 'sh at the terminal' },
      () => t.shell.foregroundName,
      (name) => name === 'sh',
    );
    t.shell.write(bytes('\x1a'));
    await first;
    await t.run('bg');
    const second = t.run('fg');
    await until(
      { what: 'sh at the terminal' },
      () => t.shell.foregroundName,
      (name) => name === 'sh',
    );
    writeFileSync(join(t.home, 'gate'), 'go\n');
    expect((await second).output).toContain('finished\n');
  });

  test('a pipeline that was stopped is job 1, comes back with fg, and has the terminal', async () => {
    await using t = openTestShell(program);
    writeFileSync(
      join(t.home, 'ask'),
      'stty -ixon </dev/tty; echo asked; read x </dev/tty; stty ixon </dev/tty; echo "got $x"\n',
    );
    const asked = Promise.withResolvers<void>();
    const first = t.shell.run('seq 3 | sh ask', { driver: 'user', onOutput: () => asked.resolve() });
    await asked.promise;
    t.shell.write(bytes('\x1a'));
    await first;
    await t.ready();
    expect(t.shell.report.jobs.map(({ number, state }) => [number, state])).toEqual([[1, 'stopped']]);
    const second = t.run('fg');
    t.shell.write(bytes('back\r'));
    expect((await second).output).toContain('got back\n');
  });

  test('the option that tells of jobs at once is as the user has it while a line runs', async () => {
    await using t = openTestShell(program);
    const before = program === 'bash' ? 'set +o | grep notify' : 'unsetopt notify; [[ -o notify ]]; echo $?';
    await t.run(before);
    expect((await t.run(program === 'bash' ? before : '[[ -o notify ]]; echo $?')).output).toBe(
      program === 'bash' ? 'set +o notify\n' : '1\n',
    );
  });
});

test('the lists of both shells are read', () => {
  const text =
    '[1]   Running                 sleep 60 &\n[2]+  Stopped                 vim a\n[3] running ./serve | tee log\n[4] suspended cat\n';
  expect(parseJobs(text)).toEqual([
    { number: 1, state: 'running', line: 'sleep 60' },
    { number: 2, state: 'stopped', line: 'vim a' },
    { number: 3, state: 'running', line: './serve | tee log' },
    { number: 4, state: 'stopped', line: 'cat' },
  ]);
});

test('a pipeline of which zsh tells in several rows is one job', () => {
  const text =
    '[1]  + done       seq 1 500 | \n       suspended  less\n[2]  - running    make | \n       suspended (tty output)  tee log\n';
  expect(parseJobs(text)).toEqual([
    { number: 1, state: 'stopped', line: 'seq 1 500 | less' },
    { number: 2, state: 'stopped', line: 'make | tee log' },
  ]);
  const ended = '[1]  + done       seq 1 500 | \r\n       exit 2     grep x\r\nother\r\n';
  const { notices, rest } = takeNotices(bytes(ended));
  expect(notices).toEqual([{ number: 1, line: 'seq 1 500 | grep x', how: 'exit 2' }]);
  expect(Buffer.from(rest).toString()).toBe('other\r\n');
});

test('notices are taken out of what else was printed', () => {
  const text =
    'before\r\n[1]+  Done                    make -j8\r\n[2]  - exit 3     ./té\r\nafter [1]+ Done x\r\n[3]   Terminated              sleep 60  (wd: ~)\r\n';
  const { notices, rest } = takeNotices(bytes(text));
  expect(notices).toEqual([
    { number: 1, line: 'make -j8', how: 'done' },
    { number: 2, line: './té', how: 'exit 3' },
    { number: 3, line: 'sleep 60', how: 'terminated' },
  ]);
  expect(Buffer.from(rest).toString()).toBe('before\r\nafter [1]+ Done x\r\n');
});

test('a notice is taken out whole, in whatever pieces it comes', () => {
  const notice = '[1]+  Done                    for i in 1 2; do\r\n    read x < go;\r\ndone\r\n';
  const report = '\0\0\0\0[1]+  Running    for i in 1 2; do\n    read x < go;\ndone &\n\0bash\0\0\0';
  const folder = mkdtempSync(join(tmpdir(), 'aish-jobs-'));
  writeFileSync(join(folder, 'report'), report);
  for (let at = 1; at < notice.length; at += 1) {
    const seen: string[] = [];
    const onOutside = (text: Uint8Array) => void seen.push(Buffer.from(text).toString());
    const background = new Background(
      { onOutside, onJobNotice: ({ how }) => void seen.push(how) },
      join(folder, 'report'),
    );
    background.refresh();
    for (const piece of ['before\r\n', notice.slice(0, at), notice.slice(at), 'after\r\n', '[1] x'])
      background.show(bytes(piece), { isBoot: false });
    expect({ at, seen: seen.filter((text) => text !== '\n') }).toEqual({
      at,
      seen: ['before\r\n', 'done', 'after\r\n', '[1] x'],
    });
  }
  rmSync(folder, { recursive: true });
});

test('who is told of a job finds it gone, or stopped, from the report', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aish-jobs-'));
  const file = join(folder, 'report');
  writeFileSync(file, '\0\0\0\0[1]   Running    sleep 1 &\n[2]-  Running    sleep 2 &\n\0bash\0\0\0');
  const seen: string[][] = [];
  const onJobNotice = () => void seen.push(background.report.jobs.map(({ number, state }) => `${number} ${state}`));
  const background = new Background({ onOutside: () => {}, onJobNotice }, file);
  background.refresh();
  background.show(bytes('[1]   Done    sleep 1\r\n'), { isBoot: false });
  background.show(bytes('[2]+  Stopped    sleep 2\r\n'), { isBoot: false });
  rmSync(folder, { recursive: true });
  expect(seen).toEqual([['2 running'], ['2 stopped']]);
});
