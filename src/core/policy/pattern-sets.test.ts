import { expect, test } from 'bun:test';
import { ruleLine } from './rules.ts';

const CONTEXT = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

/** Sets that a shell reads otherwise than in lower case and without quotes, each for the last letter of a name. */
const SETS: readonly ((letter: string) => string)[] = [
  (letter) => `[${letter}]`,
  (letter) => `[!${letter.toUpperCase()}]`,
  (letter) => `[^${letter.toUpperCase()}]`,
  () => '[!A-Z]',
  (letter) => `[Z-${letter}]`,
  (letter) => `[${letter}"]"]`,
  (letter) => `["]"${letter}]`,
  (letter) => `[]${letter}]`,
  (letter) => `[[${letter}]`,
  () => '[[:lower:]]',
  () => '[![:upper:]]',
];

const decide = (line: string) => {
  const { decision, hardDenials } = ruleLine('autonomous', { approve: ['cat', 'tee', 'cp'], ask: [], deny: [] }, line, CONTEXT);
  return hardDenials.length > 0 ? 'denied' : decision;
};

test.each(SETS.map((set) => [set('x'), set]))('a set such as %s hides no guarded path and no secret', (_, set) => {
  for (const path of ['.git/config', '.git/hooks/pre-commit', '~/.bashrc', '~/.ssh/authorized_keys', '~/.config/aish/config.toml'])
    for (const part of path.split('/').filter((one) => one !== '~')) {
      const name = part.slice(0, -1) + set(part.slice(-1));
      const line = `tee ${path
        .split('/')
        .map((one) => (one === part ? name : one))
        .join('/')}`;
      expect([line, decide(line)]).toEqual([line, 'denied']);
    }
  for (const line of [`cat .en${set('v')}`, `cat ~/.aw${set('s')}/credentials`]) expect([line, decide(line)]).toEqual([line, 'ask']);
});

test('a set in other names asks no more than before', () => {
  for (const line of ['cat [0-9]*.log', 'cat src/[a-z]*.ts', 'cat file[!3].txt', 'tee notes[12].txt', 'cat data[[:digit:]].csv'])
    expect([line, decide(line)]).toEqual([line, 'allow']);
});
