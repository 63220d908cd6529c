import { describe, expect, test } from 'bun:test';
import { type Answer, broken, calls, type Reply, stream, streamed, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';
import { ContractWorld, exec, type Outcome, write } from './contract-world.ts';

const LONG = 120_000;
const TERMS = { only: ['src'], until: ['sh test/sum.sh'] };

const repeat = (count: number, make: (at: number) => Reply): readonly Reply[] =>
  Array.from({ length: count }, (_, at) => make(at));
const change = (at: number): Reply => exec(`echo ${at} > src/data.txt`);

/** One answer that never ends by itself, in pieces. */
function endless(delta: object): Reply {
  const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
  return stream(
    Array.from({ length: 300 }, () => piece),
    'hang',
  );
}

/** Without the count of tokens that a server sends behind an answer. */
function uncounted(reply: Reply): Reply {
  return { ...reply, chunks: reply.chunks.filter((chunk) => !Buffer.from(chunk).includes('"usage"')) };
}

const LINE = 'x'.repeat(4096);
const MANY_CALLS = Array.from({ length: 900 }, (_, at) => ({
  name: 'aish__exec',
  arguments: { command: `true ${at} ${'x'.repeat(60)}` },
}));

/** The answers of a model, which may hold the mark of its world. */
type Script = (mark: string) => readonly Answer[];

/** Models that use up a limit, and the reason that must end the run. */
const CASES: readonly (readonly [name: string, reason: string, script: Script, more: readonly string[]])[] = [
  ['changes a file again and again', 'step-limit', () => repeat(9, change), ['--max-steps', '5']],
  ['repeats a call', 'repeated-failure', () => repeat(30, () => exec('true')), []],
  ['only talks', 'no-progress', () => repeat(9, () => text('Nearly there.')), []],
  [
    'stops in the middle of an answer',
    'time-limit',
    () => [broken(text('I will now begin'), 2, 'hang')],
    ['--max-minutes', '0.05'],
  ],
  ['never answers', 'time-limit', () => [() => new Promise<Reply>(() => {})], ['--max-minutes', '0.05']],
  [
    'runs a command that never ends',
    'time-limit',
    (mark) => [exec(`sleep ${mark}`), text('a')],
    ['--max-minutes', '0.05'],
  ],
  [
    'changes a file and then never ends',
    'time-limit',
    (mark) => [change(1), exec(`echo y > src/late; sleep ${mark}`)],
    ['--max-minutes', '0.05'],
  ],
  ['streams text without end', 'token-limit', () => [endless({ content: LINE })], ['--max-tokens', '20000']],
  ['thinks without end', 'token-limit', () => [endless({ reasoning_content: LINE })], ['--max-tokens', '20000']],
  [
    'writes a file without end',
    'token-limit',
    () => [endless({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'aish__write_file', arguments: LINE } }] })],
    ['--max-tokens', '20000'],
  ],
  [
    'sends one line of a megabyte',
    'token-limit',
    () => [streamed(['y'.repeat(1_000_000)]), text('a')],
    ['--max-tokens', '20000'],
  ],
  ['asks for 900 calls at once', 'token-limit', () => [calls(...MANY_CALLS)], ['--max-tokens', '8000']],
  [
    'has a server that counts no tokens',
    'token-limit',
    () => repeat(9, (at) => uncounted(change(at))),
    ['--max-tokens', '5000'],
  ],
  [
    'has a server that counts no tokens, under a limit of costs',
    'failed',
    () => repeat(9, (at) => uncounted(change(at))),
    ['--max-usd', '5'],
  ],
  ['costs too much', 'cost-limit', () => repeat(9, change), ['--max-usd', '25']],
  [
    'changes too much after the fix',
    'fence',
    () => [write('src/sum.sh', 'echo $(($1 + $2))\n'), exec('echo x > keep.txt')],
    [],
  ],
];

/** The run, and whether its receipt and its undo hold. */
async function play(script: Script, more: readonly string[]): Promise<Outcome & { readonly left: string }> {
  await using world = new ContractWorld([]);
  world.server.play(...script(world.mark));
  const before = world.read();
  const outcome = await world.run({ ...TERMS, more });
  const left = [...(await world.survivors()), ...(await world.findFaults(before, outcome))];
  return { ...outcome, left: left.join('\n') };
}

describe.skipIf(!hasProgram('bwrap'))('a run whose model', () => {
  test.each(CASES)(
    '[contract.first-limit] %s ends with the reason %s, its receipt is the diff, and its undo is whole',
    async (_, reason, script, more) => {
      const { receipt, left } = await play(script, more);
      expect([receipt.reason, left]).toEqual([reason, '']);
    },
    LONG,
  );
});
