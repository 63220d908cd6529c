/** A word that fish and bash read alike: unquoted plain characters, or quotes in which neither shell expands anything. */
const WORD = String.raw`(?:[\w./,:=+@-]|(?<![\w./,:=+@'"*-])~(?=[\s/;|&]|$)|(?<!\*)\*(?!\*)|'[^'\\]*'|"[^"\\$\x60]*")+`;
const TARGET = String.raw`(?:\d?>>?|<)[ \t]*${WORD}|\d?>&\d`;
const SIMPLE = String.raw`[ \t]*${WORD}(?:[ \t]+(?:${TARGET}|${WORD}))*[ \t]*`;
const LINE = new RegExp(String.raw`^${SIMPLE}(?:(?:\|(?!\|)|\|\||&&|;)${SIMPLE})*;?\s*$`);

/** Commands that mean something else in fish, or that run their words. */
const OTHER: ReadonlySet<string> = new Set(
  `set read test [ export eval exec source . alias unset unalias declare typeset local readonly function return break continue shift
  trap if then else elif fi for while until do done case esac select begin end switch and or not time builtin command type abbr bind
  complete commandline emit functions string math argparse count contains status path random fg bg wait disown kill jobs umask ulimit
  history fc hash getopts let shopt enable pushd popd dirs suspend caller help mapfile readarray`.split(/\s+/),
);

/**
 * Whether fish may understand a line differently from bash, whose grammar the classifier uses. Only simple commands of plain words are
 * equal: no variables, substitutions, braces, blocks, comments, assignments or shell builtins.
 */
export function mayDifferInFish(line: string): boolean {
  if (line.length > LONGEST || !LINE.test(line)) return true;
  return line.split(/[|&;]+/).some((command) => {
    const first = /^\s*(\S+)/.exec(command)?.[1];
    return first !== undefined && (OTHER.has(first) || /[='"*~]/.test(first));
  });
}

/** Longer lines are not considered simple. */
const LONGEST = 2000;

const PIECE = /'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|\\(?:c(.)|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|(.))|([^\\'"])/gs;
const ESCAPED: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

/** The words of a row that fish printed in quoted form. Nothing is expanded. */
export function readFishWords(row: string): readonly string[] {
  return Array.from(row.matchAll(/(?:'(?:\\[\s\S]|[^'\\])*'|"(?:\\[\s\S]|[^"\\])*"|\\c\\?[\s\S]|\\[\s\S]|[^\s\\'"])+/g), ([word]) =>
    word.replace(PIECE, (_, single, double, control, hex, unicode, octal, other, plain) => {
      const quoted: string | undefined = single ?? double;
      if (quoted !== undefined) return quoted.replace(/\\([\\'"$])/g, '$1');
      if (control !== undefined) return String.fromCharCode(String(control).toUpperCase().charCodeAt(0) & 0x1f);
      const code: string | undefined = hex ?? unicode;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return other === undefined ? String(plain) : (ESCAPED[String(other)] ?? String(other));
    }),
  );
}

/** The abbreviations in the output of `abbr --show` that expand to fixed text in command position. */
export function readAbbreviations(rows: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    rows.flatMap((row) => {
      const [, name, text, ...more] = /^abbr -a (?:-[gU] )?-- /.test(row) ? readFishWords(row.replace(/^.*? -- /, '- ')) : [];
      const isPlain = name !== undefined && text !== undefined && more.length === 0 && !/[\x00-\x1f\x7f]/.test(text);
      return isPlain ? [[name, text] as const] : [];
    }),
  );
}
