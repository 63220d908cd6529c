import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, useGitHome, useRepository } from '../../../../test/support/git-place.ts';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import { PlaceAtPrompt } from './place-at-prompt.ts';

let cwd = '';
useRepository(useGitHome('place-at-prompt', ADA), (path) => {
  cwd = path;
});

test('a change of files by the model or by an undo is in the prompt, and other events read nothing', async () => {
  const ending = new AbortController().signal;
  const place = new PlaceAtPrompt({ env: {}, theme: () => PLAIN_THEME, changed: () => {}, ending });
  const isUntracked = (): boolean => place.repositoryAt(cwd)?.endsWith(' ?') === true;
  await place.take({ type: 'restore.completed', checkpoint: 'c1' }, cwd);
  expect(place.repositoryAt(cwd)).toBeNull();
  await place.refresh(cwd);
  writeFileSync(join(cwd, 'new'), '');
  await place.take({ type: 'turn.ended', reason: 'completed' }, cwd);
  expect(isUntracked()).toBe(false);
  await place.take({ type: 'checkpoint.finalized', id: 'c1' }, cwd);
  expect(isUntracked()).toBe(true);
});
