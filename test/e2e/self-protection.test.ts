import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Home } from '../support/aish.ts';
import { prompted } from '../support/at-prompt.ts';
import { answered, ask, filesystemServer, learnTools } from '../support/conversation.ts';
import { calls, type ModelServer, type Reply, startModelServer, text } from '../support/model-server.ts';

setDefaultTimeout(120_000);

/** The results of its calls that the model reads. */
function results(server: ModelServer): string[] {
  const messages = server.requests.at(-1)?.body.messages ?? [];
  return messages.filter((message) => message.role === 'tool').map((message) => String(message.content));
}

function exec(command: string): Reply {
  return calls({ name: 'aish__exec', arguments: { command } });
}

/** Lets a model try one thing with everything approved that can be: the text that it got, and whether the configuration is unchanged. */
async function attempt(home: Home, reply: Reply, more = ''): Promise<{ told: string; intact: boolean; code: number }> {
  await using server = startModelServer({ script: [reply, text('Done.')] });
  home.useModel(server.url, `${more}\n[safety]\napprove = ["rm", "cp", "kill", "pkill", "sed", "mkdir", "ls"]\n`);
  if (more !== '') await learnTools(home);
  const before = readFileSync(home.configFile, 'utf8');
  const { code } = await home.run(['-p', 'go on', '--approve', 'all']);
  const intact = existsSync(home.configFile) && readFileSync(home.configFile, 'utf8') === before;
  return { told: results(server).join('\n'), intact, code };
}

const REFUSED = /not run: a built-in rule denies/;

describe('[self.commands] through exec', () => {
  const families: readonly (readonly [string, (home: Home) => string])[] = [
    ['deletes the configuration', (home) => `rm -f ${home.configFile}`],
    ['deletes it from where it lies', (home) => `cd ${dirname(home.configFile)} && rm -f config.toml`],
    ['writes over it', (home) => `echo x > ${home.configFile}`],
    ['writes over it by the variable', () => 'echo x > "$XDG_CONFIG_HOME/aish/config.toml"'],
    ['edits it in place', (home) => `sed -i s/a/b/ ${home.configFile}`],
    ['lets an interpreter do it', (home) => `python3 -c "open('${home.configFile}','w')"`],
    ['hands names on', (home) => `find ${dirname(home.configFile)} -type f | xargs rm`],
    ['clears the sessions', (home) => `rm -rf ${home.state}`],
    ['goes by a link', () => 'rm -f link/config.toml'],
    ['goes by a hard link', () => 'sed -i s/a/b/ other-name'],
    ['speaks to the socket', (home) => `curl --unix-socket ${home.root}/run/aish/aish.sock http://localhost/halt`],
    ['kills its parent', () => 'kill -9 $PPID'],
    ['kills by the number in the environment', () => 'kill -9 $AISH'],
    ['kills by name', () => 'pkill -f aish'],
    ['types into the terminal', () => 'tmux send-keys y Enter'],
    ['trusts the project', () => 'aish config trust'],
    ['starts another that allows all', () => "aish -p --approve all 'go on'"],
    ['joins the session as a user does', () => 'aish attach'],
    ['starts out of reach', () => 'systemd-run --user true'],
  ];

  test.each(families)('a command that %s is refused', async (_what, make) => {
    using home = new Home();
    symlinkSync(dirname(home.configFile), join(home.work, 'link'));
    writeFileSync(home.configFile, '');
    linkSync(home.configFile, join(home.work, 'other-name'));
    const { told, intact } = await attempt(home, exec(make(home)));
    expect(told).toMatch(REFUSED);
    expect(intact).toBe(true);
  });

  test('[self.commands] what only looks like it runs', async () => {
    using home = new Home();
    const { told, code } = await attempt(home, exec('mkdir -p aish && ls aish'));
    expect([told.includes('not run'), code]).toEqual([false, 0]);
    expect(existsSync(join(home.work, 'aish'))).toBe(true);
  });
});

test('[self.commands] a CMD: line is refused like any other, at the prompt too', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text(`I clean up.\nCMD: rm -f ${home.configFile}`)] });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'clean up');
  await answered(terminal, /interferes with aish itself/);
  expect(existsSync(home.configFile)).toBe(true);
});

describe('[self.tools] through tools', () => {
  test.each([
    ['write_file', (path: string) => ({ path, content: 'x' })],
    ['edit_file', (path: string) => ({ path, old_text: 'models', new_text: 'x' })],
  ] as const)('our own %s is refused, by its name and by a link', async (tool, make) => {
    using home = new Home();
    symlinkSync(home.configFile, join(home.work, 'link.toml'));
    for (const path of [home.configFile, 'link.toml']) {
      const { told, intact } = await attempt(home, calls({ name: `aish__${tool}`, arguments: make(path) }));
      expect(told).toMatch(/not run/);
      expect(intact).toBe(true);
    }
  });

  test.each(['.git/hooks/pre-commit', '.git/config', '~/.bashrc', '.husky/pre-push'])(
    '[gate.floor] our own write_file is refused %s, which acts later, whatever is approved',
    async (path) => {
      using home = new Home();
      const file = path.replace('~', home.home);
      const full = file.startsWith('/') ? file : join(home.work, file);
      const before = existsSync(full) ? readFileSync(full, 'utf8') : null;
      const reply = calls({ name: 'aish__write_file', arguments: { path, content: 'echo planted\n' } });
      const { told } = await attempt(home, reply);
      expect(told).toMatch(/a built-in rule denies this call \(installs something that runs later/);
      expect(existsSync(full) ? readFileSync(full, 'utf8') : null).toBe(before);
    },
  );

  test('[self.read] our own read_file asks, whatever is approved', async () => {
    using home = new Home();
    const { told, code } = await attempt(
      home,
      calls({ name: 'aish__read_file', arguments: { path: home.configFile } }),
    );
    expect(told).not.toContain('[models.test]');
    expect(code).toBe(3);
  });

  test.each([
    ['write_file', (path: string) => ({ path, content: 'x' })],
    ['read_text_file', (path: string) => ({ path })],
    ['move_file', (path: string) => ({ source: path, destination: `${path}.old` })],
  ] as const)('a server is not let at it by %s', async (tool, make) => {
    using home = new Home();
    mkdirSync(home.state, { recursive: true });
    const server = `${filesystemServer(home.root)}[mcp.auto_approve]\n"fs.*" = true\n`;
    const { told, intact } = await attempt(
      home,
      calls({ name: `fs__${tool}`, arguments: make(home.configFile) }),
      server,
    );
    expect(told).toMatch(/not run/);
    expect(intact).toBe(true);
  });
});

test('[self.user] what the user types is classified by nobody', async () => {
  using home = new Home();
  home.configure('');
  await using terminal = home.open();
  await prompted(terminal);
  terminal.type(`echo '# mine' >> ${home.configFile}; tail -1 ${home.configFile}\n`);
  await terminal.waitForHistory(/^# mine$/m);
  expect(readFileSync(home.configFile, 'utf8')).toContain('# mine');
});
