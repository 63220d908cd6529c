import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { peakOfRun } from '../memory.ts';
import type { Place } from '../place.ts';
import { inTurn, type Row } from '../row.ts';
import { openPrompt, type Screen } from '../screen.ts';

const FIRST_TOKENS = 30;
/** Tokens of a fast answer, 2,000 of them in a second. */
const FAST_TOKENS = 20_000;
const FAST_MS = FAST_TOKENS / 2;
/** Chunks of 10 kB, each with one token and much beside it: 100 MB. */
const FAT_CHUNKS = 10_000;
/** The kernel counts CPU in these. */
const TICK_MS = 10;
const OWN_WIRES = ['anthropic', 'openai', 'google'];

/** A folder of packages that `aish models provider add` made, to measure them too: `~/.local/state/aish/providers`. */
const ADDED = process.env.AISH_BENCH_PROVIDERS;

/** The costs of the wires to models: delay, pace, memory, and the loading of a provider. */
export const modelStream: Row = {
  name: 'model-stream',
  async measure(place) {
    const screen = await openPrompt([place.aish], place.env, place.work);
    const [first = []] = await inTurn(FIRST_TOKENS, [() => delayOf(screen, 'first token')]);
    const late: number[] = [];
    const fast: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      const cpuMs = await cpuOf(screen, async () => late.push(await delayOf(screen, `fast=${FAST_TOKENS}`)));
      fast.push((100 * cpuMs) / FAST_MS);
    }
    await screen.close();
    const [fat = []] = await inTurn(2, [
      () => peakOfRun([place.aish, '-p', `fat=${FAT_CHUNKS}`], place.env, place.work),
    ]);
    return [
      { what: 'first token, from its byte to the screen', unit: 'ms', values: first, atMost: 3 },
      { what: '20,000 tokens at 2,000 a second: the last one is late by', unit: 'ms', values: late, atMost: 100 },
      { what: 'the same: CPU of the prompt, of one core', unit: '%', values: fast, atMost: 50 },
      { what: '100 MB of stream, peak of a one-shot', unit: 'MiB', values: fat, atMost: 130 },
      ...(await loading(place)),
    ];
  },
};

/** From the byte of a token to the screen. The token is the time at which the server sent it. */
async function delayOf(screen: Screen, question: string): Promise<number> {
  screen.forget();
  screen.write(`?${question}\r`);
  let sentAt = Number.NaN;
  const seenAt = await screen.until((plain) => {
    sentAt = Number(/sent=(\d+\.\d+);/.exec(plain)?.[1] ?? Number.NaN);
    return sentAt > 0;
  }, 'the token');
  await Bun.sleep(150);
  return seenAt - sentAt;
}

/** The CPU that the program at a prompt takes meanwhile. It has to stay below the time that the tokens take to come. */
async function cpuOf(screen: Screen, work: () => Promise<unknown>): Promise<number> {
  const used = (): number => {
    const fields = readFileSync(`/proc/${screen.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  };
  const before = used();
  await work();
  return used() - before;
}

/** A request to a provider beside one of chat completions: the difference is the package. CPU, because other programs disturb it less. */
async function loading(place: Place) {
  if (ADDED !== undefined) cpSync(ADDED, join(place.env.XDG_STATE_HOME ?? '', 'aish/providers'), { recursive: true });
  const wires = [...OWN_WIRES, ...(ADDED === undefined ? [] : readdirSync(ADDED).sort())];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => Response.json({ error: { message: 'no', type: 'authentication_error' } }, { status: 401 }),
  });
  const ask = (provider: string) => {
    const path = join(place.root, `${provider}.toml`);
    const section = `base_url = "http://127.0.0.1:${server.port}/v1"\nprovider = "${provider}"\nmodel = "m"`;
    writeFileSync(path, `[models.m]\n${section}\n`, { mode: 0o600 });
    const env = { ...place.env, AISH_CONFIG: path };
    const time = async (): Promise<number> => {
      const quiet = { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' } as const;
      const child = Bun.spawn([place.aish, '-p', 'hello'], { cwd: place.work, env, ...quiet });
      await child.exited;
      return Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1000;
    };
    return [time, () => peakOfRun([place.aish, '-p', 'hello'], env, place.work)];
  };
  const values = await inTurn(20, ['openai-chat', ...wires].flatMap(ask));
  await server.stop(true);
  const [chat = [], chatPeak = []] = values;
  const beyond = (own: readonly number[] = [], floor: readonly number[]) =>
    own.map((one, at) => one - (floor[at] ?? 0));
  return wires.flatMap((name, at) => [
    {
      what: `${name}: loading its package, CPU`,
      unit: 'ms' as const,
      values: beyond(values[2 * at + 2], chat),
      atMost: 25,
    },
    { what: `${name}: its memory`, unit: 'MiB' as const, values: beyond(values[2 * at + 3], chatPeak), atMost: 20 },
  ]);
}
