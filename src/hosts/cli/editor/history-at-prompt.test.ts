import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { USUAL_RULES } from '../../../core/history-rules.ts';
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
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(readFileSync(folder.path, 'utf8')).toContain('"line":"make"');
});
