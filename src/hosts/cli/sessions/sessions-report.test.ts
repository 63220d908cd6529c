import { expect, test } from 'bun:test';
import type { ListedSession } from '../../../adapters/store/session-index.ts';
import { formatListed } from './sessions-report.ts';

const session: ListedSession = {
  id: 'mwr1wnep68f3',
  path: '',
  cwd: '/home/ada/site',
  createdAt: 0,
  changedAt: 1000,
  name: 'mend the build of the site',
  firstText: null,
  firstCommand: null,
  turns: 2,
  bytes: 1,
};
const view = { now: 61_000, redact: (text: string) => text };

test('a list is a table where it fits, and else tells what a session is called under its facts', () => {
  expect([formatListed([session], view), formatListed([session], { ...view, columns: 50 }).split('\n')]).toEqual([
    'mwr1wnep68f3  1 min ago  2 turns  /home/ada/site  mend the build of the site',
    ['mwr1wnep68f3  1 min ago  2 turns  /home/ada/site', '    mend the build of the site'],
  ]);
  const narrow = formatListed([session], { ...view, columns: 30 }).split('\n');
  expect(narrow).toEqual(['mwr1wnep68f3  1 min ago  2 tu…', '    mend the build of the site']);
});
