import { beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { calls, type ModelServer, startModelServer, text } from '../../../test/support/model-server.ts';
import { hasProgram } from '../../../test/support/programs.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { toSettings } from '../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import type { LiveSession } from './engine.ts';

let home: Home;
let model: ModelServer;
const openEngine = useEngines();
let live: LiveSession;

/** Starts the model, which wants that command run. */
function startModel(command = 'cd . && touch made'): void {
  model = startModelServer({ script: [calls({ name: 'aish__exec', arguments: { command } }), text('Done.')] });
}

beforeEach(() => {
  home = new Home();
  startModel();
});

/** Opens a session of a user with this shell. */
async function openIn(shell: string): Promise<void> {
  const env = { ...home.env, SHELL: Bun.which(shell) ?? shell };
  const config: Config = { ...DEFAULT_CONFIG, models: { local: { base_url: model.url } } };
  const engine = openEngine({ home, config, env, servers: [model] });
  live = await engine.open({ cwd: home.work, settings: { ...toSettings(config), approve: 'ask' } });
}

/** Submits an op and gives the first event of some types that comes of it. */
async function until(op: Op, ...types: readonly SessionEvent['type'][]): Promise<SessionEvent> {
  const events = live.session.events(live.session.seq);
  await live.session.submit(op);
  for await (const { event } of events) if (types.includes(event.type)) return event;
  throw new Error(`none of ${types.join()} came`);
}

/** Approves a call: the reason of a repeated prompt, or `ran`. */
async function allow(callId: string): Promise<string> {
  const decision: Op = { type: 'decide', callId, decision: { type: 'allow' }, by: 'user' };
  const next = await until(decision, 'approval.requested', 'tool-call.completed');
  return next.type === 'approval.requested' ? (next.preview.again ?? '') : 'ran';
}

/** Asks about the command, runs a line in the shell while the question stands, and says yes. */
async function answerAfter(line: string, shell: string, before = 'true'): Promise<string> {
  await openIn(shell);
  await until({ type: 'run', line: before }, 'command.completed');
  const asked = await until({ type: 'send', text: 'go' }, 'approval.requested');
  if (asked.type !== 'approval.requested') throw new Error('nothing was asked');
  await live.sharedShell.run(line, 'user', AbortSignal.timeout(20_000));
  return allow(asked.callId);
}

/**
 * Makes a command need an approval while the shell holds, lets the shell go on as soon as the prompt or a wait appears, and approves it.
 */
async function askedOnce(): Promise<readonly (string | undefined)[]> {
  const waits = Promise.withResolvers<void>();
  const { sharedShell } = live;
  const settled = sharedShell.settled.bind(sharedShell);
  sharedShell.settled = () => {
    waits.resolve();
    return settled();
  };
  const asking = until({ type: 'send', text: 'go' }, 'approval.requested');
  await Promise.race([asking, waits.promise]);
  writeFileSync(join(home.home, 'go'), '');
  const asked = await asking;
  if (asked.type !== 'approval.requested') throw new Error('nothing was asked');
  return [asked.preview.decided?.cwd, await allow(asked.callId)];
}

const CHANGED = 'means something else to your shell than when you saw the command';

describe.each(['bash', 'zsh'].filter(hasProgram))('%s', (shell) => {
  test.each([
    ['a function', 'touch() { echo mine; }', 'touch'],
    ['an alias', 'alias touch="echo mine"', 'touch'],
    ['a function for a word of the shell', 'cd() { builtin cd /; }', 'cd'],
    ['a trap that sees every command', "trap 'echo mine' DEBUG", 'trap DEBUG'],
  ])('%s that comes between the question and the yes has it asked again', async (_, line, word) => {
    expect(await answerAfter(line, shell)).toBe(`${word} ${CHANGED}`);
  });

  test('a function that is defined anew under its name has it asked again', async () => {
    const before = 'touch() { command touch "$@"; }';
    expect(await answerAfter('touch() { echo mine; }', shell, before)).toBe(
      'aish cannot tell whether touch still means the same to your shell',
    );
  });

  // The shell only says where it is: one of them shows what a path leads to.
  test.if(shell === 'bash').each([
    ['touch made', 'ran'],
    ['cd . && touch deep/made', 'ran'],
    ['cd .. && touch made', 'asked'],
    ['touch ../made', 'asked'],
    ['touch "$PWD/../made"', 'asked'],
  ])(
    'a yes for "%s" holds in the same directory under another name only where it leads to the same: %s',
    async (command, outcome) => {
      await model.close();
      startModel(command);
      mkdirSync(join(home.work, 'deep'));
      mkdirSync(join(home.root, 'other'));
      symlinkSync(home.work, join(home.root, 'other/link'));
      const again = await answerAfter(`cd ${home.root}/other/link`, shell);
      expect(again === 'ran' ? 'ran' : again.replace(/^the shell is now in .*$/, 'asked')).toBe(outcome);
    },
  );

  test('a program of that name that comes first in PATH has it asked again', async () => {
    const folder = join(home.root, 'first');
    mkdirSync(folder);
    writeFileSync(join(folder, 'touch'), '#!/bin/sh\n');
    chmodSync(join(folder, 'touch'), 0o755);
    expect(await answerAfter(`PATH=${folder}:$PATH`, shell)).toBe(`touch ${CHANGED}`);
  });

  test.each([
    'true',
    'other() { :; }',
    'alias zz=ls',
    `PATH=$PATH:/nowhere`,
    'trap : EXIT',
    "trap ': a' EXIT; (exit 3)",
  ])('a yes holds after %s, which changes no word of the line', async (line) => {
    expect(await answerAfter(line, shell)).toBe('ran');
  });

  test('what is shown while the shell starts is as the startup files leave it', async () => {
    const rc = 'until [ -e ~/go ]; do sleep 0.01; done; cd "$HOME"; touch() { command touch "$@"; }\n';
    writeFileSync(join(home.home, `.${shell}rc`), rc);
    await openIn(shell);
    await live.sharedShell.start();
    expect(await askedOnce()).toEqual([home.home, 'ran']);
  });

  test('what is shown while hooks of the prompt run is as the command before them leaves it', async () => {
    const hook = '[ ! -e ~/hold ] || until [ -e ~/go ]; do sleep 0.01; done';
    writeFileSync(join(home.home, '.bashrc'), `PROMPT_COMMAND='${hook}'\n`);
    writeFileSync(join(home.home, '.zshrc'), `hold() { ${hook}; }; precmd_functions+=(hold)\n`);
    await openIn(shell);
    const line = 'cd ..; touch() { command touch "$@"; }; : > ~/hold';
    await until({ type: 'run', line }, 'command.completed');
    expect(await askedOnce()).toEqual([home.root, 'ran']);
  });
});

test.skipIf(!hasProgram('zsh'))('a function of zsh that sees every command has it asked again', async () => {
  expect(await answerAfter('TRAPDEBUG() { echo mine; }', 'zsh')).toBe(`trap DEBUG ${CHANGED}`);
});
