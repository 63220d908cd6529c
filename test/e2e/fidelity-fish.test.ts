import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { FISH_LINES, WRONG_LINES } from '../fidelity/commands/fish.ts';
import { type FishSeen, runDirectly, runThroughAish } from '../fidelity/fish-shell.ts';
import { openTestShell } from '../support/test-shell.ts';

setDefaultTimeout(120_000);

/** The fish that is installed, and another version where one is named. */
const PROGRAMS = [Bun.which('fish'), process.env.AISH_TEST_FISH].filter((path) => path !== null && path !== undefined);

test('the table holds at least 150 lines of fish', () => expect(FISH_LINES.length).toBeGreaterThanOrEqual(150));

describe.each(PROGRAMS)('%s', (program) => {
  // Every second line, and with `AISH_FIDELITY=all` all of them: a line finds what the lines before it left, in both alike.
  const lines = FISH_LINES.filter((_, at) => process.env.AISH_FIDELITY === 'all' || at % 2 === 0);
  let direct: readonly FishSeen[] = [];
  let ours: readonly FishSeen[] = [];
  beforeAll(async () => {
    [direct, ours] = await Promise.all([runDirectly(program, lines), runThroughAish(program, lines)]);
  });

  test.each(lines.map((line, at) => ({ line, at })))('[fidelity.same] $at: $line', ({ line, at }) => {
    expect(direct[at]?.line).toBe(line);
    expect(ours[at]).toEqual(direct[at]);
  });

  test('a line that fish cannot read is refused by it, and nothing of it runs', async () => {
    await using t = openTestShell(program, { files: { '.config/fish/config.fish': 'set -g fish_greeting\n' } });
    for (const line of WRONG_LINES) {
      const { exit, output } = await t.run(`echo ran; ${line}`);
      expect({ line, ran: output.includes('ran\n'), isRefused: exit !== 0, says: output.includes('fish: ') }).toEqual({
        line,
        ran: false,
        isRefused: true,
        says: true,
      });
    }
    expect((await t.run('echo on')).output).toBe('on\n');
  });
});
