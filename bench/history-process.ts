// Reads a store of history in a process that has done nothing before, and tells how long that took and what memory it cost.
import { heapStats } from 'bun:jsc';
import { writeSync } from 'node:fs';
import { PromptHistory } from '../src/hosts/cli/editor/history-at-prompt.ts';

const path = process.argv[2] ?? '';
const rules = { ignore: [], duplicates: 'ignore' } as const;
const history = new PromptHistory({ path, rules, maxLines: 10_000, session: 'bench', cwd: '/home/me/project-1' });
Bun.gc(true);
const before = heapStats().heapSize;
const begun = performance.now();
const { size } = history;
const loadMs = performance.now() - begun;
Bun.gc(true);
const mib = (heapStats().heapSize - before) / 2 ** 20;
writeSync(1, JSON.stringify({ size, loadMs, mib }));
