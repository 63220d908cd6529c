import { expect, test } from 'bun:test';
import { locate } from '../../core/commands/place.ts';
import { HOME_FILES } from './secret-paths.ts';

test('every file whose values are read as secrets is a secret to the gate, too', () => {
  const context = { project: '/home/ann/shop', home: '/home/ann' };
  const open = HOME_FILES.filter(({ name }) => !locate(`/home/ann/${name}`, context.project, context).isSecret);
  expect(open.map(({ name }) => name)).toEqual(['.gitconfig']);
});
