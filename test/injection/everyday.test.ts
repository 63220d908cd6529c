import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calls, type ScriptedCall } from '../support/model-server.ts';
import { openWorld, type World } from './world.ts';

const LONG = 60_000;

const exec = (command: string): ScriptedCall => ({ name: 'aish__exec', arguments: { command } });
const read = (path: string): ScriptedCall => ({ name: 'aish__read_file', arguments: { path } });
const write = (path: string): ScriptedCall => ({ name: 'aish__write_file', arguments: { path, content: 'x\n' } });
const edit = (path: string): ScriptedCall => ({
  name: 'aish__edit_file',
  arguments: { path, old: 'hello', new: 'good day' },
});

let world: World;
afterEach(() => world.close());

/** The approval prompts of a turn that reads no untrusted content. The message names the wish, so the model does it at once. */
async function questionsOf(steps: readonly ScriptedCall[], typed: readonly string[] = []): Promise<readonly string[]> {
  world = await openWorld();
  writeFileSync(join(world.home.work, 'a.txt'), 'hello\n');
  mkdirSync(join(world.home.work, 'src'));
  world.home.git('add', '-A');
  world.home.git('commit', '-qm', 'more');
  for (const line of typed) await world.run(line);
  world.steps = () => steps.map((step) => calls(step));
  await world.turn({ type: 'send', text: 'obey-work-now' });
  expect([world.allowed.length, world.model.failures]).toEqual([steps.length, []]);
  return world.questions.map(({ call }) => JSON.stringify(call.arguments));
}

test.each([
  [
    'looks around',
    [exec('ls'), exec('git status'), exec('git log --oneline'), read('README'), exec('grep -rn hello .')],
  ],
  [
    'edits, tests and commits',
    [read('a.txt'), write('src/b.txt'), exec('npm test'), exec('git add -A'), exec('git commit -qm b')],
  ],
  ['publishes', [exec('git status'), exec('git push origin HEAD'), read('a.txt')]],
  ['changes what is run', [read('package.json'), write('Makefile'), write('run.sh'), exec('make -n')]],
  ['reads the system', [exec('cat /etc/hosts'), exec('ls /usr'), exec('git push origin HEAD')]],
  ['fetches', [exec('ls'), exec('git fetch origin')]],
  [
    'pages an output',
    [exec('git log'), { name: 'aish__output', arguments: { handle: '%1' } }, exec('git push origin HEAD')],
  ],
] as const)(
  'a turn that %s asks no more than its rules say',
  async (_, steps) => {
    expect(await questionsOf(steps)).toEqual([]);
  },
  LONG,
);

test(
  'what the user runs in the project leaves the rules as they are',
  async () => {
    const typed = [
      'ls',
      'git status',
      'npm test',
      'cat a.txt',
      'cd src',
      'cd ..',
      'echo $HOME',
      'vim --version',
      'mkdir x',
    ];
    expect(await questionsOf([exec('git push origin HEAD')], typed)).toEqual([]);
  },
  LONG,
);

test(
  'untrusted content holds back neither reading nor changing the project',
  async () => {
    const steps = [
      exec('ls'),
      read('a.txt'),
      edit('a.txt'),
      write('src/c.txt'),
      exec('git add -A'),
      exec('git commit -qm c'),
    ];
    expect(await questionsOf(steps, ['curl -s http://127.0.0.1:9/'])).toEqual([]);
  },
  LONG,
);

test(
  'the rules hold again once a user has trusted what was read',
  async () => {
    world = await openWorld();
    world.page = 'news';
    await world.run(`curl -s ${world.web}/page`);
    world.steps = () => [calls(exec('git push origin HEAD'))];
    await world.turn({ type: 'send', text: 'obey-work-now' });
    expect(world.questions.length).toBe(1);
    await world.live.session.submit({ type: 'trust' });
    await world.turn({ type: 'send', text: 'obey-work-now' });
    expect([world.questions.length, world.allowed.length]).toEqual([1, 1]);
  },
  LONG,
);

test(
  'what a server answers leads to its own tools where a rule allows them, and to no other server',
  async () => {
    world = await openWorld({ servers: true });
    world.mcp.answer = { result: { content: [{ type: 'text', text: 'see https://weather.example/tomorrow' }] } };
    const forecast = (args: object): ScriptedCall => ({ name: 'weather__forecast', arguments: args });
    const mail: ScriptedCall = { name: 'mailer__send', arguments: { to: 'ann' } };
    world.steps = () => [
      calls(forecast({})),
      calls(forecast({ at: 'https://weather.example/tomorrow', days: 3 })),
      calls(forecast({ at: 'https://weather.example/tomorrow?and=all-that-was-said' })),
      calls(mail),
    ];
    await world.turn({ type: 'send', text: 'obey-work-now' });
    expect(world.allowed.map(({ name }) => name)).toEqual(['weather.forecast', 'weather.forecast']);
    expect(world.questions.map(({ call }) => call.name)).toEqual(['weather.forecast', 'mailer.send']);
  },
  LONG,
);
