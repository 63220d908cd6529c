import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { EstimateThread, estimateInThread } from '../../src/adapters/impact/estimate-thread.ts';
import { classifyLine } from '../../src/core/policy/classify-line.ts';
import type { ChangeReport } from '../../src/protocol/change-report.ts';
import { now } from '../clock.ts';
import type { Place } from '../place.ts';
import { inTurn, type Measured, type Row } from '../row.ts';
import { openPrompt } from '../screen.ts';

const FILES = 100_000;
const FILES_OF_A_FOLDER = 500;
const BUDGET_MS = 150;
const ROUNDS = 8;

/** The first answer comes then, whatever was counted by then; as under a question. */
const ANSWER_MS = 100;
const LONGEST_MS = 3000;
/** Nobody who types waits longer for the loop than that. */
const HELD_UP_MS = 5;

/** Somebody's hand between two keys: a question takes none that comes with others. */
const PAUSE_MS = 500;
/** Counting goes on behind the first answer for so long at most, and no key answers in the moment when more arrives. */
const COUNTED_MS = 3600;

/**
 * The estimate under an approval prompt about commands on a large tree, beside the programs that count and size the same tree. Takes a
 * minute.
 */
export const impact: Row = {
  name: 'impact',
  slow: true,
  async measure(place) {
    const project = makeTree(place);
    const measure = (line: string) => () => timed(() => firstAnswer(line, project, place));
    const [whole = [], glob = [], clean = [], held = [], idle = [], find = [], du = []] = await inTurn(ROUNDS, [
      measure('rm -rf src'),
      measure('rm -f src/*/*7.txt'),
      measure('git clean -fdx'),
      async () => {
        // The thread began when the line was classified.
        const thread = new EstimateThread();
        await thread.classify('rm -rf src', contextOf(project, place));
        return longestGap(() => lastAnswer('rm -rf src', project, place, thread));
      },
      () => longestGap(() => Bun.sleep(ANSWER_MS)),
      () => timed(async () => run(project, ['find', 'src', '-type', 'f'])),
      () => timed(async () => run(project, ['du', '-s', 'src'])),
    ]);
    const shown = await questionToLines('rm -rf src', project, place);
    const first = filesIn(await firstAnswer('rm -rf src', project, place));
    const counted = filesIn(await lastAnswer('rm -rf src', project, place));
    rmSync(project, { recursive: true, force: true });
    const row = (what: string, values: readonly number[], baseline: Measured['baseline']): Measured => ({
      what,
      unit: 'ms',
      values,
      atMost: BUDGET_MS,
      ...(baseline === undefined ? {} : { baseline }),
    });
    return [
      row('question to the line under it, on the screen: rm -rf of them all', shown, { what: 'du', values: du }),
      row(`counted: rm -rf of ${FILES} files (${first} by then, ${counted} in the end)`, whole, {
        what: 'du',
        values: du,
      }),
      row('counted: a glob over them', glob, { what: 'find', values: find }),
      row('counted: git clean -fdx', clean, undefined),
      {
        ...row('the loop is held up at most, while they are counted', held, { what: 'idle', values: idle }),
        atMost: HELD_UP_MS,
      },
    ];
  },
};

/** From the last word of the question to the first of what stands under it, the first time left out. */
async function questionToLines(line: string, project: string, place: Place): Promise<readonly number[]> {
  const screen = await openPrompt([place.aish], place.env, project);
  const values: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    screen.write(`?run=${line}`);
    await Bun.sleep(PAUSE_MS);
    screen.forget();
    screen.write('\r');
    const asked = await screen.until((plain) => /\[d\] deny with/.test(plain), 'the question');
    const told = await screen.until((plain) => /\d files/.test(plain), 'what stands under it');
    if (round > 0) values.push(told - asked);
    await Bun.sleep(COUNTED_MS);
    screen.write('n');
    await screen.until((plain) => /answer-[\s\S]*shown/.test(plain), 'the answer');
    await Bun.sleep(PAUSE_MS);
  }
  await screen.close();
  return values;
}

function contextOf(project: string, place: Place) {
  return { cwd: project, project, home: place.root };
}

function answersTo(line: string, project: string, place: Place, thread?: EstimateThread): AsyncGenerator<ChangeReport> {
  const context = contextOf(project, place);
  const limits = { limit: ANSWER_MS, longest: LONGEST_MS, thread };
  const prepare = async () => ({ estimated: { classification: classifyLine(line, context) }, context });
  return estimateInThread(prepare, new AbortController().signal, limits);
}

async function firstAnswer(line: string, project: string, place: Place): Promise<ChangeReport | null> {
  for await (const answer of answersTo(line, project, place)) return answer;
  return null;
}

async function lastAnswer(
  line: string,
  project: string,
  place: Place,
  thread?: EstimateThread,
): Promise<ChangeReport | null> {
  let last: ChangeReport | null = null;
  for await (const answer of answersTo(line, project, place, thread)) last = answer;
  return last;
}

function filesIn(answer: ChangeReport | null): number {
  return answer?.effects.reduce((sum, { files }) => sum + files, 0) ?? 0;
}

/** Milliseconds for which nothing else could be done, at most, while something goes on. */
async function longestGap(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = now();
  const watch = setInterval(() => {
    longest = Math.max(longest, now() - last);
    last = now();
  }, 1);
  await work();
  clearInterval(watch);
  return longest;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = now();
  await work();
  return now() - startedAt;
}

/** All tracked, with one change and one file that git does not know. */
function makeTree(place: Place): string {
  const project = `${place.root}/large-tree`;
  for (let file = 0; file < FILES; file += 1) {
    const folder = `${project}/src/${Math.floor(file / FILES_OF_A_FOLDER)}`;
    if (file % FILES_OF_A_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/${file}.txt`, `file ${file}\n`);
  }
  run(project, ['git', 'init', '-q']);
  run(project, ['git', 'add', '.']);
  run(project, ['git', '-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-qm', 'all']);
  writeFileSync(`${project}/src/0/0.txt`, 'changed\n');
  writeFileSync(`${project}/src/0/new.txt`, 'new\n');
  return project;
}

function run(cwd: string, command: readonly string[]): void {
  const done = Bun.spawnSync([...command], { cwd, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  if (done.exitCode !== 0) throw new Error(`${command.join(' ')}: ${done.stderr.toString()}`);
}
