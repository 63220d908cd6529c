import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Overlay, sweepViews } from './overlay.ts';

test('what a killed process left goes, next to the project too, and what is in use stays', async () => {
  const root = mkdtempSync(join(tmpdir(), 'sweep-test-'));
  try {
    const [project, views] = [join(root, 'project'), join(root, 'views')];
    const stage = join(project, '.aish-applies-x1');
    mkdirSync(stage, { recursive: true });
    const left = join(views, 'view-left');
    mkdirSync(join(left, 'upper', 'closed'), { recursive: true, mode: 0o700 });
    writeFileSync(join(left, 'stage'), stage);
    const used = await Overlay.lay('copy', project, views);
    await sweepViews(views);
    expect([existsSync(stage), existsSync(left), readdirSync(views).length]).toEqual([false, false, 1]);
    await used.close();
    expect(readdirSync(views)).toEqual([]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
