/** One word that fish and bash read alike: bare letters, or quotes in which neither expands anything. */
const WORD = String.raw`(?:[\w./,:=+@-]|(?<![\w./,:=+@'"*-])~(?=[\s/;|&]|$)|(?<!\*)\*(?!\*)|'[^'\\]*'|"[^"\\$\x60]*")+`;
const TARGET = String.raw`(?:\d?>>?|<)[ \t]*${WORD}|\d?>&\d`;
const SIMPLE = String.raw`[ \t]*${WORD}(?:[ \t]+(?:${TARGET}|${WORD}))*[ \t]*`;
const LINE = new RegExp(String.raw`^${SIMPLE}(?:(?:\|(?!\|)|\|\||&&|;)${SIMPLE})*;?\s*$`);

/** Commands that mean another thing in fish, or run their words. */
const OTHER: ReadonlySet<string> = new Set(
  `set read test [ export eval exec source . alias unset unalias declare typeset local readonly function return break continue shift
  trap if then else elif fi for while until do done case esac select begin end switch and or not time builtin command type abbr bind
  complete commandline emit functions string math argparse count contains status path random fg bg wait disown kill jobs umask ulimit
  history fc hash getopts let shopt enable pushd popd dirs suspend caller help mapfile readarray`.split(/\s+/),
);

/**
 * True for a line that fish may understand otherwise than bash, whose grammar lines are classified by. Only simple commands of plain words
 * are alike: variables, substitutions, braces, blocks and comments are not, and neither are assignments or commands of the shell itself.
 */
export function mayDifferInFish(line: string): boolean {
  if (line.length > LONGEST || !LINE.test(line)) return true;
  return line.split(/[|&;]+/).some((command) => {
    const first = /^\s*(\S+)/.exec(command)?.[1];
    return first !== undefined && (OTHER.has(first) || /[='"*~]/.test(first));
  });
}

/** A longer line is none that somebody would call simple. */
const LONGEST = 2000;
