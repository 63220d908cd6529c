// Scores predictions of lines by their real effects: prints each line that is not predicted exactly, then a table by kind.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { formatUnexplained } from '../../src/core/policy/messages.ts';
import { estimateImpact } from '../support/estimate-impact.ts';
import { formatScores, readTruthLines, scoreLine, strayPaths } from '../support/impact-score.ts';
import { createImpactTree } from '../support/impact-tree.ts';
import { TreeCopy } from '../support/impact-truth.ts';

using tree = createImpactTree();
using copy = new TreeCopy(tree);
const scored: { kind: string; score: ReturnType<typeof scoreLine> }[] = [];
for (const line of readTruthLines()) {
  const cwd = join(tree.project, line.cwd ?? '');
  const context = { cwd, project: tree.project, home: tree.home };
  const told = await estimateImpact(line.line, context, new AbortController().signal);
  const truth = await copy.run(line.line, cwd);
  const score = scoreLine(line, told, truth, tree.base);
  scored.push({ kind: line.kind, score });
  const lost = (line.hosts ?? []).filter((host) => !told.hosts.some((named) => named.includes(host)));
  if (lost.length > 0) writeSync(1, `host lost: ${JSON.stringify(line.line)} ${JSON.stringify(told.hosts)}\n`);
  if (score === 'exact' || score === 'not-here') continue;
  if (score === 'unknown' && line.expect !== 'known' && line.expect !== 'nothing') continue;
  if (score === 'other-paths') writeSync(1, `stray: ${strayPaths(told, truth, tree.base).join(' ')}\n`);
  const short = told.effects.map(
    ({ kind, files, folders, bytes, maybe }) => `${kind} ${files}+${folders} ${bytes}B${maybe ? '?' : ''}`,
  );
  const real = `-${truth.deleted.length} +${truth.created.length} ~${truth.changed.length}`;
  writeSync(
    1,
    `${score}: ${JSON.stringify(line.line)}\n    told ${short.join(', ')} | ${[...(told.unexplained ?? []).map(formatUnexplained), ...told.unknown].join('; ')} | ${told.notes.join('; ')}\n    real ${real}\n`,
  );
}
writeSync(1, `${formatScores(scored)}\n`);
