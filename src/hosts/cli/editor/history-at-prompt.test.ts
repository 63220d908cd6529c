import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../../test/support/until.ts';
import { USUAL_RULES } from '../../../core/prompt/history-index.ts';
import { PromptHistory } from './history-at-prompt.ts';

function inFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'aish-history-'));
  const path = join(folder, 'history.jsonl');
  const options = { path, rules: USUAL_RULES, maxLines: 1000, session: 's', cwd: '/w', now: () => 1000 };
  const end = (): void => rmSync(folder, { recursive: true });
  return { history: new PromptHistory(options), path, end, [Symbol.dispose]: end };
}

test('a line that is noted is not on the disk at once, and there with its end when the history is asked for it', () => {
  using folder = inFolder();
  const end = folder.history.note({ line: 'make', route: 'command', cwd: '/w' });
  end({ exit: 2, durationMs: 5 });
  const before = existsSync(folder.path);
  const [entry] = folder.history.entries();
  expect([before, entry?.line, entry?.exit]).toEqual([false, 'make', 2]);
  expect(folder.history.commands()).toEqual(['make']);
});

test('what is noted is written by itself a moment later', async () => {
  using folder = inFolder();
  folder.history.note({ line: 'make', route: 'command', cwd: '/w' });
  await until({ what: 'the history on the disk' }, () => existsSync(folder.path));
  expect(readFileSync(folder.path, 'utf8')).toContain('"line":"make"');
});

test('a secret is not on the disk, in this terminal the line is as it was typed, and another one has the placeholder', () => {
  using folder = inFolder();
  const { history, path } = folder;
  history.cover((line) => line.replaceAll('zebra-zebra', '⟨secret:API_TOKEN⟩'));
  history.note({ line: 'export API_TOKEN=zebra-zebra', route: 'command', cwd: '/w' });
  expect(history.commands()).toEqual(['export API_TOKEN=zebra-zebra']);
  expect(readFileSync(path, 'utf8')).not.toContain('zebra');
  const other = new PromptHistory({ path, rules: USUAL_RULES, maxLines: 1000, session: 'o', cwd: '/w' });
  expect(other.commands()).toEqual(['export API_TOKEN=⟨secret:API_TOKEN⟩']);
});

test('of lines from elsewhere too only the placeholder is stored', () => {
  using folder = inFolder();
  folder.history.cover((line) => line.replaceAll('zebra-zebra', '⟨secret:K⟩'));
  const from = { number: 0, id: '', at: 1, cwd: '', route: 'command', who: 'user', session: '' } as const;
  folder.history.merge(['ls', 'x zebra-zebra'].map((line) => ({ ...from, line, exit: null, durationMs: null })));
  expect(folder.history.entries().map(({ line }) => line)).toEqual(['ls', 'x ⟨secret:K⟩']);
});

test('a line of others is known for as long as the terminal lasts, and stored nowhere', () => {
  using folder = inFolder();
  const { history, path } = folder;
  history.hear({ line: 'make love', route: 'command', cwd: '/w', at: 1 });
  history.hear({ line: ' hidden', route: 'command', cwd: '/w', at: 2 });
  expect([history.commands(), history.suggest('make')]).toEqual([['make love'], ' love']);
  expect(existsSync(path)).toBe(false);
});

test('a line of others that the store has already is no newer for that', () => {
  using folder = inFolder();
  const { history } = folder;
  history.begin({ line: 'first', route: 'command', cwd: '/w' });
  history.begin({ line: 'second', route: 'command', cwd: '/w' });
  history.hear({ line: 'first', route: 'command', cwd: '/w', at: 3 });
  expect(history.commands()).toEqual(['first', 'second']);
});

test('no key waits for a long store, and what it holds is suggested as soon as it is read', async () => {
  using folder = inFolder();
  const row = (at: number) => JSON.stringify({ line: `make part-${at}`, at, cwd: '/w', route: 'command', who: 'user' });
  writeFileSync(folder.path, `${Array.from({ length: 20_000 }, (_, at) => row(at)).join('\n')}\n`);
  const early = folder.history.suggest('make part-1234');
  await folder.history.load();
  expect([early, folder.history.suggest('make part-1999')]).toEqual(['', '9']);
});

test('a search for a line of earlier loads with its first use', () => {
  using folder = inFolder();
  folder.history.note({ line: 'make love', route: 'command', cwd: '/w' });
  expect(folder.history.search('lo').found?.text).toBe('make love');
});
