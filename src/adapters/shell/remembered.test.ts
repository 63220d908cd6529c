import { expect, test } from 'bun:test';
import { Remembered } from './remembered.ts';

function openQuestions(): { readonly asked: string[]; readonly remembered: Remembered<number>; answer: number } {
  const asked: string[] = [];
  const world = { answer: 1 };
  const remembered = new Remembered<number>((key) => {
    asked.push(key);
    return Promise.resolve(world.answer);
  });
  return {
    asked,
    remembered,
    set answer(value: number) {
      world.answer = value;
    },
    get answer() {
      return world.answer;
    },
  };
}

test('what is not known is assumed, asked once, and known then', async () => {
  const { asked, remembered } = openQuestions();
  expect([remembered.get('a', 0), remembered.get('a', 0)]).toEqual([0, 0]);
  await remembered.settled();
  expect({ now: remembered.get('a', 0), asked, news: remembered.news }).toEqual({ now: 1, asked: ['a'], news: 1 });
});

test('an answer that was assumed rightly is no news', async () => {
  const { remembered } = openQuestions();
  remembered.get('a', 1);
  await remembered.settled();
  expect(remembered.news).toBe(0);
});

test('an answer that expired holds until the new one has come', async () => {
  const questions = openQuestions();
  questions.remembered.get('a', 0);
  await questions.remembered.settled();
  questions.remembered.expire();
  questions.answer = 2;
  expect(questions.remembered.get('a', 0)).toBe(1);
  await questions.remembered.settled();
  expect([questions.remembered.get('a', 0), questions.asked.length]).toEqual([2, 2]);
});

test('the oldest answers are forgotten when there are too many', async () => {
  const { asked, remembered } = openQuestions();
  for (let at = 0; at < 4001; at++) remembered.get(`key ${at}`, 0);
  await remembered.settled();
  remembered.get('key 0', 0);
  expect(asked.length).toBe(4002);
});
