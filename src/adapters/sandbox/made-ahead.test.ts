import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { SANDBOX_USERS, SANDBOX_WORKS, SandboxedUser } from '../../../test/support/in-sandbox.ts';
import { until } from '../../../test/support/until.ts';
import { attempt } from '../../core/text/attempt.ts';

/** Waits outside for a process with the filter of a sandbox. */
const untilThere = (name: string, words: string) => `there() {
  for status in $(grep -ls '^Name:.${name}' /proc/[0-9]*/status); do
    grep -qs '^Seccomp:.2' $status && grep -qs -- '${words}' \${status%status}cmdline && return
  done
  return 1
}
until there; do sleep 0.01; done`;

/** These wait until a supervisor has made the sandbox of its next command, and until that command is begun. */
const UNTIL_MADE = untilThere('perl', '-e');
const UNTIL_BEGUN = untilThere('bash', '-c');

describe.skipIf(!SANDBOX_WORKS).each(SANDBOX_USERS)('a sandbox of %s that was made before its command', (user) => {
  let own: SandboxedUser;
  beforeAll(() => {
    own = new SandboxedUser(user, 'homes');
  });
  afterAll(() => own.close());

  test.each([
    ['was replaced by another of its name', 'cp project/.env project/new && mv project/new project/.env'],
    ['was removed and made again', 'rm project/.env && echo KANARIE > project/.env'],
    ['was moved away and back', 'mv project/.env kept && echo KANARIE > project/.env && mv kept project/.env'],
    ['was made meanwhile', 'echo KANARIE > project/new.key'],
    ['became a link to another', 'echo KANARIE > project/plain && ln -sf plain project/.env'],
    [
      'is in a folder that was moved',
      'mv project/deep project/old && mkdir project/deep && echo KANARIE > project/deep/.env',
    ],
    ['is in a folder that was made again', 'rm -r .ssh && mkdir .ssh && echo KANARIE > .ssh/id_ed25519'],
  ])('hides a secret that %s', async (_, meanwhile) => {
    const text = 'cat .env new.key plain */.env ~/.ssh/* 2>/dev/null; echo end';
    const names = ['project/.env', 'project/deep/.env', '.ssh/id_ed25519'];
    const files = Object.fromEntries(names.map((name) => [name, 'KANARIE\n']));
    const meant = { earlier: 'true', begun: text, meanwhile: `${UNTIL_BEGUN}\n${meanwhile}`, files };
    const outcome = await own.run(text, meant);
    expect(outcome).toMatchObject({ exit: 0, output: 'end\n' });
  });

  test('runs nothing of a command that was begun over a cover that is gone', async () => {
    // A builtin needs no process of its own, so it would be the quickest to read.
    const text = 'read -r line < .env; echo "$line"; echo end';
    const meanwhile = `${UNTIL_BEGUN}\ncp project/.env project/new && mv project/new project/.env`;
    const given = { earlier: 'true', begun: text, meanwhile, files: { 'project/.env': 'KANARIE\n' } };
    for (let round = 0; round < 8; round += 1) {
      const { output } = await own.run(text, given);
      expect([output.includes('KANARIE'), output.match(/^end$/gm)]).toEqual([false, ['end']]);
    }
  });

  test('is as one that was made for it', async () => {
    const text = [
      'echo $$ $BASHPID $PPID $0 $- "$BASH_EXECUTION_STRING" | wc -c; set -- /proc/$$/fd/* /proc/[0-9]*; echo $#; pwd; env | sort; umask',
      'grep -E "^(Cap|NoNewPrivs|Seccomp|SigIgn|SigBlk)" /proc/self/status; ulimit -a; ls -a /tmp /run /var/tmp /dev/shm; no-such-program',
    ].join('\n');
    const fresh = await own.run(text);
    const earlier = 'echo left > /tmp/left';
    expect(await own.run(text, { earlier, meanwhile: UNTIL_MADE })).toEqual(fresh);
    expect(await own.run(text, { earlier, begun: text, meanwhile: UNTIL_BEGUN })).toEqual(fresh);
  });

  test('has the environment and the directory of its command', async () => {
    const earlier = { env: { EARLIER: 'x' }, cwd: 'project/sub' };
    const files = { 'project/sub/file': '' };
    const given = { earlier: 'true', earlierPlace: earlier, meanwhile: UNTIL_MADE, files };
    expect((await own.run('echo ${EARLIER-none}; ls', given)).output).toBe('none\ndoor\nsub\n');
  });

  test('waits with a command that was begun, and runs no other than the one that is to run', async () => {
    const seconds = `604.${process.pid}${user.length}`;
    const runs = `for name in $(grep -lsx sleep /proc/[0-9]*/comm); do grep -qs ${seconds} \${name%comm}cmdline && exit 1; done`;
    const meanwhile = `${UNTIL_BEGUN}\n${runs}\ntrue`;
    const given = { earlier: 'true', begun: [`sleep ${seconds}`, 'echo begun', `sleep ${seconds}`], meanwhile };
    expect(await own.run('echo other', given)).toMatchObject({ exit: 0, output: 'other\n' });
  });

  test('runs the command that was begun in place of another', async () => {
    const given = { earlier: 'true', begun: ['echo other', 'echo this'], meanwhile: UNTIL_BEGUN };
    expect(await own.run('echo this', given)).toMatchObject({ exit: 0, output: 'this\n' });
  });

  test.each([
    ['', '${one#/proc/}'],
    [' with all that is in its sandbox', "$(sed -n 's/^PPid:.//p' $one/status)"],
  ])('runs its command where the shell that waited was ended%s', async (_, id) => {
    const text = `echo 'waited ${process.pid}${user.length}'`;
    const found = `$(grep -ls 'wai[t]ed ${process.pid}${user.length}' /proc/[0-9]*/cmdline | head -n 1)`;
    const waits = `one=; until [ -n "$one" ]; do one=${found}; one=\${one%/cmdline}; done`;
    const ended = `kill -9 ${id}; until [ ! -e $one ] || grep -qs '^State:.Z' $one/status; do sleep 0.01; done`;
    const given = { earlier: 'true', begun: text, meanwhile: `${waits}\n${ended}` };
    expect(await own.run(text, given)).toMatchObject({ exit: 0, output: `waited ${process.pid}${user.length}\n` });
  });

  test('runs in the directory that has its name now', async () => {
    const meanwhile = `${UNTIL_BEGUN}\nmv project/sub project/moved && mkdir project/sub && echo new > project/sub/file`;
    const files = { 'project/sub/file': 'old\n' };
    const given = { cwd: 'project/sub', earlier: 'true', begun: 'cat file', meanwhile, files };
    expect(await own.run('cat file', given)).toMatchObject({ exit: 0, output: 'new\n' });
  });

  test('is not seen by a command that runs, and ends with its supervisor', async () => {
    const text = 'echo /proc/[0-9]*';
    const fresh = await own.run(text);
    expect(await own.run(text, { earlier: 'true', meanwhile: UNTIL_MADE })).toEqual(fresh);
    await until({ what: 'the end of the supervisor' }, () => own.id === null || supervisorsOf(own.id).length === 0);
  });
});

/** The processes of a user that run Perl. */
function supervisorsOf(id: number): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    const status = attempt(() => readFileSync(`/proc/${pid}/status`, 'utf8'), '');
    return /^Name:\tperl$/m.test(status) && status.includes(`\nUid:\t${id}\t`);
  });
}
