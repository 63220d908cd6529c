/**
 * Scores the gate: reads `{"cmd"}` a line and prints `{"class","decision"}` a line, in order, for a line that would run in a
 * project below the home directory with no rule of the user and nobody watching.
 */
import { classifyLine } from '../../src/core/policy/classify-line.ts';

const CONTEXT = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

const answers: string[] = [];
for await (const line of console) {
  if (line.trim() === '') continue;
  const row: unknown = JSON.parse(line);
  const cmd = typeof row === 'object' && row !== null && 'cmd' in row && typeof row.cmd === 'string' ? row.cmd : '';
  const classification = classifyLine(cmd, CONTEXT);
  answers.push(JSON.stringify({ class: classification.class, decision: classification.decision }));
}
console.log(answers.join('\n'));
