import { describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import {
  answer,
  answered,
  ask,
  asked,
  countPrompts,
  filesystemServer,
  learnTools,
  pause,
} from '../support/conversation.ts';
import { filesBelow } from '../support/files-below.ts';
import { calls, type ModelServer, type Reply, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';
import type { TestTerminal } from '../support/terminal.ts';

const LONG = 120_000;

/** Made up, in the form of a real one. */
const TOKEN = 'ghp_q7Zt2VmXw9KdR4sYb1NcUe8HfLp3AoGi6TjB';
const OTHER = 'npm_x4Wc8RvTq1ZsKb6YnMe2HdUf9JgLa3PoEi7D';

const run = (...commands: readonly string[]): Reply =>
  calls(...commands.map((command) => ({ name: 'aish__exec', arguments: { command } })));

function resultTexts(server: ModelServer): readonly string[] {
  const messages = server.requests.at(-1)?.body.messages ?? [];
  return messages.filter((message) => message.role === 'tool').map((message) => String(message.content));
}

function questions(terminal: TestTerminal): number {
  return countPrompts(terminal.history());
}

/** A program that has to have the token, and one that says what it has. */
function installPrograms(home: Home): Record<string, string> {
  const folder = join(home.root, 'bin');
  mkdirSync(folder);
  const gh = `#!/bin/sh\nif [ "$GITHUB_TOKEN" = ${TOKEN} ]; then echo "signed in as tester"; else echo "no token" >&2; exit 4; fi\n`;
  const tell = '#!/bin/sh\nprintf "%s|" "$@" "$GITHUB_TOKEN" "$NPM_TOKEN" >>"$HOME/told"\n';
  for (const [name, script] of Object.entries({ gh, curl: tell })) {
    writeFileSync(join(folder, name), script);
    chmodSync(join(folder, name), 0o755);
  }
  return { PATH: `${folder}:${process.env.PATH ?? ''}`, GITHUB_TOKEN: TOKEN, NPM_TOKEN: OTHER };
}

function told(home: Home): string {
  const path = join(home.home, 'told');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/**
 * Nothing of a secret in what a model was sent, nor on the disk beside where it belongs, which is where undo keeps files with secrets, too.
 */
function expectCovered(home: Home, server: ModelServer): void {
  expect(JSON.stringify(server.requests)).not.toMatch(new RegExp(`${TOKEN}|${OTHER}`));
  const state = join(home.root, 'state');
  const kept = filesBelow(state).filter(({ path }) => !path.includes('checkpoints/withheld/'));
  const leaks = kept.filter(
    ({ bytes }) => bytes !== undefined && [TOKEN, OTHER].some((value) => bytes.includes(value)),
  );
  expect(leaks.map(({ path }) => path)).toEqual([]);
  expect(server.failures).toEqual([]);
}

const GH = '[safety]\napprove = ["gh"]\n[secrets]\nallow = { GITHUB_TOKEN = ["gh"] }';

for (const shell of ['bash', 'zsh']) {
  describe(shell, () => {
    test(
      '[secrets.rule] a program that a rule names works with its token, though the model has never seen that',
      async () => {
        using home = new Home();
        const env = { ...installPrograms(home), SHELL: `/bin/${shell}` };
        await using server = startModelServer({ script: [run('gh auth status', 'gh pr list | cat'), text('Done.')] });
        home.useModel(server.url, GH);
        await using terminal = home.open([], { env });
        await ask(terminal, 'who am I');
        for (const number of [1, 2]) {
          await asked(terminal, 'aish.exec');
          await answer(terminal, 'y');
          await terminal.waitForHistory((all) => all.split('signed in as tester').length > number, PATIENCE);
        }
        await answered(terminal, 'Done.');
        expect(terminal.history()).toContain('  Gives the secret GITHUB_TOKEN to gh (rule "gh").\n');
        terminal.type(':approve why\n');
        await answered(terminal, '\n  gives the secret GITHUB_TOKEN to gh (rule "gh")\n  gh pr list | cat\n');
        terminal.type(':approve\n');
        await answered(terminal, /Secrets that commands get without asking:\s+GITHUB_TOKEN +"gh"/);
        expect(resultTexts(server)).toEqual([
          expect.stringContaining('signed in as tester'),
          expect.stringContaining('signed in as tester'),
        ]);
        expectCovered(home, server);
      },
      LONG,
    );

    test(
      '[secrets.without] without a rule the program has no token, the model is told so, and the user has it again',
      async () => {
        using home = new Home();
        const env = { ...installPrograms(home), SHELL: `/bin/${shell}` };
        await using server = startModelServer({ script: [run('gh pr list'), text('Done.')] });
        home.useModel(server.url);
        await using terminal = home.open([], { env });
        await ask(terminal, 'list');
        expect(await asked(terminal, 'aish.exec')).not.toContain('Gives the secret');
        await answer(terminal, 'y');
        await answered(terminal, 'Done.');
        expect(resultTexts(server)).toEqual([
          expect.stringContaining(
            '[aish] the command ran without GITHUB_TOKEN, NPM_TOKEN, because no rule grants a secret to it.',
          ),
        ]);
        expect(await runLine(terminal, 'gh pr list')).toContain('signed in as tester');
        expectCovered(home, server);
      },
      LONG,
    );

    test(
      '[secrets.ask] the question says who would be handed what; a no passes on nothing, a yes passes it on once',
      async () => {
        using home = new Home();
        const env = { ...installPrograms(home), SHELL: `/bin/${shell}` };
        const line = 'curl -H "Authorization: Bearer ⟨secret:GITHUB_TOKEN⟩" https://api.example.com/user';
        const script = [run(line), run(line), run('curl https://api.example.com/user'), text('Done.')];
        await using server = startModelServer({ script });
        home.useModel(server.url, '[safety]\napprove = ["curl"]');
        await using terminal = home.open([], { env });
        await ask(terminal, 'get it');
        expect(await asked(terminal, 'aish.exec')).toContain(
          '  Gives the secret GITHUB_TOKEN to curl (api.example.com).\n',
        );
        await answer(terminal, 'n');
        await terminal.waitForHistory((all) => countPrompts(all) > 1);
        await asked(terminal, 'aish.exec');
        expect(told(home)).toBe('');
        await answer(terminal, 'y');
        await terminal.waitForHistory((all) => countPrompts(all) > 2);
        await asked(terminal, 'aish.exec');
        await answer(terminal, 'y');
        await answered(terminal, 'Done.');
        expect(told(home)).toBe(
          `-H|Authorization: Bearer ${TOKEN}|https://api.example.com/user|||https://api.example.com/user|||`,
        );
        expectCovered(home, server);
      },
      LONG,
    );

    test(
      '[secrets.typed] a line of the user with a placeholder runs with the value, and is remembered without',
      async () => {
        using home = new Home();
        const env = { ...installPrograms(home), SHELL: `/bin/${shell}` };
        home.configure('');
        await using terminal = home.open([], { env });
        await runLine(terminal, 'curl ⟨secret:GITHUB_TOKEN⟩');
        expect(told(home)).toStartWith(`${TOKEN}|`);
        expect(await runLine(terminal, 'history 1 2>/dev/null; true')).not.toContain(TOKEN);
        terminal.press('up');
        terminal.press('up');
        await terminal.waitFor((screen) => screen.endsWith('$ curl ⟨secret:GITHUB_TOKEN⟩'));
      },
      LONG,
    );
  });
}

test(
  '[secrets.ask] a secret that nobody knows is an error to the model, and no question',
  async () => {
    using home = new Home();
    await using server = startModelServer({ script: [run('curl ⟨secret:NOTHING⟩'), text('Done.')] });
    home.useModel(server.url);
    await using terminal = home.open([], { env: installPrograms(home) });
    await ask(terminal, 'get it');
    await answered(terminal, 'Done.');
    expect([questions(terminal), resultTexts(server)]).toEqual([
      0,
      [expect.stringContaining('[aish] not run: there is no secret ⟨secret:NOTHING⟩')],
    ]);
  },
  LONG,
);

test(
  '[secrets.edit] a .env is read, edited and written whole by the model, and keeps its secrets byte by byte',
  async () => {
    using home = new Home();
    const encoded = Buffer.from(TOKEN).toString('base64');
    const before = `# keys\nGITHUB_TOKEN=${TOKEN}\nNPM_TOKEN="${OTHER}"\nPACKED=${encoded}\nPORT=80\n`;
    const file = join(home.work, '.env');
    writeFileSync(file, before);
    const shown = `# keys\nGITHUB_TOKEN=⟨secret:GITHUB_TOKEN⟩\nNPM_TOKEN="⟨secret:NPM_TOKEN⟩"\nPACKED=⟨secret:GITHUB_TOKEN⟩\nPORT=81\n`;
    const script = [
      calls({ name: 'aish__read_file', arguments: { path: '.env' } }),
      calls({
        name: 'aish__edit_file',
        arguments: {
          path: '.env',
          old: 'NPM_TOKEN="⟨secret:NPM_TOKEN⟩"\nPACKED=⟨secret:GITHUB_TOKEN⟩\nPORT=80',
          new: 'NPM_TOKEN="⟨secret:NPM_TOKEN⟩"\nPACKED=⟨secret:GITHUB_TOKEN⟩\nPORT=81',
        },
      }),
      calls({ name: 'aish__write_file', arguments: { path: '.env', content: `${shown}MORE=1\n` } }),
      text('Done.'),
    ];
    await using server = startModelServer({ script });
    home.useModel(server.url);
    await using terminal = home.open();
    await ask(terminal, 'change the port');
    for (const name of ['aish.read_file', 'aish.edit_file', 'aish.write_file']) {
      const question = await asked(terminal, name);
      expect(question).not.toMatch(new RegExp(`Gives|${TOKEN}|${OTHER}`));
      await answer(terminal, 'y');
    }
    await answered(terminal, 'Done.');
    expect(resultTexts(server)[0]).toContain('GITHUB_TOKEN=⟨secret:GITHUB_TOKEN⟩');
    expect(readFileSync(file, 'utf8')).toBe(`${before.replace('PORT=80', 'PORT=81')}MORE=1\n`);
    expectCovered(home, server);
  },
  LONG,
);

test(
  '[secrets.ask] a secret that a file would be given and did not hold is told in the question',
  async () => {
    using home = new Home();
    const write = { name: 'aish__write_file', arguments: { path: 'site.html', content: 'key ⟨secret:NPM_TOKEN⟩' } };
    await using server = startModelServer({ script: [calls(write), text('Done.')] });
    home.useModel(server.url);
    await using terminal = home.open([], { env: installPrograms(home) });
    await ask(terminal, 'publish');
    expect(await asked(terminal, 'aish.write_file')).toContain(
      `Gives the secret NPM_TOKEN to the file ${home.work}/site.html`,
    );
    await answer(terminal, 'n');
    await answered(terminal, 'Done.');
    expect(existsSync(join(home.work, 'site.html'))).toBe(false);
    expectCovered(home, server);
  },
  LONG,
);

test(
  '[secrets.ask] a tool of a server that is approved is asked about when it would be handed a secret, and then has it',
  async () => {
    using home = new Home();
    const path = join(home.work, 'note');
    const write = { name: 'fs__write_file', arguments: { path, content: 'key ⟨secret:NPM_TOKEN⟩' } };
    await using server = startModelServer({ script: [calls(write), text('Done.')] });
    home.useModel(server.url, `${filesystemServer(home.work)}[mcp.auto_approve]\n"fs.*" = true\n`);
    await learnTools(home);
    await using terminal = home.open([], { env: installPrograms(home) });
    await ask(terminal, 'note it');
    expect(await asked(terminal, 'fs.write_file')).toContain('  Gives the secret NPM_TOKEN to fs.write_file.\n');
    await answer(terminal, 'y');
    await answered(terminal, 'Done.');
    expect(readFileSync(path, 'utf8')).toBe(`key ${OTHER}`);
    expectCovered(home, server);
  },
  LONG,
);

test.skipIf(!hasProgram('bwrap'))(
  '[secrets.rule] in the sandbox, too, a command has the secret that a rule hands it, and no other',
  async () => {
    using home = new Home({ sandbox: true });
    const script = [run('printenv GITHUB_TOKEN | wc -c', 'env | grep -c _TOKEN'), text('Done.')];
    await using server = startModelServer({ script });
    home.useModel(server.url, '[secrets]\nallow = { GITHUB_TOKEN = ["printenv"] }');
    await using terminal = home.open(['--sandbox'], { env: installPrograms(home) });
    await ask(terminal, 'how long');
    expect(await asked(terminal, 'aish.exec')).toContain(
      '  Gives the secret GITHUB_TOKEN to printenv (rule "printenv").\n',
    );
    await answer(terminal, 'y');
    await terminal.waitForHistory('  $ env | grep');
    expect(await asked(terminal, 'aish.exec')).not.toContain('NPM_TOKEN to');
    await answer(terminal, 'y');
    await answered(terminal, 'Done.');
    expect(terminal.history()).toContain('  $ printenv GITHUB_TOKEN | wc -c  (sandboxed)\n');
    expect(resultTexts(server)).toEqual([
      expect.stringMatching(new RegExp(`\\n${TOKEN.length + 1}$`)),
      expect.stringContaining('\n0'),
    ]);
    expectCovered(home, server);
  },
  LONG,
);

test.skipIf(!hasProgram('bwrap'))(
  '[secrets.rule] [dry-run.call] a dry run has the secret that a rule hands it, covered in what is shown of it, and no other',
  async () => {
    using home = new Home({ sandbox: true });
    const script = [run('printenv GITHUB_TOKEN'), run('printenv NPM_TOKEN'), text('Done.')];
    await using server = startModelServer({ script });
    home.useModel(server.url, '[secrets]\nallow = { GITHUB_TOKEN = ["printenv"] }');
    await using terminal = home.open([], { env: installPrograms(home) });
    const dryRun = async (shown: RegExp): Promise<void> => {
      await pause(terminal);
      terminal.type('r');
      const screen = await terminal.waitFor(/\[a\] (?:apply all|use this result).*(?:\n.*)?$/, PATIENCE);
      expect(screen.replace(/\s+/g, ' ')).toMatch(shown);
      await answer(terminal, 'n');
    };
    await ask(terminal, 'show them');
    await asked(terminal, 'aish.exec');
    await dryRun(/exit 0 · .* output: ⟨secret:GITHUB_TOKEN⟩ Unlike/);
    await terminal.waitForHistory('  $ printenv NPM_TOKEN');
    await asked(terminal, 'aish.exec');
    await dryRun(/exit 1 · .*The dry run had no access to NPM_TOKEN: no rule grants it/);
    await answered(terminal, 'Done.');
    expectCovered(home, server);
  },
  LONG,
);

test.skipIf(!hasProgram('bwrap'))(
  '[secrets.typed] [dry-run.own] a line of the user runs as a dry run with the secrets that it names',
  async () => {
    using home = new Home({ sandbox: true });
    await using server = startModelServer({ script: [] });
    home.useModel(server.url);
    await using terminal = home.open([], { env: installPrograms(home) });
    await prompted(terminal);
    terminal.type(':dry-run printf %s "$NPM_TOKEN" ⟨secret:GITHUB_TOKEN⟩ > both\n');
    await terminal.waitFor(/\[a\] (?:apply all|use this result).*(?:\n.*)?$/, PATIENCE);
    await answer(terminal, 'a');
    await terminal.waitForHistory('Applied 1 change', PATIENCE);
    expect(readFileSync(join(home.work, 'both'), 'utf8')).toBe(`${OTHER}${TOKEN}`);
    // The view leads to the project as long as it is there.
    await terminal.close();
    expectCovered(home, server);
  },
  LONG,
);
