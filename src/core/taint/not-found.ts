/** What came of a command. */
interface Ended {
  readonly exit?: number | null;
  readonly output?: string;
}

/** One call of a program of the path and nothing else: plain words, or such as quotes keep from meaning more. */
const PLAIN = /^\s*([\w.+-]+)(?:\s+(?:[\w@%+=:,./~^{}[\]?*-]|'[^']*'|"[^"$`\\]*")+)*\s*$/;

const NOT_FOUND = 127;
const LONGEST = 2048;

/** How shells, and what systems have them ask, say that there is no such program. `NAME` stands for it. */
const SAYS_SO: readonly RegExp[] = [
  /^$/,
  /^(?:[\w./-]*sh|aish)?:? ?(?:line \d+: )?NAME: (?:command )?not found(?:\.\.\.)?$/,
  /^(?:-?zsh(?::\d+)?: )?command not found: NAME$/,
  /^(?:Command 'NAME' not found|NAME: command not found)(?:, did you mean:|, but can be installed with:)?$/,
  /^ *command '[\w.+-]+' from (?:deb|snap) [\w.+-]+(?: \([\w.:~+-]+\))?$/,
  /^(?:Try|Ask your administrator to): (?:sudo )?(?:apt|snap) install <?[\w.+ -]+>?$/,
  /^(?:sudo )?(?:apt|snap) install [\w.+-]+(?: +# version [\w.:~+-]+(?:, or)?)?$/,
];

/** True for a word that is no program: nothing ran, and what was printed says no more than that. */
export function ranNothing(line: string, { exit, output = '' }: Ended): boolean {
  const name = exit === NOT_FOUND && output.length <= LONGEST ? PLAIN.exec(line)?.[1] : undefined;
  if (name === undefined) return false;
  return output.split('\n').every((row) => {
    const told = row.trim().replace(name, () => 'NAME');
    return SAYS_SO.some((form) => form.test(told));
  });
}
