import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, tell } from '../support/at-prompt.ts';
import { answer, answered, ask, asked } from '../support/conversation.ts';
import { calls, type ModelServer, startModelServer, text } from '../support/model-server.ts';
import { written } from '../support/until.ts';

setDefaultTimeout(120_000);

const exec = (command: string) => calls({ name: 'aish__exec', arguments: { command } });
const RULES = '[safety]\napprove = ["touch", "echo"]\n';

/** Writes a hook of the user's own, a shell script; the answer is its line for the configuration. */
function hook(home: Home, name: string, script: string): string {
  const path = join(dirname(home.configFile), 'hooks', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return `"${path}"`;
}

/** The last message of a request. */
function lastOf(server: ModelServer, at: number): string {
  return String(server.requests[at]?.body.messages.at(-1)?.content);
}

/** Hooks that do not answer as they should, and what the user reads about each. */
const FAULTS: readonly (readonly [script: string, why: RegExp])[] = [
  ['exit 1', /it failed with exit status 1$/],
  ['echo broken >&2; exit 7', /it failed with exit status 7 \(broken\)$/],
  ['echo fine', /its output is not one JSON object of texts$/],
  ['echo \'{"decision":"allow"}\'', /its answer has the unknown decision "allow"; known decisions: deny, ask$/],
  ['yes', /it printed more than 64 kB$/],
  ['sleep 1000', /it did not end within 400 ms$/],
];

describe('headless', () => {
  test('[extend.hooks] a hook sees a call as one JSON object, and denies it although a rule allows it', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [exec('touch made'), text('Done.')] });
    const line = hook(home, 'check', 'cat > "$HOME/seen"; echo \'{"decision":"deny","reason":"not on a Friday"}\'');
    home.useModel(server.url, `[hooks]\npre-tool = [${line}]\n${RULES}`);
    const ran = await home.run(['-p', 'go']);
    expect([ran.out, existsSync(join(home.work, 'made'))]).toEqual(['Done.\n', false]);
    expect(ran.error).toMatch(/^aish: refused \(the hook `\S+\/check` denied it: not on a Friday\): touch made$/m);
    expect(lastOf(server, 1)).toMatch(/^\[aish\] not run: the hook `\S+\/check` denied it: not on a Friday$/);
    expect(JSON.parse(readFileSync(join(home.home, 'seen'), 'utf8'))).toEqual({
      hook: 'pre-tool',
      session: expect.any(String),
      turn: 1,
      cwd: home.work,
      tool: 'aish.exec',
      effect: 'exec',
      arguments: { command: 'touch made' },
      class: 'mutating',
    });
  });

  test('[extend.hooks] a hook that names no file of the project runs outside of it', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [exec('touch made'), text('Done.')] });
    // A folder of the name of a program is no script.
    mkdirSync(join(home.work, 'pwd'));
    home.useModel(server.url, `[hooks]\npre-tool = ['pwd > "$HOME/place"']\n${RULES}`);
    expect((await home.run(['-p', 'go'])).out).toBe('Done.\n');
    expect([readFileSync(join(home.home, 'place'), 'utf8'), existsSync(join(home.work, 'made'))]).toEqual([
      `${home.home}\n`,
      true,
    ]);
  });

  test('[extend.hooks] a hook that asks turns an allowed call into a question, which nobody answers here', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [exec('touch made'), text('Done.')] });
    const line = hook(home, 'check', 'echo \'{"decision":"ask","reason":"look first"}\'');
    home.useModel(server.url, `[hooks]\npre-tool = [${line}]\n${RULES}`);
    const ran = await home.run(['-p', 'go', '--approve', 'all']);
    expect([ran.code, existsSync(join(home.work, 'made'))]).toEqual([3, false]);
    expect(ran.error).toMatch(/check` asks for your approval: look first/);
  });

  test.each(FAULTS)('[extend.hooks-closed] a hook that runs `%s` lets no call pass', async (script, why) => {
    using home = new Home();
    await using server = startModelServer({ script: [exec('touch made'), text('Done.')] });
    const limit = script.startsWith('sleep') ? 'timeout_ms = 400\n' : '';
    home.useModel(server.url, `[hooks]\npre-tool = [${hook(home, 'check', script)}]\n${limit}${RULES}`);
    expect((await home.run(['-p', 'go'])).out).toBe('Done.\n');
    expect(existsSync(join(home.work, 'made'))).toBe(false);
    expect(lastOf(server, 1)).toMatch(why);
  });

  test('[extend.hooks] an autonomous run asks nobody: a hook that asks denies', async () => {
    using home = new Home({ sandbox: true });
    await using server = startModelServer({ script: [exec('touch made'), text('Done.'), text('Over.')] });
    const line = hook(home, 'check', 'echo \'{"decision":"ask"}\'');
    home.useModel(server.url, `[hooks]\npre-tool = [${line}]\n${RULES}`);
    await home.run(['run', '--goal', 'make it', '--until', 'test -e made', '--max-steps', '3']);
    expect(lastOf(server, 1)).toMatch(/nobody is there to approve it in an autonomous run/);
    expect(existsSync(join(home.work, 'made'))).toBe(false);
  });
});

test('[extend.hooks] [extend.trust] a hook of a project runs with the trusted configuration and script only; a changed script denies', async () => {
  using home = new Home();
  const script = Array.from({ length: 3 }, (_, at) => [exec(`touch made${at}`), text('Done.')]).flat();
  await using server = startModelServer({ script });
  home.useModel(server.url, RULES);
  const path = join(home.work, '.aish/hooks/check.sh');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(join(home.work, '.aish/config.toml'), '[hooks]\npre-tool = ["sh .aish/hooks/check.sh"]\n');
  writeFileSync(path, 'touch "$HOME/hooked"\n');
  expect((await home.run(['-p', 'go'])).error).toContain('hooks');
  expect(['made0', '../home/hooked'].map((name) => existsSync(join(home.work, name)))).toEqual([true, false]);
  await using terminal = home.open(['config', 'trust']);
  await terminal.waitForHistory(/pre-tool[\s\S]*Type\s+yes:\s*$/, PATIENCE);
  terminal.type('yes\n');
  await terminal.waitForHistory(/touch "\$HOME\/hooked"[\s\S]*Type\s+yes:\s*$/, PATIENCE);
  terminal.type('yes\n');
  expect(await terminal.ended()).toBe(0);
  await home.run(['-p', 'go']);
  expect(['made1', '../home/hooked'].map((name) => existsSync(join(home.work, name)))).toEqual([true, true]);
  writeFileSync(path, 'exit 0\n');
  await home.run(['-p', 'go']);
  expect(existsSync(join(home.work, 'made2'))).toBe(false);
  expect(lastOf(server, 5)).toMatch(
    /it names \S+\.aish\/hooks\/check\.sh, a file of the project that you do not trust/,
  );
});

test('[extend.hooks] at the prompt: a question, a note, a withheld result, a refused message, added words, the end of a turn', async () => {
  using home = new Home();
  const script = [exec('echo one'), exec('echo secret-plan'), text('Ran.'), text('Later.')];
  await using server = startModelServer({ script });
  const pre = hook(home, 'pre', 'grep -q "echo one" && echo \'{"decision":"ask","reason":"first one"}\'; exit 0');
  const post = hook(
    home,
    'post',
    'grep -q secret-plan && echo \'{"decision":"deny","reason":"a plan"}\' || echo \'{"context":"ok so far"}\'',
  );
  const prompt = hook(
    home,
    'prompt',
    'grep -q customer && echo \'{"decision":"deny","reason":"it names a customer"}\' || echo \'{"context":"Friday"}\'',
  );
  const end = hook(home, 'end', 'cat > "$HOME/ended"');
  const hooks = `pre-tool = [${pre}]\npost-tool = [${post}]\nprompt = [${prompt}]\nturn-end = [${end}]\n`;
  home.useModel(server.url, `[hooks]\n${hooks}${RULES}`);
  await using terminal = home.open();
  await ask(terminal, 'write to the customer');
  await answered(terminal, /refused\s+the\s+message,\s+so\s+no\s+model\s+gets\s+it:\s+it\s+names\s+a\s+customer/);
  expect(server.requests).toEqual([]);
  await ask(terminal, 'go');
  expect(await asked(terminal, 'aish.exec')).toMatch(/asks\s+for\s+your\s+approval:\s+first\s+one/);
  await answer(terminal, 'y');
  await answered(terminal, 'Ran.');
  const first = JSON.stringify(server.requests[0]?.body.messages);
  expect([first.includes('customer'), first.includes('from a hook of the user]\\nFriday')]).toEqual([false, true]);
  expect(lastOf(server, 1)).toMatch(/one\n[\s\S]*\[note of the hook `\S+\/post`\]\nok so far$/);
  expect(lastOf(server, 2)).toMatch(/^\[aish\] the call ran, but the hook `\S+\/post` withheld its result: a plan$/);
  expect(await written(join(home.home, 'ended'), /"reason":"completed"/)).toContain('"hook":"turn-end"');
  await tell(terminal, ':output', 'echo one');
  await prompted(terminal);
  expect(terminal.history()).toMatch(/the\s+hook\s+`\S+\/prompt`\s+adds\s+6\s+characters/);
});
