import { expect, test } from 'bun:test';
import { hasProgram } from '../../../test/support/programs.ts';
import { openTestShell } from '../../../test/support/test-shell.ts';

const LINES = [
  ['bash', 'shopt -s dotglob; set -f', ['dotglob', 'noglob'], 'shopt -u dotglob; set +f'],
  ['zsh', 'setopt null_glob; unsetopt case_glob', ['nullglob'], 'unsetopt null_glob'],
] as const;

for (const [program, on, names, off] of LINES)
  test.skipIf(!hasProgram(program))(`the options that the user sets in ${program} are told at the prompt`, async () => {
    await using t = openTestShell(program);
    const told = async (line: string): Promise<readonly string[]> => {
      await t.run(line);
      await t.ready();
      await t.shell.lookups.settled();
      return names.filter((name) => t.shell.lookups.options.includes(name));
    };
    expect([await told(':'), await told(on), await told(off)]).toEqual([[], [...names], []]);
  });
