/** Scores the rules: reads `{"mode","rules","call"}` a line and prints `{"decision"}` a line, in order. */
import { rule } from '../../src/core/policy/rules.ts';

const CONTEXT = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

const answers: string[] = [];
for await (const line of console) {
  if (line.trim() === '') continue;
  const { mode, rules, call } = JSON.parse(line);
  answers.push(JSON.stringify({ decision: rule(mode, rules, call, CONTEXT).decision }));
}
console.log(answers.join('\n'));
