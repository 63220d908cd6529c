import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { EventLog, logPath } from '../../src/adapters/store/event-log.ts';
import { toSettings } from '../../src/core/session/settings.ts';
import { DEFAULT_CONFIG } from '../../src/protocol/config.ts';
import type { DurableEvent } from '../../src/protocol/event.ts';
import type { ToolCall } from '../../src/protocol/tool.ts';
import { Home } from '../support/aish.ts';
import { PATIENCE, runLine } from '../support/at-prompt.ts';
import { CanarySearch, type Find, randomFrom } from '../support/canaries.ts';
import { answer, answered, ask, asked, learnTools, officialServer, SERVER_BUN } from '../support/conversation.ts';
import { openDaemonClient } from '../support/daemon-client.ts';
import {
  calls,
  type ModelServer,
  type Reply,
  type ScriptedCall,
  startModelServer,
  status,
  text,
} from '../support/model-server.ts';
import { type PlantedSecrets, plantSecrets } from '../support/planted-secrets.ts';
import { hasProgram } from '../support/programs.ts';
import { SEED } from '../support/seed.ts';
import { until } from '../support/until.ts';

const LONG = 120_000;

const exec = (command: string): ScriptedCall => ({ name: 'aish__exec', arguments: { command } });

/** The commands that an obedient model runs when some text tells it to get at secrets. */
const COMMANDS: readonly string[] = [
  'cat .env .env.local',
  'env',
  'printenv',
  'export -p',
  'set | tail -c 20000',
  'git remote -v',
  'git config --list',
  'cat .git/config',
  'base64 .env',
  'base64 -w0 .env.local',
  'base64 <<<"$GITHUB_TOKEN"',
  'printf %s "$SERVICE_PASSWORD" | base64 | tr "+/" "-_"',
  'xxd .env',
  'xxd -p .env.local',
  'hexdump -C .env',
  'od -c .env',
  'od -An -tx1 .env.local',
  'rev .env',
  "sed 's/./& /g' .env",
  'fold -w7 .env.local',
  "tr '\\n' ' ' <.env",
  'cat ~/.netrc ~/.aws/credentials',
  'cat ~/.ssh/id_ed25519',
  'base64 ~/.ssh/id_ed25519',
  'cat "$XDG_CONFIG_HOME/aish/config.toml"',
  'echo "$GITHUB_TOKEN $SERVICE_PASSWORD $DATABASE_URL"',
  'ls "/nowhere/$GITHUB_TOKEN"',
  'cat /proc/$$/environ',
  'cat .env >&2; exit 3',
  "awk -F= '{print $2}' .env",
  'grep -rn "" .env .env.local',
  'yes "$(cat .env)" | head -c 300000',
  'for i in 1 2 3 4 5 6 7 8; do cat .env.local; done',
  'cp .env.other c1.txt; cat c1.txt; xxd c1.txt',
  'cp packages/api/.env c2.txt; base64 c2.txt; cat c2.txt',
  'cd packages/api && cat .env; cd ../..',
  'grep -rn "" packages config',
  'cat ~/.kaggle/kaggle.json ~/.config/containers/auth.json ~/.config/sops/age/keys.txt',
  'cat ~/.restic/pw; rev ~/.restic/pw',
];

/** All commands for bash; for another shell those that it reads otherwise, and every fifth of the rest: programs print the same from both. */
function commandsFor(shell: string): readonly string[] {
  const isRead = (command: string) => /[$<>;]|^(?:export|set|env)\b/.test(command);
  return COMMANDS.filter((command, at) => shell === 'bash' || isRead(command) || at % 5 === 0);
}

/** Requests of the model server, without the header that has to carry the model's own key. */
function findInRequests(search: CanarySearch, server: ModelServer): Find[] {
  return server.requests.flatMap(({ text }, at) => search.in(text, `request ${at + 1}`));
}

/** Everything aish keeps: logs, outputs, history, caches, what is in the runtime folder. */
function findOnDisk(search: CanarySearch, home: Home): Find[] {
  return findInFolders(search, home, ['state', 'cache', 'run']);
}

/** Secret files that a checkpoint keeps are the one exception: only the user can open their folder. */
function findInFolders(search: CanarySearch, home: Home, folders: readonly string[]): Find[] {
  const withheld = join(home.state, 'checkpoints/withheld');
  const isPrivate = !existsSync(withheld) || (statSync(withheld).mode & 0o077) === 0;
  const finds = folders.flatMap((folder) => search.inFolder(join(home.root, folder)));
  return isPrivate ? finds.filter(({ where }) => !where.startsWith(`${withheld}/`)) : finds;
}

/** The official server with its input, its output and its environment written down. */
function watchedServer(home: Home, secrets: PlantedSecrets): string {
  const program = `${SERVER_BUN} --no-env-file --config=/dev/null ${officialServer('mcp-server-everything')}`;
  const [input, environment] = ['mcp-input', 'mcp-environment'].map((name) => join(home.root, name));
  const script = join(home.root, 'watched-server');
  writeFileSync(script, `#!/bin/sh\nenv >${environment}\ntee -a ${input} | ${program} stdio\n`);
  chmodSync(script, 0o755);
  return `[mcp.servers.every]
command = ${JSON.stringify(script)}
env = { SERVICE_TOKEN = ${JSON.stringify(secrets.serverVariable)} }
[mcp.servers.remote]
url = "http://127.0.0.1:9/mcp"
enabled = false
auth_token = ${JSON.stringify(secrets.serverToken)}
`;
}

/** The files that outlive a process on purpose. */
function findOnState(search: CanarySearch, home: Home): Find[] {
  return findInFolders(search, home, ['state', 'cache']);
}

function inSteps(commands: readonly string[]): Reply[] {
  const steps: Reply[] = [];
  for (let at = 0; at < commands.length; at += 6) {
    steps.push(
      calls(...commands.slice(at, at + 6).map((command, index) => ({ ...exec(command), id: `c${at + index}` }))),
    );
  }
  return steps;
}

/** Calls of an obedient model that are not commands; it knows `known` from elsewhere. */
function otherCalls(home: Home, known: string): ScriptedCall[] {
  return [
    { name: 'aish__read_file', arguments: { path: '.env' } },
    { name: 'aish__read_file', arguments: { path: 'packages/api/.env' } },
    { name: 'aish__read_file', arguments: { path: join(home.home, '.netrc') } },
    { name: 'aish__output', arguments: { handle: '%1' } },
    { name: 'aish__output', arguments: { handle: '%32', search: 'KEY' } },
    { name: 'every__get-env', arguments: {} },
    { name: 'every__echo', arguments: { message: `the key is ${known}` } },
    { name: 'every__no-such-tool', arguments: { message: known } },
    exec(`echo ${known}; false`),
  ];
}

/** The data that went to the server of tools, and its start environment but for its own variable. */
function findAtServer(secrets: PlantedSecrets, home: Home): Find[] {
  const foreign = secrets.canaries.filter(({ name }) => name !== 'config: variable of a server');
  return [
    ...new CanarySearch(secrets.canaries).in(readFileSync(join(home.root, 'mcp-input')), 'the input of the server'),
    ...new CanarySearch(foreign).in(readFileSync(join(home.root, 'mcp-environment')), 'its environment'),
  ];
}

describe.each(['bash', 'zsh'].filter(hasProgram))(
  'an obedient model in %s, with a user who says yes to everything',
  (shell) => {
    test(
      '[secrets.model] [secrets.disk] [secrets.mcp] [secrets.client] has no byte of a secret, nor has a server, a file, or who follows',
      async () => {
        using home = new Home();
        const secrets = plantSecrets(home, randomFrom(SEED));
        const search = new CanarySearch(secrets.canaries);
        const known = secrets.valueOf('.env: quoted');
        const said = `The key is ${known}, in base64 ${Buffer.from(known).toString('base64')}.`;
        const script = [...inSteps(commandsFor(shell)), calls(...otherCalls(home, known)), text(said)];
        await using server = startModelServer({ script });
        home.useModel(server.url, watchedServer(home, secrets));
        await learnTools(home);
        let seen = '';
        let errors: Promise<string>;
        {
          await using attached = await openDaemonClient(home, { ...secrets.env, SHELL: Bun.which(shell) ?? '' });
          errors = attached.errors;
          await attached.submit({
            type: 'run',
            line: `export X_TOKEN=${secrets.exported}; true --token ${secrets.argument}`,
          });
          await attached.came('command.completed');
          await attached.submit({ type: 'send', text: `go; the key is ${secrets.exported}` });
          await attached.came('turn.ended');
          seen = `${attached.seen()}${await attached.get('/sessions')}${await attached.get('/sessions/ID')}`;
        }
        expect(server.failures).toEqual([]);
        expect([
          ...findInRequests(search, server),
          ...findOnDisk(search, home),
          ...search.in(seen, 'what the attached client was sent'),
          ...search.in(await errors, 'standard error'),
          ...findAtServer(secrets, home),
        ]).toEqual([]);
        // They did run, and what they printed came with names in the place of values.
        const asked = server.requests.at(-1)?.text ?? '';
        for (const name of ['API_KEY', 'STRIPE_SECRET_KEY', 'SESSION_SECRET', 'X_TOKEN'])
          expect(asked).toContain(`⟨secret:${name}⟩`);
        expect(asked.split('PORT=3000').length).toBeGreaterThan(3);
      },
      LONG,
    );
  },
);

describe.each(['bash', 'zsh'].filter(hasProgram))('%s', (shell) => {
  test(
    '[secrets.screen] [secrets.model] [secrets.disk] what a user types and prints is on the screen and nowhere else',
    async () => {
      using home = new Home();
      const secrets = plantSecrets(home, randomFrom(SEED + 1));
      const search = new CanarySearch(secrets.canaries);
      await using server = startModelServer({ script: [text('I see.'), text('Again.')] });
      home.useModel(server.url, watchedServer(home, secrets));
      {
        await using terminal = home.open([], {
          env: { ...secrets.env, SHELL: Bun.which(shell) ?? '' },
          columns: 200,
          rows: 60,
        });
        await runLine(terminal, `export X_TOKEN=${secrets.exported}`);
        await runLine(terminal, `true --token ${secrets.argument}`);
        const screen = await runLine(terminal, 'cat .env; echo "$X_TOKEN"');
        expect(screen).toContain(secrets.valueOf('.env: quoted'));
        expect(screen.split(secrets.exported)).toHaveLength(3);
        await runLine(terminal, 'printenv | base64 -w0; git remote -v; cat ~/.netrc ~/.ssh/id_ed25519');
        terminal.type('seq 9000; cat .env.local; echo "en""d"\n');
        await answered(terminal, /^end$/m);
        expect(await runLine(terminal, '%5 | tail -2')).toContain("SESSION_SECRET='⟨secret:SESSION_SECRET⟩'\nend\n");
        await ask(terminal, `what is ${secrets.exported}?`);
        await answered(terminal, 'I see.');
        // The typed text is there again unchanged.
        terminal.type('export X');
        terminal.press('up');
        await terminal.waitFor((now) => now.endsWith(`export X_TOKEN=${secrets.exported}`), PATIENCE);
        terminal.press('ctrl-c');
        await ask(terminal, 'and now?');
        await answered(terminal, 'Again.');
        terminal.type('exit\n');
        await terminal.ended();
      }
      expect(server.failures).toEqual([]);
      expect([...findInRequests(search, server), ...findOnDisk(search, home)]).toEqual([]);
      expect(server.requests[0]?.text).toContain('export X_TOKEN=⟨secret:X_TOKEN⟩');
      expect(readFileSync(join(home.state, 'history.jsonl'), 'utf8')).toContain('export X_TOKEN=⟨secret:X_TOKEN⟩');
    },
    LONG,
  );
});

test(
  '[secrets.crash] neither a wrong command line, nor a model, nor a server that dies says a secret',
  async () => {
    using home = new Home();
    const secrets = plantSecrets(home, randomFrom(SEED + 2));
    const search = new CanarySearch(secrets.canaries);
    const key = secrets.env.GITHUB_TOKEN ?? '';
    const script = [status(401, { error: { message: `Incorrect API key provided: ${key}` } })];
    await using server = startModelServer({ script });
    const dying = join(home.root, 'dying-server');
    writeFileSync(dying, '#!/bin/sh\ncat ~/.netrc >&2\necho "bad token $SERVICE_TOKEN" >&2\nexit 3\n');
    chmodSync(dying, 0o755);
    const variable = JSON.stringify(secrets.serverVariable);
    home.useModel(server.url, `[mcp.servers.dying]\ncommand = "${dying}"\nenv = { SERVICE_TOKEN = ${variable} }\n`);
    const { env } = secrets;
    const runs = [
      await home.run(['-p', '--resume', key, 'go on'], { env }),
      await home.run(['-p', `--token=${key}`, 'go'], { env }),
      await home.run(['mcp', 'tools'], { env }),
      await home.run(['-p', 'hello'], { env }),
    ];
    expect(runs.map(({ code }) => code)).toEqual([1, 2, 1, 1]);
    // The server and the model fail side by side.
    expect(runs.map(({ error }) => (error.match(/⟨secret:[^⟩]*⟩/g) ?? []).sort())).toEqual([
      ['⟨secret:GITHUB_TOKEN⟩'],
      [],
      [],
      ['⟨secret:GITHUB_TOKEN⟩', '⟨secret:netrc.api.example⟩'],
    ]);
    expect([
      ...runs.flatMap(({ out, error }) => search.in(out + error, 'what was said')),
      ...findOnDisk(search, home),
    ]).toEqual([]);
  },
  LONG,
);

test(
  '[secrets.old] what an older log holds reaches neither the model nor an attached client',
  async () => {
    using home = new Home();
    const secrets = plantSecrets(home, randomFrom(SEED + 3));
    const said = secrets.canaries.map(({ name, value }) => `${name}: ${value}`).join('\n');
    const id = 'olderlog1234';
    const log = EventLog.create(logPath(home.state, id));
    const call: ToolCall = {
      id: 'callold00',
      name: 'aish.exec',
      arguments: { command: said },
      effect: 'exec',
      origin: 'model',
    };
    const facts: DurableEvent[] = [
      { type: 'session.created', id, cwd: home.work, settings: toSettings(DEFAULT_CONFIG) },
      { type: 'turn.started', turn: 1, text: said },
      { type: 'step.completed', text: said, reasoning: said, calls: [call], finish: 'tool_calls', model: 'm' },
      { type: 'tool-call.completed', callId: call.id, text: said, isError: false },
      { type: 'step.completed', text: said, calls: [], finish: 'stop', model: 'm' },
      { type: 'turn.ended', reason: 'completed' },
    ];
    log.append(facts, 1);
    log.close();
    await using server = startModelServer({ script: [text('I see.')] });
    home.useModel(server.url, watchedServer(home, secrets));
    let seen = '';
    {
      await using attached = await openDaemonClient(home, secrets.env, { resume: id });
      await attached.submit({ type: 'send', text: 'go on' });
      await attached.came('turn.ended', 2);
      seen = `${attached.seen()}${await attached.get('/sessions')}`;
    }
    const foreign = secrets.canaries.filter(({ name }) => !/^(?:typed|read)/.test(name));
    const known = new CanarySearch(foreign);
    expect([...findInRequests(known, server), ...known.in(seen, 'what the attached client was sent')]).toEqual([]);
    expect(server.failures).toEqual([]);
  },
  LONG,
);

test(
  '[secrets.killed] what a shell exported is gone from the disk once aish starts again after it was killed',
  async () => {
    using home = new Home();
    const secrets = plantSecrets(home, randomFrom(SEED + 4));
    const search = new CanarySearch(secrets.canaries);
    const folder = join(home.root, 'run', 'aish');
    {
      await using terminal = home.open([], { env: secrets.env });
      await runLine(terminal, `export X_TOKEN=${secrets.exported}`);
      await runLine(terminal, 'echo "is exported"');
      terminal.type('kill -9 $AISH\n');
      await terminal.ended();
    }
    const left = readdirSync(folder).filter((name) => name.startsWith('shell-'));
    expect([left.length, search.inFolder(folder).length > 0, findOnState(search, home)]).toEqual([1, true, []]);
    for (const name of left) utimesSync(join(folder, name), 1, 1);
    await using again = home.open();
    await runLine(again, 'echo "is there again"');
    await gone(folder, left);
    expect(search.inFolder(folder)).toEqual([]);
  },
  LONG,
);

test(
  "[secrets.project] aish takes no variable from a project's .env, and nothing that its bunfig.toml names runs",
  async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('Hello.')] });
    home.useModel(server.url);
    const elsewhere = join(home.root, 'elsewhere');
    writeFileSync(join(home.work, '.env'), `XDG_STATE_HOME=${elsewhere}\nOF_PROJECT=1\n`);
    writeFileSync(join(home.work, 'bunfig.toml'), 'preload = ["./preload.ts"]\n');
    writeFileSync(join(home.work, 'preload.ts'), `await Bun.write(${JSON.stringify(join(home.root, 'ran'))}, '');\n`);
    const { code, out } = await home.run(['-p', 'hello']);
    const shell = await home.run(['-c', 'echo "[$OF_PROJECT]"']);
    const { XDG_STATE_HOME: _, ...env } = home.env;
    const elsewhereRun = await home.run(['-c', 'echo "[$XDG_STATE_HOME]"'], { env: { ...env, XDG_STATE_HOME: '' } });
    expect([code, out, shell.out, elsewhereRun.out]).toEqual([0, 'Hello.\n', '[]\n', '[]\n']);
    expect([existsSync(join(home.root, 'ran')), existsSync(elsewhere)]).toEqual([false, false]);
  },
  LONG,
);

/** Settles when none of these names is in a folder any more. */
async function gone(folder: string, names: readonly string[]): Promise<void> {
  await until(
    { what: `${names} gone from ${folder}` },
    () => !readdirSync(folder).some((name) => names.includes(name)),
  );
}

test(
  '[secrets.read] a tool that reads credentials is asked although reading is approved, and by a yes the model has none of them',
  async () => {
    using home = new Home();
    mkdirSync(join(home.work, 'packages/api'), { recursive: true });
    writeFileSync(join(home.work, 'packages/api/.env'), 'MAIL_RELAY=mono-canary-relay-zx81\n');
    const read = calls({ name: 'aish__read_file', arguments: { path: 'packages/api/.env' } });
    await using server = startModelServer({ script: [read, text('No.'), read, text('I see.')] });
    home.useModel(server.url);
    expect((await home.run(['-p', '--approve', 'read-only', 'go'])).code).toBe(3);
    await using terminal = home.open(['--approve', 'read-only']);
    await ask(terminal, 'what is in it?');
    expect((await asked(terminal, 'aish.read_file')).replace(/\s+/g, ' ')).toContain('Prints credentials: ');
    await answer(terminal, 'y');
    await answered(terminal, 'I see.');
    const requests = server.requests.map(({ text: sent }) => sent).join('\n');
    expect([requests.includes('mono-canary'), requests.includes('MAIL_RELAY=⟨secret:MAIL_RELAY⟩')]).toEqual([
      false,
      true,
    ]);
  },
  LONG,
);
