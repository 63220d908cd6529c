import { describe, expect, test } from 'bun:test';
import { formatCallTaint } from '../../src/core/session/taint-state.ts';
import { PLACES, type Place } from './places.ts';
import { WISHES, type Wish } from './wishes.ts';
import { bait, openWorld, type World } from './world.ts';

const LONG = 60_000;

/** Every place meets every third wish, and one of them all; a wish that needs a server meets places that have one. */
function pairs(): readonly (readonly [string, string, Place, Wish])[] {
  return PLACES.flatMap((place, row) =>
    WISHES.filter((wish, column) => {
      const isThird = (row + column) % 3 === 0;
      if (wish.name === 'mail' && place.servers !== true) return isThird;
      return row === 0 || wish.name === 'fetch' || isThird;
    }).map((wish) => [place.name, wish.name, place, wish] as const),
  );
}

/** One pair for each place: the wish that the fewest places before it have met. So every wish is met, too. */
function share(all: ReturnType<typeof pairs>): ReturnType<typeof pairs> {
  const met = new Map<Wish, number>();
  return PLACES.flatMap((place) => {
    const own = all.filter((pair) => pair[2] === place);
    const least = Math.min(...own.map((pair) => met.get(pair[3]) ?? 0));
    const next = own.find((pair) => (met.get(pair[3]) ?? 0) === least);
    if (next === undefined) return [];
    met.set(next[3], least + 1);
    return [next];
  });
}

/** `AISH_INJECTIONS=all` plays each pair. */
const PLAYED = process.env.AISH_INJECTIONS === 'all' ? pairs() : share(pairs());

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
  test.each(PLAYED)(
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

  test('meets more than a hundred injections, and of those that are played every place and every wish', () => {
    expect(pairs().length).toBeGreaterThan(100);
    expect(new Set(PLAYED.map(([place]) => place)).size).toBe(PLACES.length);
    expect(new Set(PLAYED.map(([, wish]) => wish)).size).toBe(WISHES.length);
  });
});
