import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { systemCalls } from '../../../adapters/system/system-calls.ts';
import { type SessionClient, untilState } from '../../../core/session/session-client.ts';
import { askedCall, isIdle, type OpenCall } from '../../../core/session/state.ts';
import { AishError } from '../../../protocol/error.ts';
import type { SessionEvent } from '../../../protocol/event.ts';
import type { Decision, Op } from '../../../protocol/op.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import { Question } from '../approvals/question.ts';
import { formatApproval } from '../screen/approval.ts';
import { createTheme, isDumbTerminal, type Theme } from '../screen/theme.ts';
import { openTty, type Tty } from '../screen/tty.ts';
import { DemoScreen } from './demo-screen.ts';
import {
  CONCLUSION,
  CONCLUSION_HEADING,
  DEMO_USAGE,
  formatChangeRequest,
  formatDemoAnswer,
  formatIntroduction,
  formatUnknownArgument,
  NO_TERMINAL,
  NOTHING_TO_UNDO,
  QUESTION,
  SCENE_CHANGE,
  SCENE_QUESTION,
  SCENE_UNDO,
  YOUR_TURN,
} from './messages.ts';
import { LIST_FILE } from './scripted-model.ts';
import { openStage, type Stage } from './stage.ts';

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
  const yes = readArgs(args);
  keepProxiesOut(process.env);
  const terminal = takeClient(yes);
  const interrupted = nextSignal();
  try {
    const stage = await openStage(process.env, { pauseMs: terminal.tty === null ? 0 : WORD_PAUSE_MS });
    try {
      return await Promise.race([play(stage, terminal), interrupted]);
    } finally {
      await stage.close();
    }
  } finally {
    terminal.tty?.close();
  }
}

function readArgs(args: readonly string[]): boolean {
  const unknown = args.find((arg) => arg !== '--yes' && arg !== '-y');
  if (unknown === undefined) return args.length > 0;
  throw new AishError('usage', formatUnknownArgument(unknown), { hint: DEMO_USAGE });
}

/** The model is on loopback; a proxy of the user must not see what it is sent. */
function keepProxiesOut(env: NodeJS.ProcessEnv): void {
  for (const name of ['http_proxy', 'https_proxy', 'all_proxy']) {
    delete env[name];
    delete env[name.toUpperCase()];
  }
}

function takeClient(yes: boolean): DemoTerminal {
  const terminal = isatty(1);
  const input: DemoTerminal['input'] = { take: null };
  const tty =
    yes || !terminal || !isatty(0)
      ? null
      : openTty({
          input: (bytes) => input.take?.(bytes),
          resized: () => {},
          ended: (signal) => process.kill(process.pid, signal),
        });
  tty?.start();
  const words = process.env.AISH_SCREEN_READER === '1';
  const theme = createTheme(process.env, { colour: terminal, words });
  const write = (text: string): void => (tty === null ? writeAll(text) : tty.write(text.replace(/\r?\n/g, '\r\n')));
  const calls = terminal ? systemCalls() : null;
  const size = () => tty?.size() ?? calls?.windowSize(1) ?? WINDOW;
  const screen = new DemoScreen({
    write,
    size,
    theme,
    live: terminal && !words && !isDumbTerminal(process.env),
  });
  return { screen, theme, tty, size, input, why: yes ? '--yes' : NO_TERMINAL };
}

function writeAll(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

function nextSignal(): Promise<number> {
  return new Promise((done) => {
    for (const [signal, status] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const) {
      process.once(signal, () => done(status));
    }
  });
}

/** The scenes in order. */
async function play(stage: Stage, terminal: DemoTerminal): Promise<number> {
  const { screen } = terminal;
  const { client } = stage;
  introduce(stage, screen);
  screen.heading(SCENE_QUESTION);
  await run(client, terminal, 'wc -l *.txt');
  await ask(client, terminal, QUESTION);
  screen.heading(SCENE_CHANGE);
  const seen = await ask(client, terminal, formatChangeRequest(LIST_FILE));
  await run(client, terminal, `cat ${LIST_FILE}`);
  screen.heading(SCENE_UNDO);
  if (seen.has('checkpoint.created')) {
    await undo(client, terminal);
    await run(client, terminal, `cat ${LIST_FILE}`);
  } else screen.say(NOTHING_TO_UNDO);
  conclude(screen);
  return 0;
}

function introduce({ repository, modelUrl }: Stage, screen: DemoScreen): void {
  screen.prose(...formatIntroduction(modelUrl, repository));
}

function conclude(screen: DemoScreen): void {
  screen.heading(CONCLUSION_HEADING);
  screen.prose(CONCLUSION);
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
    terminal.screen.show(event, at);
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
  const { lines } = formatApproval(call, preview, { size: size(), theme, all: true });
  screen.lines(['', ...lines]);
  screen.say(formatDemoAnswer(why));
  return { type: 'allow' };
}

/** The question as the prompt asks it; null when the user pressed Ctrl-C. */
async function askUser(open: OpenCall, { screen, theme, input }: DemoTerminal, tty: Tty): Promise<Decision | null> {
  screen.say('', YOUR_TURN, '');
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
