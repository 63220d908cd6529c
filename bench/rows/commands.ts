import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { now } from '../clock.ts';
import { peakOfRun } from '../memory.ts';
import type { Place } from '../place.ts';
import type { Measured, Row } from '../row.ts';
import { openPrompt } from '../screen.ts';

const ROUNDS = 4;
const CALLS = 12;
/** How long a model thinks. */
const THINKING_MS = 50;
const FILES = 100;
/** A key this soon after typing still belongs to the line. */
const TYPING_PAUSE_MS = 450;

/** A kind of call, and the bars for it in milliseconds. */
interface Kind {
  readonly what: string;
  readonly tool: string;
  /** `@` stands for the number of the call. */
  readonly args: object;
  readonly approve: 'read-only' | 'all';
  readonly config: string;
  readonly atMost?: number;
  readonly firstAtMost?: number;
  /** The first call of a model that thinks. */
  readonly firstAfterThinking?: number;
  /** Times `bash -c`, for a model that thinks. */
  readonly timesBash?: number;
}

const DEEP = '[mcp]\nmax_tool_depth = 30\n';

const KINDS: readonly Kind[] = [
  {
    what: 'exec in the sandbox',
    tool: 'aish__exec',
    args: { command: 'echo hi @' },
    approve: 'read-only',
    config: DEEP,
    atMost: 5,
    firstAtMost: 60,
    firstAfterThinking: 25,
    timesBash: 1.5,
  },
  {
    what: 'exec by a rule, in the shared shell',
    tool: 'aish__exec',
    args: { command: 'echo hi @' },
    approve: 'read-only',
    config: `${DEEP}[safety]\napprove = ["echo"]\n`,
    atMost: 4,
    firstAfterThinking: 25,
  },
  {
    what: `write_file with its checkpoint, ${FILES} files`,
    tool: 'aish__write_file',
    args: { path: 'made-@.txt', content: 'content @\n' },
    approve: 'all',
    config: DEEP,
    atMost: 8,
  },
  {
    what: `edit_file with its checkpoint, ${FILES} files`,
    tool: 'aish__edit_file',
    args: { path: 'd@/edited.txt', old: 'one', new: 'two' },
    approve: 'all',
    config: DEEP,
  },
  {
    what: 'read_file',
    tool: 'aish__read_file',
    args: { path: 'd@/edited.txt' },
    approve: 'read-only',
    config: DEEP,
  },
];

/** Calls of the model, from the end of its answer to the next request: back to back, and after 50 ms of thinking. */
export const commands: Row = {
  name: 'commands',
  async measure(place) {
    const bare = { back: await bareShell(0), thinking: await bareShell(THINKING_MS) };
    const lines: Measured[] = [];
    for (const kind of [...KINDS, callOfServer(place)]) {
      const config = place.configure('commands', kind.config);
      for (const pauseMs of [0, THINKING_MS])
        lines.push(...(await measureKind(place, kind, { config, pauseMs, bare })));
    }
    lines.push(...(await measureApproved(place)), await measurePeak(place));
    return lines;
  },
};

function callOfServer(place: Place): Kind {
  const program = join(import.meta.dir, '../../node_modules/.bin/mcp-server-filesystem');
  const project = join(place.root, 'project');
  const server = `[mcp.servers.fs]\ncommand = "${program}"\nargs = ["${project}"]\n[mcp.auto_approve]\n"fs.*" = true\n`;
  const args = { path: join(project, 'd@/edited.txt') };
  return {
    what: 'call of an MCP server',
    tool: 'fs__read_text_file',
    args,
    approve: 'read-only',
    config: `${DEEP}${server}`,
  };
}

interface Bare {
  readonly back: readonly number[];
  readonly thinking: readonly number[];
}

interface How {
  readonly config: string;
  readonly pauseMs: number;
  readonly bare: Bare;
}

async function measureKind(place: Place, kind: Kind, { config, pauseMs, bare }: How): Promise<readonly Measured[]> {
  const firsts: number[] = [];
  const later: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const work = makeRepository(place);
    await place.model.seen();
    const question = `play=${CALLS} pause=${pauseMs} ${kind.tool} ${JSON.stringify(kind.args)}`;
    await Bun.spawn([place.aish, '-p', '--approve', kind.approve, question], {
      cwd: work,
      env: { ...place.env, AISH_CONFIG: config },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    }).exited;
    const seen = await place.model.seen();
    if (seen.length !== CALLS + 1) throw new Error(`${kind.what}: ${seen.length} requests for ${CALLS} calls`);
    const gaps = seen.slice(1).map((request, index) => request.at - (seen[index]?.answeredAt ?? Number.NaN));
    firsts.push(...gaps.slice(0, 1));
    later.push(...gaps.slice(1));
  }
  const isThinking = pauseMs > 0;
  const what = `${kind.what}, ${isThinking ? `${pauseMs} ms of thinking` : 'back to back'}`;
  const values = isThinking ? bare.thinking : bare.back;
  const baseline = { what: isThinking ? 'bash -c, same pause' : 'bash -c', values };
  const bars = isThinking
    ? { timesBaseline: kind.timesBash, first: kind.firstAfterThinking }
    : { atMost: kind.atMost, first: kind.firstAtMost };
  const { first, ...rest } = bars;
  return [
    { what, unit: 'ms', values: later, baseline, ...rest },
    {
      what: `${what}, the first`,
      unit: 'ms',
      values: firsts,
      baseline,
      ...(first === undefined ? {} : { atMost: first }),
    },
  ];
}

/** A command that the user approves: from the key to the next request. */
async function measureApproved(place: Place): Promise<readonly Measured[]> {
  const work = makeRepository(place);
  const screen = await openPrompt([place.aish], place.env, work);
  const values: number[] = [];
  for (let round = 0; round <= CALLS; round += 1) {
    await place.model.seen();
    screen.write(`?run=touch made-${round}\r`);
    await screen.until((plain) => /\[d\] deny with/.test(plain), 'the approval prompt');
    await Bun.sleep(TYPING_PAUSE_MS);
    screen.forget();
    const pressedAt = now();
    screen.write('y');
    await screen.until((plain) => /answer-[\s\S]*shown/.test(plain), 'the answer');
    const request = (await place.model.seen()).at(-1);
    values.push((request?.at ?? Number.NaN) - pressedAt);
    await Bun.sleep(TYPING_PAUSE_MS);
    screen.forget();
  }
  await screen.close();
  const what = 'exec after an approval, from the key';
  return [
    { what, unit: 'ms', values: values.slice(1) },
    { what: `${what}, the first`, unit: 'ms', values: values.slice(0, 1) },
  ];
}

async function measurePeak(place: Place): Promise<Measured> {
  const env = { ...place.env, AISH_CONFIG: place.configure('commands', DEEP) };
  const question = 'play=20 pause=0 aish__exec {"command":"echo hi @"}';
  const peaks: number[] = [];
  // The first run of a program that was just built is larger by 2 MiB: its pages lie in larger pieces.
  for (let round = 0; round < ROUNDS; round += 1)
    peaks.push(await peakOfRun([place.aish, '-p', '--approve', 'read-only', question], env, makeRepository(place)));
  return { what: 'one-shot with 20 commands, peak', unit: 'MiB', values: peaks, atMost: 70 };
}

async function bareShell(pauseMs: number): Promise<readonly number[]> {
  const values: number[] = [];
  for (let round = -1; round < ROUNDS * CALLS; round += 1) {
    if (pauseMs > 0) await Bun.sleep(pauseMs);
    const startedAt = now();
    const child = Bun.spawn(['bash', '-c', 'echo hi'], { stdin: 'ignore', stdout: 'pipe' });
    await Promise.all([new Response(child.stdout).text(), child.exited]);
    if (round >= 0) values.push(now() - startedAt);
  }
  return values;
}

/** A fresh repository, all of it committed. */
function makeRepository(place: Place): string {
  const cwd = join(place.root, 'project');
  rmSync(cwd, { recursive: true, force: true });
  for (let folder = 0; folder < CALLS; folder += 1) {
    mkdirSync(join(cwd, `d${folder}`), { recursive: true });
    writeFileSync(join(cwd, `d${folder}/edited.txt`), 'one\n');
  }
  for (let file = 0; file < FILES - CALLS; file += 1)
    writeFileSync(join(cwd, `d${file % CALLS}/${file}.txt`), `file ${file}\n`);
  git(cwd, 'init', '-q');
  git(cwd, 'add', '.');
  git(cwd, '-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-qm', 'all');
  return cwd;
}

function git(cwd: string, ...args: readonly string[]): void {
  const done = Bun.spawnSync(['git', ...args], { cwd, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  if (done.exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr.toString()}`);
}
