import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { below, type Canary, CanarySearch, type Find, oneOf, randomFrom } from '../../../test/support/canaries.ts';
import { ENCODINGS, inPieces } from '../../../test/support/encodings.ts';
import { type ModelServer, startModelServer, streamed } from '../../../test/support/model-server.ts';
import { plantSecrets } from '../../../test/support/planted-secrets.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { OutputRecord } from '../../adapters/shell/record.ts';
import { toSettings } from '../../core/session/settings.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { Engine, LiveSession } from '../session/engine.ts';

/*
 * Again and again a secret of its place, in one of its forms and in pieces of random lengths, goes all ways into a session: as a message,
 * as an answer that streams, and as the output of a command. Nothing of it may come out: in an event, a request, or a file.
 */

/** One session of the twenty goes with every run; a nightly run sets this variable to 20, and sees a thousand secrets. */
const SESSIONS = Number(process.env.AISH_SECRET_SESSIONS ?? 1);
/** The first seed; each session has one of its own, so that one that failed can be run alone. */
const SEED = Number(process.env.AISH_SECRET_SEED ?? 0x5ec2e7);
const TURNS = 50;
const FILLER = 'lorem ipsum dolor sit amet consetetur 4711 0xdeadbeef\n';

const openEngine = useEngines();

interface Place {
  readonly home: Home;
  readonly model: ModelServer;
  readonly engine: Engine;
  readonly canaries: readonly Canary[];
}

function openPlace(random: () => number): Place {
  const home = new Home();
  const model = startModelServer();
  const { canaries, env } = plantSecrets(home, random);
  // Those that are known from the start, before anything is read.
  const planted = canaries.filter(({ name }) => !/^(typed|config|read|below)/.test(name));
  const engine = openEngine({
    home,
    config: { ...DEFAULT_CONFIG, models: { local: { base_url: model.url, model: 'scripted' } } },
    env: { ...home.env, ...env },
    servers: [model],
  });
  return { home, model, engine, canaries: planted };
}

/** A secret in one of its forms, with other text around it. */
function disguise(random: () => number, canaries: readonly Canary[]): { readonly text: string; readonly how: string } {
  const { name, value } = canaries[below(random, canaries.length)] ?? { name: '', value: '' };
  // Keys of many lines are not looked for in base32, which nobody writes them in.
  const encodings = ENCODINGS.filter((encoding) => !(name.startsWith('ssh key') && encoding.name === 'base32'));
  const encoding = oneOf(random, [ENCODINGS[0], ...encodings]);
  const before = FILLER.repeat(below(random, 3)) + FILLER.slice(below(random, FILLER.length));
  return { text: `${before}${encoding.encode(value, random)}\n${FILLER}`, how: `${name} as ${encoding.name}` };
}

/** Sends a text and has it answered by the same, in pieces. */
async function converse({ session }: LiveSession, model: ModelServer, text: string, pieces: readonly string[]) {
  model.play(streamed(pieces));
  const seen: string[] = [];
  const events = session.events(session.seq);
  await session.submit({ type: 'send', text });
  let streamedText = '';
  for await (const { event } of events) {
    seen.push(JSON.stringify(event));
    if (event.type === 'text.delta') streamedText += event.text;
    if (event.type === 'turn.ended') break;
  }
  return [...seen, streamedText].join('\n');
}

/** Passes on the output of a command, as the shell does. */
async function print({ session, outputs }: LiveSession, pieces: readonly string[]): Promise<void> {
  const output = outputs.begin();
  const kept = new OutputRecord(output.write);
  for (const piece of pieces) kept.add(Buffer.from(piece));
  const ran: CommandRecord = {
    line: 'true',
    driver: 'user',
    exit: 0,
    cwd: '/',
    ...kept.finish(outputs.redact),
    durationMs: 1,
  };
  session.record({ type: 'command.completed', record: await output.finish(ran) });
}

for (let seed = SEED; seed < SEED + SESSIONS; seed += 1)
  test(`${TURNS} secrets in random forms and pieces come out of a session nowhere (seed ${seed})`, async () => {
    const random = randomFrom(seed);
    const { home, model, engine, canaries } = openPlace(random);
    const search = new CanarySearch(canaries);
    const finds: (Find & { readonly how?: string })[] = [];
    const changed: string[] = [];
    let before = '';
    const live = await engine.open({ cwd: home.work, settings: toSettings(DEFAULT_CONFIG) });
    for (let turn = 0; turn < TURNS; turn += 1) {
      const { text, how } = disguise(random, canaries);
      const padding = FILLER.repeat(turn % 10 === 0 ? 800 : 0);
      await print(live, inPieces(random, padding + text + padding, turn % 10 === 0 ? 3000 : 12));
      const told = await converse(live, model, text, inPieces(random, text, 12));
      const request = model.requests.at(-1)?.text ?? '';
      // A server reads the same text again as before, so that it can go on from there.
      const messages = JSON.stringify(model.requests.at(-1)?.body.messages).slice(0, -1);
      if (!messages.startsWith(before)) changed.push(how);
      before = messages;
      finds.push(...search.in(told, 'events').map((find) => ({ ...find, how })));
      finds.push(...search.in(request.slice(-60_000), 'request').map((find) => ({ ...find, how })));
    }
    await live.session.close();
    finds.push(...search.inFolder(join(home.root, 'state')));
    expect([finds, changed, model.failures]).toEqual([[], [], []]);
  }, 120_000);
