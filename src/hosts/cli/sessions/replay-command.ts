import type { Clock } from '../../../adapters/system/patience.ts';
import { isTerminal, systemCalls } from '../../../adapters/system/system-calls.ts';
import { KeyParser } from '../../../core/editor/keys.ts';
import { createCodePainter } from '../../../core/markdown/markdown-code.ts';
import { createRowsRegion } from '../../../core/terminal/bottom-region.ts';
import { PLAIN_THEME, styled } from '../../../core/terminal/theme.ts';
import { clipText, wrapText } from '../../../core/terminal/wrap.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import type { Recorded } from '../../../protocol/event.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import type { Stage } from '../screen/live-answer.ts';
import { openTty, type Tty } from '../screen/tty.ts';
import { chooseAppearance, type StartContext } from '../setup/output-terminal.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { END_OF_SESSION, formatReplayStart, PAUSED, STOPPED } from './messages.ts';
import { ReplayScreen } from './replay-screen.ts';

interface ReplayContext extends StartContext {
  /** The name of the session. */
  readonly title: string;
}

interface ReplayOptions {
  readonly speed?: number | undefined;
  readonly step: boolean;
}

const WINDOW: TerminalSize = { columns: 80, rows: 24 };
/** An answer streams in so many pieces at most, this long each. */
const MOST_PIECES = 100;
const PIECE_MS = 20;

/** A clock that stands still: without a terminal, nothing is redrawn. */
const NO_TIME: Clock = { now: () => 0, later: () => () => {} };

/**
 * Replays a session from its log, without a model and without effects: at a terminal in its own rhythm, but faster; elsewhere at once.
 * Returns the exit status.
 */
export async function runReplay(
  recorded: readonly Recorded[],
  context: ReplayContext,
  options: ReplayOptions,
): Promise<number> {
  if (!isTerminal(1)) {
    await replayAtOnce(recorded, PROCESS_OUTPUT.out);
    return 0;
  }
  return replayAtTerminal(recorded, context, options);
}

/** Writes the whole replay as plain text. The same log always gives the same text. */
export async function replayAtOnce(recorded: readonly Recorded[], print: (text: string) => void): Promise<void> {
  const stage = { print, size: () => WINDOW, theme: PLAIN_THEME, clock: NO_TIME };
  const screen = new ReplayScreen(stage);
  for (const one of recorded) {
    await screen.prepare(one);
    screen.show(one);
  }
}

async function replayAtTerminal(
  recorded: readonly Recorded[],
  context: ReplayContext,
  { speed = 1, step }: ReplayOptions,
): Promise<number> {
  const client = openAttached(context);
  const pace = new ReplayPace({
    speed,
    isStepped: step,
    onPause: (isPaused) => client.tell(isPaused ? PAUSED : null),
  });
  client.take = (bytes) => pace.feed(bytes);
  client.end = () => pace.end();
  let isEnded = false;
  try {
    // The code painter is loaded before the first answer, so that each replay looks the same.
    client.stage.codePainter?.();
    await import('../../../core/code-colours/highlight-code.ts');
    client.say(formatReplayStart(sanitizeLine(context.title), step));
    await play(recorded, client, pace);
    // A key that comes behind the end, while the terminal takes the last of it, ends nothing.
    isEnded = pace.isOver;
    client.say(isEnded ? STOPPED : END_OF_SESSION);
  } finally {
    await client.close();
  }
  return isEnded ? 130 : 0;
}

async function play(recorded: readonly Recorded[], client: AttachedTerminal, pace: ReplayPace): Promise<void> {
  let since = recorded[0]?.at ?? 0;
  let seen = client.shown;
  for (const one of recorded) {
    // An event without output takes no time.
    if (client.shown > seen) {
      await pace.wait(one.at - since);
      since = one.at;
      seen = client.shown;
    }
    const text = one.event.type === 'step.completed' ? one.event.text : '';
    if (text !== '') await streamText(text, client.screen, pace);
    if (pace.isOver) return;
    await client.screen.prepare(one);
    client.screen.show(one, { isStreamed: text !== '' });
  }
}

/** An answer comes word by word, however long it is. */
async function streamText(text: string, screen: ReplayScreen, pace: ReplayPace): Promise<void> {
  const words = text.match(/(?:^\s*)?\S+\s*/g) ?? [text];
  const size = Math.ceil(words.length / MOST_PIECES);
  for (let at = 0; at < words.length && !pace.isOver; at += size) {
    screen.stream(words.slice(at, at + size).join(''));
    if (!pace.isStepped) await pace.wait(PIECE_MS);
  }
}

interface AttachedTerminal {
  readonly stage: Stage;
  readonly screen: ReplayScreen;
  /** Lines that were printed so far. */
  readonly shown: number;
  take: (bytes: Uint8Array) => void;
  end: () => void;
  say(text: string): void;
  /** Shows a temporary text, in a row that disappears again. */
  tell(text: string | null): void;
  close(): Promise<void>;
}

function openAttached({ setup, options }: ReplayContext): AttachedTerminal {
  const { theme, isPlain } = chooseAppearance({ setup, options });
  const tty: Tty | null = openTty({
    input: (bytes) => client.take(bytes),
    resized: () => {
      work = client.screen.resized();
      region.resized([...work, ...told]);
    },
    ended: () => client.end(),
  });
  const size = (): TerminalSize => tty?.size() ?? systemCalls()?.windowSize(1) ?? WINDOW;
  const write = (text: string): void => (tty === null ? PROCESS_OUTPUT.out(text) : tty.write(text));
  const region = createRowsRegion({ write, size });
  let shown = 0;
  let work: readonly string[] = [];
  let told: readonly string[] = [];
  const print = (text: string, live = work): void => {
    shown += 1;
    work = live;
    region.printAbove(text, [...work, ...told]);
  };
  const setLive = (rows: readonly string[]): void => {
    work = rows;
    region.setLive([...work, ...told]);
  };
  const painter = createCodePainter(theme);
  const stage: Stage = { print, size, theme, codePainter: painter, ...(isPlain ? {} : { setLive }) };
  tty?.setRaw();
  tty?.start();
  if (!isPlain) region.show('');
  const client: AttachedTerminal = {
    stage,
    screen: new ReplayScreen(stage),
    get shown() {
      return shown;
    },
    take: () => {},
    end: () => {},
    say: (text) => {
      const rows = wrapText(text, size().columns).split('\n');
      print(`${rows.map((row) => styled(theme, 'dim', row)).join('\n')}\n`);
    },
    tell: (text) => {
      told = text === null || isPlain ? [] : [styled(theme, 'dim', clipText(text, size().columns - 1))];
      region.setLive([...work, ...told]);
    },
    close: async () => {
      region.hide('');
      await tty?.drained();
      tty?.close();
    },
  };
  return client;
}

interface PaceOptions {
  /** How many times as fast as it was. */
  readonly speed: number;
  /** Nothing goes on without a key. */
  readonly isStepped: boolean;
  /** Told when it is paused and when it goes on. */
  readonly onPause: (isPaused: boolean) => void;
}

/** Nobody looks on where nothing happens. */
const LONGEST_PAUSE_MS = 1500;

/**
 * The pace of a replay, and the keys that change it: Space pauses and goes on, the right arrow, Enter and n go to what is next, q and
 * Ctrl-C end it.
 */
export class ReplayPace {
  readonly #options: PaceOptions;
  readonly #keys = new KeyParser();
  #isPaused = false;
  #isOver = false;
  #wake: (() => void) | null = null;
  /** Keys for what is next that came before it was waited for. */
  #early = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Nothing goes on without a key. */
  get isStepped(): boolean {
    return this.#options.isStepped;
  }

  /** It was ended by a key. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Takes keys. */
  feed(bytes: Uint8Array): void {
    for (const key of this.#keys.push(bytes)) {
      const name = key.type === 'key' ? key.key : key.text;
      if (name === 'ctrl-c' || name === 'ctrl-d' || name === 'q') this.end();
      else if (name === ' ') this.#togglePause();
      else if (name === 'right' || name === 'enter' || name === 'n') this.#goOn();
    }
  }

  /** Waits as long as it took then, within bounds, or for a key. */
  async wait(tookMs: number): Promise<void> {
    if (this.#isOver) return;
    const { speed, isStepped } = this.#options;
    if (isStepped && this.#early > 0) {
      this.#early -= 1;
      return;
    }
    if (isStepped || this.#isPaused) return await this.#untilKey(null);
    const ms = Math.min(LONGEST_PAUSE_MS, Math.max(0, tookMs)) / speed;
    if (ms >= 1) await this.#untilKey(ms);
    if (this.#isPaused) await this.#untilKey(null);
  }

  /** Ends it, whatever it waits for. */
  end(): void {
    this.#isOver = true;
    this.#goOn();
  }

  #togglePause(): void {
    if (!this.#options.isStepped) {
      this.#isPaused = !this.#isPaused;
      this.#options.onPause(this.#isPaused);
    }
    if (!this.#isPaused) this.#goOn();
  }

  #goOn(): void {
    const wake = this.#wake;
    this.#wake = null;
    if (wake !== null) wake();
    else if (this.#options.isStepped) this.#early += 1;
  }

  async #untilKey(ms: number | null): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = ms === null ? null : setTimeout(resolve, ms);
    this.#wake = resolve;
    await promise;
    this.#wake = null;
    if (timer !== null) clearTimeout(timer);
  }
}
