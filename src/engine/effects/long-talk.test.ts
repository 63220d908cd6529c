import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { type Answer, calls, countTokens, startModelServer, text } from '../../../test/support/model-server.ts';
import { toPaths } from '../../adapters/config/paths.ts';
import { toMessages } from '../../core/context/request-messages.ts';
import { fold } from '../../core/session/evolve.ts';
import { toSettings } from '../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import { Engine } from '../session/engine.ts';

const TURNS = Number(process.env.AISH_TEST_TURNS ?? 12);

/** Numbers that look random and are the same in every run. */
function numbersFrom(seed: number): (below: number) => number {
  let last = seed;
  return (below) => {
    last = (last * 1_103_515_245 + 12_345) % 2_147_483_648;
    return last % below;
  };
}

/** A model that reads files of any length, answers at any length, and sometimes has no summary to give. */
function talker(random: (below: number) => number): Answer {
  let rounds = 0;
  let file = 0;
  return ({ body }) => {
    if (body.messages.some(({ content }) => String(content).includes('Write the notes')))
      return random(5) === 0 ? text(' ') : text(`## Goal\n${'note '.repeat(random(300) + 1)}`);
    if (random(2) === 0 && rounds < 5) {
      rounds += 1;
      file = (file + 1 + random(4)) % 5;
      return calls({ name: 'aish__read_file', arguments: { path: `file${file}` } });
    }
    rounds = 0;
    return text('answer '.repeat(random(300) + 1));
  };
}

test.each([
  { tokens: 8192, isTold: true },
  { tokens: 8192, isTold: false },
  { tokens: 4096, isTold: false },
])(
  'a long talk of long texts ends no turn in a window of %o, and a log tells what is sent',
  async ({ tokens, isTold }) => {
    using home = new Home();
    const random = numbersFrom(tokens);
    const talk = talker(random);
    await using model = startModelServer({
      script: Array.from({ length: TURNS * 20 }, () => talk),
      window: { tokens, silent: true },
    });
    for (let at = 0; at < 5; at += 1)
      writeFileSync(join(home.work, `file${at}`), 'a line of text\n'.repeat(50 + at * 300));
    const local = { base_url: model.url, model: 'scripted', ...(isTold ? { context: tokens } : {}) };
    const config: Config = { ...DEFAULT_CONFIG, models: { local } };
    const paths = toPaths(home.env);
    const runtimeFolder = () => join(home.root, 'run');
    const engine = new Engine({ config, paths, env: home.env, cwd: home.work, runtimeFolder });
    const { session } = await engine.open({ cwd: home.work, settings: { ...toSettings(config), approve: 'all' } });
    for (let turn = 0; turn < TURNS; turn += 1) {
      const words = random(5) === 0 ? random(1500) : 10;
      await session.submit({ type: 'send', text: `question ${turn} ${'word '.repeat(words)}` });
      await session.idle();
    }
    const facts = session.recorded.map(({ event }) => event);
    const ends = facts.flatMap((event) => (event.type === 'turn.ended' ? [event.reason] : []));
    const refused = model.requests.filter(({ body }) => countTokens(body) > tokens).length;
    expect([ends.filter((reason) => reason !== 'completed'), ends.length, model.failures]).toEqual([[], TURNS, []]);
    expect(refused).toBeLessThanOrEqual(isTold ? 0 : 1);
    expect(facts.some(({ type }) => type === 'context.compacted')).toBe(true);
    const options = {
      frame: { os: '', shell: '', cwd: '' },
      wireName: String,
      outputBudget: 4000,
    } as const;
    expect(toMessages(fold(facts), options)).toEqual(toMessages(session.state, options));
    await engine.close();
  },
  120_000,
);

test('in a window of 4,096 tokens fewer than one request in eight is for a summary, and it reuses the prompt before it', async () => {
  using home = new Home();
  const random = numbersFrom(7);
  let at = 0;
  const talk: Answer = ({ body }) => {
    if (body.messages.some(({ content }) => String(content).includes('Write the notes')))
      return text(`## Goal\n${'note '.repeat(60)}`);
    at += 1;
    if (at % 2 === 1) return calls({ name: 'aish__read_file', arguments: { path: `file${at % 5}` } });
    return text('answer word '.repeat(10 + random(40)));
  };
  await using model = startModelServer({ script: Array.from({ length: 200 }, () => talk) });
  for (const file of [0, 1, 2, 3, 4])
    writeFileSync(join(home.work, `file${file}`), 'a line of some text here\n'.repeat(60));
  const local = { base_url: model.url, model: 'scripted', context: 4096 };
  const config: Config = { ...DEFAULT_CONFIG, models: { local } };
  const runtimeFolder = () => join(home.root, 'run');
  const engine = new Engine({ config, paths: toPaths(home.env), env: home.env, cwd: home.work, runtimeFolder });
  const { session } = await engine.open({ cwd: home.work, settings: { ...toSettings(config), approve: 'all' } });
  for (let turn = 0; turn < 31; turn += 1) {
    await session.submit({ type: 'send', text: `question ${turn} ${'word '.repeat(random(20))}` });
    await session.idle();
  }
  await engine.close();
  const bodies = model.requests.map(({ body }) => JSON.stringify(body.messages));
  const summaries = bodies.flatMap((body, index) => (body.includes('Write the notes') ? [index] : []));
  expect(summaries.length).toBeGreaterThan(0);
  expect(summaries.length).toBeLessThan(bodies.length / 8);
  // The conversation stands unchanged before the request for the notes, unless a compaction has just cut its texts.
  const reused = summaries.filter((index) => bodies[index]?.startsWith(bodies[index - 1]?.slice(0, -2) ?? ''));
  expect(reused.length).toBeGreaterThan(summaries.length / 2);
  expect([Math.max(...model.requests.map(({ body }) => countTokens(body))) <= 4096, model.failures]).toEqual([
    true,
    [],
  ]);
}, 60_000);
