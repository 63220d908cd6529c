import { expect, test } from 'bun:test';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { TurnFacts } from '../../protocol/model.ts';
import type { ModelOption, Settings } from '../../protocol/settings.ts';
import { chooseModel, parseAddressed } from './model-choice.ts';
import { toSettings } from './settings.ts';

const EASY: TurnFacts = { characters: 20, files: 0, calls: 0, failures: 0 };
const USUAL: TurnFacts = { ...EASY, characters: 400 };
const HARD: TurnFacts = { characters: 1000, files: 1, calls: 2, failures: 1 };

function choose(facts: TurnFacts, models: readonly ModelOption[], more: Partial<Settings> = {}) {
  return chooseModel(facts, { ...toSettings(DEFAULT_CONFIG), models, ...more });
}

const LOCAL: readonly ModelOption[] = [{ name: 'usual' }, { name: 'small', role: 'fast' }, { name: 'big', role: 'deep' }];

test('an easy message goes to the fast model, a difficult one to the deep model, others to the usual one', () => {
  expect([EASY, USUAL, HARD].map((facts) => choose(facts, LOCAL).model)).toEqual(['small', 'usual', 'big']);
});

test('each fact counts once, and the score says which facts made it', () => {
  expect(choose(HARD, LOCAL).choice).toEqual({
    score: 6,
    points: { characters: 2, files: 1, calls: 1, failures: 2 },
    role: 'deep',
  });
});

test('without a model for the role the usual one answers', () => {
  expect([EASY, HARD].map((facts) => choose(facts, [{ name: 'only' }]).model)).toEqual(['only', 'only']);
});

test('a cloud model stands in for a missing deep one, but only with permission', () => {
  const models: readonly ModelOption[] = [{ name: 'usual' }, { name: 'claude', role: 'cloud', isCloud: true }];
  const held = choose(HARD, models);
  expect([held.model, held.choice.isHeldBack]).toEqual(['usual', true]);
  const allowed = choose(HARD, models, { cloud: true });
  expect([allowed.model, allowed.choice.isHeldBack]).toEqual(['claude', undefined]);
});

test('from one cloud model to another no permission is needed', () => {
  const models: readonly ModelOption[] = [
    { name: 'gpt', isCloud: true },
    { name: 'claude', role: 'deep', isCloud: true },
  ];
  expect(choose(HARD, models).model).toBe('claude');
});

test('a message is for one model if it begins with the name of a configured one', () => {
  const names = ['claude', 'local'];
  expect(parseAddressed('@claude why?\nreally', names)).toEqual({ model: 'claude', text: 'why?\nreally' });
  const others = ['@claude', '@README.md sum up', 'ask @claude', '@claudia hello', 'claude why'];
  expect(others.map((text) => parseAddressed(text, names))).toEqual(others.map(() => null));
});
