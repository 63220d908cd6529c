import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Environment, toPaths } from '../../../adapters/config/paths.ts';
import { isTerminal, systemCalls } from '../../../adapters/system/system-calls.ts';
import { readArgs } from '../../../core/command-line/subcommand-args.ts';
import { describeContract, formatReceipt } from '../../../core/contract/receipt.ts';
import { type SessionClient, untilState } from '../../../core/session/session-client.ts';
import { toSettings } from '../../../core/session/settings.ts';
import { askedCall, isIdle, type OpenCall } from '../../../core/session/state.ts';
import { isDumbTerminal } from '../../../core/terminal/capabilities.ts';
import { createTheme, type Theme } from '../../../core/terminal/theme.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import { Engine } from '../../../engine/session/engine.ts';
import { LocalSessionClient } from '../../../engine/session/local-session-client.ts';
import { type Config, DEFAULT_CONFIG } from '../../../protocol/config.ts';
import { AishError } from '../../../protocol/error.ts';
import type { Recorded, SessionEvent } from '../../../protocol/event.ts';
import type { Decision, Op } from '../../../protocol/op.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import { VERSION } from '../../../protocol/version.ts';
import { Question } from '../approvals/question.ts';
import { readContract, readReceipt } from '../commands/contract-command.ts';
import { formatApproval } from '../screen/approval.ts';
import { openTty, type Tty } from '../screen/tty.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { DemoScreen } from './demo-screen.ts';
import * as messages from './messages.ts';
import { LIST_FILE, PROGRAM_FILE, startScriptedModel } from './scripted-model.ts';

interface DemoTerminal {
  readonly screen: DemoScreen;
  readonly theme: Theme;
  /** The user's terminal; null when the demo answers by itself. */
  readonly tty: Tty | null;
  readonly why: string;
  readonly size: () => TerminalSize;
  readonly input: { take: ((bytes: Uint8Array) => void) | null };
}

const WINDOW = { columns: 80, rows: 24 };
const WORD_PAUSE_MS = 18;

/** `aish demo`: a short session with a scripted model, in a temporary repository. Returns the exit status. */
export async function runDemo(args: readonly string[]): Promise<number> {
  const { options } = readArgs('demo', args);
  const [yes, norris] = [options.has('--yes'), options.has('--norris')];
  keepProxiesOut(process.env);
  const terminal = takeClient(yes);
  const interrupted = nextSignal();
  try {
    const stage = await openStage(process.env, { pauseMs: terminal.tty === null ? 0 : WORD_PAUSE_MS, norris });
    try {
      return await Promise.race([norris ? playRun(stage, terminal) : play(stage, terminal), interrupted]);
    } finally {
      await stage.close();
    }
  } finally {
    terminal.tty?.close();
  }
}

/** The model is on loopback; a proxy of the user must not see what it is sent. */
function keepProxiesOut(env: NodeJS.ProcessEnv): void {
  for (const name of ['http_proxy', 'https_proxy', 'all_proxy']) {
    delete env[name];
    delete env[name.toUpperCase()];
  }
}

function takeClient(yes: boolean): DemoTerminal {
  const terminal = isTerminal(1);
  const input: DemoTerminal['input'] = { take: null };
  const tty =
    yes || !terminal || !isTerminal(0)
      ? null
      : openTty({
          input: (bytes) => input.take?.(bytes),
          resized: () => {},
          ended: (signal) => process.kill(process.pid, signal),
        });
  tty?.start();
  const words = process.env.AISH_SCREEN_READER === '1';
  const theme = createTheme(process.env, { colour: terminal, words });
  const write = (text: string): void =>
    tty === null ? PROCESS_OUTPUT.out(text) : tty.write(text.replace(/\r?\n/g, '\r\n'));
  const calls = terminal ? systemCalls() : null;
  const size = () => tty?.size() ?? calls?.windowSize(1) ?? WINDOW;
  const live = terminal && !words && !isDumbTerminal(process.env);
  const screen = new DemoScreen({ write, size, theme, live });
  return { screen, theme, tty, size, input, why: yes ? '--yes' : messages.NO_TERMINAL };
}

/** The exit status of the next signal that ends a program. */
function nextSignal(): Promise<number> {
  return new Promise((done) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(name, () => done(128 + constants.signals[name]));
  });
}

/** The scenes in order. */
async function play(stage: Stage, terminal: DemoTerminal): Promise<number> {
  const { screen } = terminal;
  const { client } = stage;
  screen.prose(...messages.formatIntroduction(stage.modelUrl, stage.repository));
  screen.heading(messages.SCENE_QUESTION);
  await run(client, terminal, 'wc -l *.txt');
  await ask(client, terminal, messages.QUESTION);
  screen.heading(messages.SCENE_CHANGE);
  const seen = await ask(client, terminal, messages.formatChangeRequest(LIST_FILE));
  await run(client, terminal, `cat ${LIST_FILE}`);
  screen.heading(messages.SCENE_UNDO);
  if (seen.has('checkpoint.created')) {
    await undo(client, terminal);
    await run(client, terminal, `cat ${LIST_FILE}`);
  } else screen.say(messages.NOTHING_TO_UNDO);
  screen.heading(messages.CONCLUSION_HEADING);
  screen.prose(messages.CONCLUSION);
  return 0;
}

/** The scenes of an autonomous run, in order: nobody is asked, because the contract is approved before. */
async function playRun(stage: Stage, terminal: DemoTerminal): Promise<number> {
  const { screen } = terminal;
  const { client } = stage;
  screen.prose(...messages.formatRunIntroduction(stage.modelUrl, stage.repository));
  screen.heading(messages.SCENE_RUN);
  screen.typed('meta', messages.CONTRACT_LINE);
  const { contract } = readContract(messages.CONTRACT_LINE.replace(/^:norris /, ''), stage.repository, '');
  screen.lines(describeContract(contract).map((line) => `  ${line}`));
  screen.say(messages.RUN_APPROVED);
  await follow(client, terminal, { type: 'begin-contract', contract }, 'contract.ended');
  screen.heading(messages.SCENE_RECEIPT);
  screen.typed('meta', ':norris receipt');
  const { receipt, changes } = await readReceipt(stage.recorded(), stage.repository);
  screen.lines([sanitizeText(formatReceipt(receipt, changes)).trimEnd()]);
  screen.heading(messages.SCENE_UNDO_RUN);
  if (receipt.checkpoints.length > 0) {
    screen.typed('meta', ':norris undo');
    const steps = receipt.checkpoints.length;
    await follow(client, terminal, { type: 'restore', checkpoint: null, steps }, 'restore.completed');
  } else screen.say(messages.NOTHING_TO_UNDO);
  screen.heading(messages.CONCLUSION_HEADING);
  screen.prose(messages.RUN_CONCLUSION);
  return receipt.reason === 'achieved' ? 0 : 1;
}

async function ask(client: SessionClient, terminal: DemoTerminal, text: string): Promise<Seen> {
  terminal.screen.typed('ai', text);
  return follow(client, terminal, { type: 'send', text }, 'turn.ended');
}

async function run(client: SessionClient, terminal: DemoTerminal, line: string): Promise<void> {
  terminal.screen.typed('shell', line);
  await follow(client, terminal, { type: 'run', line }, 'command.completed');
}

async function undo(client: SessionClient, terminal: DemoTerminal): Promise<void> {
  terminal.screen.typed('meta', ':undo');
  await follow(client, terminal, { type: 'restore', checkpoint: null }, 'restore.completed');
}

type Seen = ReadonlySet<SessionEvent['type']>;

/** Hands a request in and shows what comes of it up to its closing fact. */
async function follow(
  client: SessionClient,
  terminal: DemoTerminal,
  op: Op,
  last: SessionEvent['type'],
): Promise<Seen> {
  const seen = new Set<SessionEvent['type']>();
  const events = client.events(client.seq);
  await client.submit(op);
  for await (const { event, at } of events) {
    seen.add(event.type);
    await terminal.screen.show(event, at);
    if (event.type === 'approval.requested') await answer(client, terminal);
    if (event.type === last) break;
  }
  await untilState(client, isIdle);
  return seen;
}

async function answer(client: SessionClient, terminal: DemoTerminal): Promise<void> {
  const open = askedCall(client.state);
  if (open === null) return;
  const decision = terminal.tty === null ? answerAlone(open, terminal) : await askUser(open, terminal, terminal.tty);
  const callId = open.call.id;
  const by = 'user';
  await client.submit(decision === null ? { type: 'interrupt' } : { type: 'decide', callId, decision, by });
}

function answerAlone(
  { call, preview = { undoable: false } }: OpenCall,
  { screen, theme, why, size }: DemoTerminal,
): Decision {
  const { lines } = formatApproval(call, preview, { ...size(), theme, all: true });
  screen.lines(['', ...lines]);
  screen.say(messages.formatDemoAnswer(why));
  return { type: 'allow' };
}

/** The question as the prompt asks it; null when the user pressed Ctrl-C. */
async function askUser(open: OpenCall, { screen, theme, input }: DemoTerminal, tty: Tty): Promise<Decision | null> {
  screen.say('', messages.YOUR_TURN, '');
  const decided = Promise.withResolvers<Decision | null>();
  tty.setRaw();
  const question = new Question(open, {
    print: (text) => tty.write(text.replace(/\r?\n/g, '\r\n')),
    write: (text) => tty.write(text),
    size: () => tty.size(),
    theme,
    isPlain: theme.words || isDumbTerminal(process.env),
    isDumb: isDumbTerminal(process.env),
    decide: (decision) => decided.resolve(decision),
    interrupt: () => decided.resolve(null),
  });
  input.take = (bytes) => question.feed(bytes);
  const decision = await decided.promise;
  input.take = null;
  question.close();
  tty.restore();
  return decision;
}

/** The stage of the demo: a repository, a model and a session of its own, all gone afterwards. */
interface Stage {
  readonly repository: string;
  readonly modelUrl: string;
  readonly client: SessionClient;
  readonly recorded: () => readonly Recorded[];
  close(): Promise<void>;
}

const FILES: Readonly<Record<string, string>> = {
  'ideas.txt': 'a shell you talk to\na garden on the roof\n',
  [LIST_FILE]: 'buy oat milk\nwater the plants\ncall Ada\n',
};

const RUN_FILES: Readonly<Record<string, string>> = {
  [PROGRAM_FILE]: 'total=0\nfor price in "$@"; do total=$((total - price)); done\necho "$total"\n',
  'check/total.sh': '[ "$(sh shop/total.sh 2 3 5)" = 10 ] || { echo "2 + 3 + 5 is not 10"; exit 1; }\n',
};

/** Sets the stage up in a folder of its own; neither the user's configuration nor their sessions are touched. */
async function openStage(
  env: NodeJS.ProcessEnv,
  options: { readonly pauseMs: number; readonly norris?: boolean },
): Promise<Stage> {
  const root = mkdtempSync(join(tmpdir(), 'aish-demo-'));
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  process.on('exit', remove);
  try {
    const repository = makeRepository(root, env, options.norris === true ? RUN_FILES : FILES);
    const model = startScriptedModel(options.pauseMs);
    const { engine, client, recorded } = await openSession(root, repository, model.url, env);
    const close = async (): Promise<void> => {
      await engine.close();
      await model.close();
      remove();
    };
    return { repository, modelUrl: model.url, client, recorded, close };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

function makeRepository(root: string, env: Environment, files: Readonly<Record<string, string>>): string {
  const repository = join(root, 'project');
  mkdirSync(repository);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(repository, dirname(name)), { recursive: true });
    writeFileSync(join(repository, name), text);
  }
  // Settings of the user's git, such as signing and hooks, have no business in a repository that lives for a minute.
  const settings = [
    'commit.gpgsign=false',
    'core.hooksPath=/dev/null',
    'user.name=aish demo',
    'user.email=demo@localhost',
  ];
  const git = ['git', ...settings.flatMap((setting) => ['-c', setting])];
  const clean = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
  for (const args of [
    ['init', '-q', '--template='],
    ['add', '.'],
    ['commit', '-qm', 'The beginning'],
  ])
    runGit([...git, ...args], repository, clean);
  return repository;
}

function runGit(command: readonly string[], cwd: string, env: Environment): void {
  if (Bun.which('git') === null) throw new AishError('demo.no-git', messages.NO_GIT, { hint: messages.NO_GIT_HINT });
  const done = Bun.spawnSync([...command], { cwd, env, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  if (done.exitCode === 0) return;
  throw new AishError('demo.git', messages.formatNoRepository(cwd, done.stderr.toString().trim()), {
    hint: messages.NO_REPOSITORY_HINT,
  });
}

async function openSession(root: string, cwd: string, modelUrl: string, env: NodeJS.ProcessEnv) {
  const config: Config = { ...DEFAULT_CONFIG, models: { scripted: { base_url: modelUrl, model: 'scripted' } } };
  const runtimeFolder = (): string => {
    const folder = join(root, 'run');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  };
  // Checkpoints and shells of this process keep nothing beyond the demo: its lines belong in nobody's history.
  env.XDG_STATE_HOME = join(root, 'state');
  env.XDG_CACHE_HOME = join(root, 'cache');
  env.HISTFILE = join(root, 'history');
  env.fish_history = '';
  const engine = new Engine({ config, paths: toPaths(env), env, cwd, version: VERSION, runtimeFolder });
  const live = await engine.open({ cwd, settings: toSettings(config) });
  return { engine, client: new LocalSessionClient({ live }), recorded: () => live.session.recorded };
}
