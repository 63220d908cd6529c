import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { classifyLine } from './classify-line.ts';

/*
 * Lines written from the definitions of the classes by somebody who had not seen this code, and before it was run on them.
 * The first scores: of the 520 of the definitions no grave line ran, and 189 of 193 harmless and 82 of 83 plain changes did;
 * of the 320 adversarial ones one of 210 grave lines ran (a variable named FLAGS), and all 65 harmless ones did.
 */
/*
 * The lines of `red-team` were written against this code, by an author who read it: of the first 280 that needed an approval, 190 ran. They
 * are kept so that none of them runs again, and that the everyday lines among them do.
 */

/*
 * The lines of `proof` were written from the definitions of the classes before any spec was read. The first scores: of the first 536 that
 * need an approval 4 ran (a task with another registry), and 342 of 359 harmless ones did. In `proof-again`, written after the first were
 * mended, none of 272 ran, and 247 of 262 harmless ones did.
 */

/*
 * The lines of `independent` were written from the definitions, too, by somebody who saw no line of this code. Class and decision of all
 * 355 were right at the first run.
 */

/*
 * The lines of `starters` stand for the families of programs that start others, with what each of them must be, class and all.
 */

interface Row {
  readonly cmd: string;
  /** Given for `starters` and `independent`. */
  readonly class?: string;
  readonly decision: 'allow' | 'ask' | 'deny';
}

const CONTEXT = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

function read(name: string): readonly Row[] {
  const text = readFileSync(new URL(`../../../test/fixtures/safety/${name}.jsonl`, import.meta.url), 'utf8');
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line)]));
}

function decide(row: Row): string {
  return classifyLine(row.cmd, CONTEXT).decision;
}

test.each(['definitions', 'adversarial', 'red-team', 'starters', 'proof', 'proof-again'])(
  'no line of %s that must be asked runs',
  (name) => {
    const ran = read(name).filter((row) => row.decision !== 'allow' && decide(row) === 'allow');
    expect(ran.map((row) => row.cmd)).toEqual([]);
  },
);

test.each(['definitions', 'adversarial', 'red-team', 'proof', 'proof-again'])('at least 98 % of the harmless lines of %s run', (name) => {
  const harmless = read(name).filter((row) => row.decision === 'allow');
  const asked = harmless.filter((row) => decide(row) !== 'allow').map((row) => row.cmd);
  expect(asked.length / harmless.length).toBeLessThanOrEqual(0.02);
});

test.each(['starters', 'independent'])('each line of %s has its class and decision', (name) => {
  const wrong = read(name).flatMap((row) => {
    const { class: kind, decision } = classifyLine(row.cmd, CONTEXT);
    return kind === row.class && decision === row.decision ? [] : [`${row.cmd}: ${kind} ${decision}`];
  });
  expect(wrong).toEqual([]);
});

test('nine of ten lines that must be refused are refused, and the others asked', () => {
  const refused = read('definitions').filter((row) => row.decision === 'deny');
  expect(refused.filter((row) => decide(row) === 'deny').length / refused.length).toBeGreaterThanOrEqual(0.9);
});
