import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TrustStore } from '../config/trust.ts';
import { RunStore } from './run-store.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

test('a working copy has the trust of its project, for the same content, until it goes', () => {
  const root = mkdtempSync(join(tmpdir(), 'run-store-'));
  roots.push(root);
  const state = join(root, 'state/aish');
  const [trust, runs] = [new TrustStore(state), new RunStore(state)];
  trust.trust('/p/.aish/config.toml', 'mine');
  trust.trust('/p2/x', 'x');
  const limits = { steps: 1, minutes: 1, tokens: 1 };
  const contract = { goal: 'g', until: ['true'], only: ['.'], limits };
  const run = runs.begin({ contract, project: '/p', cwd: '', begunAt: 1, owner: 's', model: null, cloud: false });
  const look = (text: string) => trust.look(join(run.tree, '.aish/config.toml'), text).state;
  runs.trustCopy(run);
  expect([look('mine'), look('other'), trust.look(join(run.tree, 'x'), 'x').state]).toEqual([
    'trusted',
    'changed',
    'unknown',
  ]);
  runs.forget(run);
  expect([look('mine'), trust.look('/p/.aish/config.toml', 'mine').state]).toEqual(['unknown', 'trusted']);
});
