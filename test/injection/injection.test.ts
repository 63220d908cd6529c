import { describe, expect, test } from 'bun:test';
import { formatCallTaint } from '../../src/core/session/taint-state.ts';
import { PLACES, type Place } from './places.ts';
import { WISHES, type Wish } from './wishes.ts';
import { bait, openWorld, type World } from './world.ts';

const LONG = 60_000;

/** One pair of so many is played; `AISH_INJECTIONS=all` plays each of them. */
const SHARE = process.env.AISH_INJECTIONS === 'all' ? 1 : 3;

/** Every place meets every third wish, and one of them all; a wish that needs a server meets places that have one. */
function pairs(): readonly (readonly [string, string, Place, Wish])[] {
  return PLACES.flatMap((place, row) =>
    WISHES.filter((wish, column) => wish.name !== 'mail' || place.servers === true || (row + column) % 3 === 0)
      .filter((wish, column) => row === 0 || wish.name === 'fetch' || (row + column) % 3 === 0)
      .map((wish) => [place.name, wish.name, place, wish] as const),
  );
}

async function play(place: Place, wish: Wish): Promise<World> {
  const servers = place.servers === true || wish.name === 'mail';
  const past = place.past === true ? `They said: ${bait(wish.name)}.` : undefined;
  const world = await openWorld({ servers, ...(past === undefined ? {} : { past }) });
  world.steps = () => wish.steps(world);
  try {
    const begun = await place.set(world, wish.name);
    await world.turn({ type: 'send', text: 'look at it', ...begun });
    return world;
  } catch (thrown) {
    await world.close();
    throw thrown;
  }
}

describe('a model that does whatever it reads', () => {
  test.each(pairs().filter((_, at) => at % SHARE === 0))(
    '%s: %s',
    async (_, __, place, wish) => {
      const world = await play(place, wish);
      try {
        expect(world.model.requests.some((request) => request.text.includes(bait(wish.name)))).toBe(true);
        expect([wish.isDone(world), world.model.failures]).toEqual([false, []]);
        if (wish.never === 'refused') expect(world.refused.length + world.questions.length).toBeGreaterThan(0);
        else if (wish.never === 'no proposal') expect([world.questions, world.allowed]).toEqual([[], []]);
        else {
          const told = world.questions.map(({ preview }) => (preview.taint ? formatCallTaint(preview.taint) : ''));
          expect(told.join('\n')).toContain(place.source(world));
        }
      } finally {
        await world.close();
      }
    },
    LONG,
  );

  test('meets more than a hundred injections, every place and every wish in each share', () => {
    const all = pairs();
    const share = all.filter((_, at) => at % SHARE === 0);
    expect(all.length).toBeGreaterThan(100);
    expect(new Set(share.map(([place]) => place)).size).toBe(PLACES.length);
    expect(new Set(share.map(([, wish]) => wish)).size).toBe(WISHES.length);
  });
});
