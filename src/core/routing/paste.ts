import { joinedRegExp } from '../text/joined-regexp.ts';
/** The kind of a pasted text. */
export type PasteKind = 'address' | 'code' | 'sql' | 'data' | 'markup' | 'log' | 'output' | 'transcript' | 'diff' | 'trace';

type Sign = readonly [pattern: RegExp, kind: PasteKind];

/** First lines of another language, a listing or a message. None of them is a call of a shell. */
const FIRST_LINE: readonly Sign[] = [
  [/^[a-z][a-z0-9+.-]*:\/\/\S+$|^[\w.-]+@[\w.-]+:[\w./~-]+$|^[\w.+-]+@[\w-]+\.[\w.]+$/, 'address'],
  [
    /^#\s*(include\s*[<"]|define\s+\w|ifdef\s|ifndef\s|pragma\s|endif\b|undef\s+\w|if\s+(defined|[A-Z0-9_!(])|elif\s+defined|error\s+")/,
    'code',
  ],
  [/^#!(?!.*\b(ba|z|da|k)?sh\b)/, 'code'],
  [/^#!?\[\w/, 'code'],
  [
    /^(export|import)\s+(default|const|let|var|type|interface|enum|class|abstract|async|function\s*(?:\w+\s*)?\(|\{|\*)(\s|$|\w|\*|\{)/,
    'code',
  ],
  [/^import\s[\w*{},\s$]+?\sfrom\s+['"]/, 'code'],
  [/^import\s+['"][^'"]+['"];?$/, 'code'],
  [/^import\s+(static\s+)?[\w]+(\.[\w*]+)+;/, 'code'],
  [/^import\s+\(?$|^import\s+\w+\s+"[^"]+"$|^import\s+"[^"]+"$/, 'code'],
  [/^import\s+\w+(\.\w+)*\s+as\s+\w+/, 'code'],
  [/^import\s+\w+(\s*,\s*\w+)+$/, 'code'],
  [
    joinedRegExp(
      '',
      String.raw`^import\s+(os|sys|re|json|math|time|random|numpy|pandas|datetime|subprocess|logging|asyncio|argparse`,
      '|collections|itertools|functools|pathlib|typing|requests|torch|tensorflow|unittest|pytest|shutil|csv|sqlite3',
      String.raw`|threading|socket|React|Foundation|UIKit|SwiftUI)(\.\w+)*$`,
    ),
    'code',
  ],
  [/^from\s+[.\w]+\s+import\s/, 'code'],
  [
    joinedRegExp(
      '',
      '^(const|var|val|final|static|public|private|protected|struct|enum|namespace|trait|impl|fn|func|def|class',
      String.raw`|interface|package|use|mod|pub|async|await|module|extends|typedef|template|using)\s`,
    ),
    'code',
  ],
  [/^let\s+(mut\s+)?\w+(\s*:\s*[\w<>[\]&]+)?\s+=\s|^let\s+[\w{[][^=]*=\s.*;$|^let\s+[{[]/, 'code'],
  [/^declare\s+(module|const|global|function|namespace|class|let|var)\b/, 'code'],
  [/^type\s+\w+(<[^>]*>)?\s*=\s/, 'code'],
  [/^type\s+\w+\s+(struct|interface|func)\b/, 'code'],
  [/^function\s*(?:\*\s*)?(?:\w+\s*)?\([^)\w$]*[\w$][^)]*\)/, 'code'],
  [
    /^(if|while|for|switch|catch|foreach|elseif|else if)\s*\((?!\().*[){;]\s*(?:[{;]\s*)?(return|break|continue|throw|\w+[(.=+]|\/\/|$)/,
    'code',
  ],
  [/^(if|while|for|elif)\s[^;]*:\s*$/, 'code'],
  [/^(if|for|while|switch|select|match|unless|loop)\b[^;]*\{\s*$/, 'code'],
  [/^if\s(?=[^;\n]*\sthen\b)[^;[\n]+\s(==|~=|!=|<=|>=)\s/, 'code'],
  [/^for\s+\w+\s*=\s*\w+\s*,|^for\s+\w+\s*,\s*\w+\s/, 'code'],
  [/^(else|try|except|finally|with|lambda|elif)\b.*:\s*$/, 'code'],
  [/^(try|else|finally|do|catch)\s*\{/, 'code'],
  [/^\}\s*(else|catch|finally|while|from)?\b.*[{(;]?\s*$/, 'code'],
  [/^case\s+[^\s]+\s*(:|=>|->)/, 'code'],
  [/^return\b(\s+[^\d$"'].*|.*;)$/, 'code'],
  [/^(throw|raise|yield|defer|delete|new|assert|goto)\b.*\);?$|^go\s+(func\b|[\w.]+\()/, 'code'],
  [/^(break|continue);$/, 'code'],
  [/^(?!\$\()[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*|->\w+|::\w+)*!?\((?!\)\s*(?:[{(]\s*)?($|[\n{(])|\)\s+\w)/, 'code'],
  [/^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*|->\w+|::\w+)+!?\(/, 'code'],
  [/^[A-Za-z_]\w*\(\)\s*(;|$|\.|[=!<>])/, 'code'],
  [/^(?:[A-Za-z_$][\w$.[\]'"]*)\s*(:=|=>|[-+*/%|&]=)\s/, 'code'],
  [/^\$?[A-Za-z_][\w.[\]'"$]*\s+=\s+\S/, 'code'],
  [/^\$\w+(->|\[|\s*=)/, 'code'],
  [/^<\?(php|xml)|^<!(DOCTYPE|--)|^<\/?[a-zA-Z][\w.-]*(\s+[\w:@-]+=|\s*\/?>)/, 'markup'],
  [
    joinedRegExp(
      'i',
      String.raw`^(select\s+(\*|distinct|count\s*\(|top\s)|select\s[\w.,\s*()"\x60]+\sfrom\s|insert\s+into\s`,
      String.raw`|update\s+\w+\s+set\s|delete\s+from\s\w+(\s+where|;|$)|create\s+(or\s+replace\s+|unique\s+|temp\w*\s+)?(table`,
      String.raw`|index|view|database|function|trigger|user|schema)\s|alter\s+(table|user|database)\s|drop\s+(table|index`,
      String.raw`|database|view|schema)\s|truncate\s+table\s|grant\s+\w+\s+on\s|with\s+\w+\s+as\s*\(`,
      String.raw`|explain\s+(analyze\s+)?(select|insert|update|delete)|begin\s*;|commit\s*;|set\s+\w+\s*=\s|show\s+(tables`,
      String.raw`|databases)\s*;|use\s+\w+;)`,
    ),
    'sql',
  ],
  [
    joinedRegExp(
      '',
      String.raw`^[[{][^\S\n]*\n\s*["'{[\d]|^\{\s*"[^"]*"\s*:|^\["|^\[\s*"[^"$]*"\s*,|^\[\s*\{|^\[\[?-?\d[\d.\s]*[,\]]`,
      String.raw`|^\{\s*'\w+'\s*:|^\{\s*\w+\s*:|^\[\s*\]$|^\{\s*\}$`,
    ),
    'data',
  ],
  [/^\[[A-Za-z][\w.:" -]*\]\s*$/, 'data'],
  [/^\[(INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE|notice|warn|error|info|debug|\d{2}[:/]|\d{4}-|\s*\d+\.\d+\])/, 'log'],
  [/^\[[ xX]\]\s|^[-*+]\s+\S|^\d+[.)]\s+\S|^```|^>\s+\S+\s+\S+|^\|.*\|\s*$|^={3,}$|^-{3,}$|^\*{2}\w|^<{7}|^>{7}|^={7}/, 'markup'],
  [/^(---|\+\+\+)\s+\S|^@@\s+-\d|^index\s+[0-9a-f]{6,}|^diff\s+--git\s+a\/|^Binary files/, 'diff'],
  [/^[\w.-]+:\s*(\/\/|$|\n)|^[\w.-]+:\s+["'\w\d[{|>*&!<-]/, 'data'],
  [/^[\w./-]+:(\d+:)?(\d+:)?\s+\S|^[\w./-]+:\d+:\d+\b/, 'output'],
  [/^\[?\w[\w.-]*@[\w.-]+[:\s][^$#%]*[$#%❯]\s*\w/, 'transcript'],
  [/^(>>>|\.\.\.|In \[\d+\]:|irb\(|mysql>|sqlite>|PS [A-Z]:\\|[A-Z]:\\|➜|❯|λ|»)/, 'transcript'],
  [
    joinedRegExp(
      '',
      String.raw`^\d{4}[-/]\d{2}[-/]\d{2}[T\s]|^\d{2}:\d{2}:\d{2}|^(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov`,
      String.raw`|Dec)\s+\d{1,2}\s+\d{2}:|^\d+\.\d+\.\d+\.\d+\s+-`,
    ),
    'log',
  ],
  [/^\w+=\S+(\s+\w+=("[^"]*"(?=\s)|(?!"[^"]*"\s)\S+))*\s+(level|msg|err|lvl|ts|message)=/, 'log'],
  [/^(total\s+\d+(\s|$)|[-dlbcps]([r-][w-][xsStT-]){3})/, 'output'],
  [
    joinedRegExp(
      '',
      String.raw`^(Traceback \(|Exception in thread|Caused by:|goroutine \d+|thread '|panic:|Segmentation fault|Uncaught `,
      String.raw`|Unhandled |\w*(Error|Exception|Warning)\b[:(\s])`,
    ),
    'trace',
  ],
  [/^at\s+(async\s+)?[\w.<>$[\]]+(\s+\[as \w+\])?\s*\(|^at\s+(?=[\w./<>:-]*[a-zA-Z/])[\w./<>:-]+:\d+$|^at\s+\w+(\.[\w$<>]+)+\(?/, 'trace'],
  [/^File\s+"[^"]+",\s+line\s+\d+/, 'trace'],
  [/^(npm|pnpm|yarn)\s+(ERR!|WARN\b|error\b|warn\b|notice\b|info\b|http\b|verb\b|ERR_\w+|run v\d|install v\d)/, 'output'],
  [/^yarn run v\d/, 'output'],
  [/^test\s+(result:|[\w:]+\s+\.\.\.)/, 'output'],
  [/^(ok|PASS|FAIL|FAILED|---)\s+\S/, 'output'],
  [/^(HTTP\/\d|GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[\s\d./]+/, 'data'],
  [/^(FROM|RUN|COPY|WORKDIR|ENTRYPOINT|CMD|EXPOSE|ENV|ARG|VOLUME|USER|LABEL)\s+\S/, 'code'],
  [
    joinedRegExp(
      '',
      String.raw`^(On branch \w|commit [0-9a-f]{7,40}(\s*$|\s*\n|\s+\()|Author:\s|CONTAINER ID|Filesystem\s+|USER\s+PID|PID\s+`,
      String.raw`|NAME\s+READY|Mem:|COMMAND\s+PID|Proto\s)`,
    ),
    'output',
  ],
  [/^real\s+\d+m/, 'output'],
  [
    joinedRegExp(
      '',
      String.raw`^[.#\w][\w\s,>+~.#:-]{0,80}\{\s*[\w-]+\s*:\s*[^;]+;?|^[.#][\w\s,>+~.#:-]{0,80}\{\s*$|^@(media|import`,
      String.raw`|keyframes|font-face|charset|tailwind|apply)\b`,
    ),
    'code',
  ],
  [/^@\w+(\.\w+)*(\(|$)/, 'code'],
  [/^\w[\w ]{0,80}=>\s/, 'code'],
  [
    /^(int|void|char|float|double|long|bool|string|auto|unsigned|size_t|u8|i32|String|Integer|List<)\b[\s*&<\w>]*[\s*]\w+\s*(\(|=|;|\[|$)/,
    'code',
  ],
  [/^\/\/\s|^\/\*|^\*\/|^--\s+\w|^;;\s|^%\w|^"""/, 'code'],
  [/^(puts|println!?|print|printf|console|require|include|extend|attr_\w+|end|elsif|begin|unless|def)\b\s*(?:\S.*)?$/, 'code'],
];

/** `PATH = $PATH:/opt/bin`: blanks that the shell does not take, around an assignment that only it has. */
export const SPACED_ASSIGNMENT = /^[A-Z_][A-Z\d_]* += +[^\s;$]*\$\{?[A-Z_][^\s;]*$/;

/** Lines of a shell that a sign above would wrongly match. */
const SHELL_BEGINNINGS: readonly RegExp[] = [SPACED_ASSIGNMENT, /^(printf|print)\s+(?!\()/, /^--\s/];

/** A line without any mark that the signs above look for. */
const UNMARKED = /^[a-z][\w./ ,|&~*?$+%^-]*$/;
/** First words of lines that are a sign without a mark, and the modes of a listing. */
const SIGN_WORDS = joinedRegExp(
  '',
  '^(import|export|from|const|var|val|final|static|public|private|protected|struct|enum|namespace|trait|impl|fn',
  '|func|def|class|interface|package|use|mod|pub|async|await|module|extends|typedef|template|using|let|declare',
  '|local|readonly|typeset|type|function|if|while|for|switch|catch|foreach|elseif|else|elif|select|match|unless',
  '|loop|try|except|finally|with|lambda|do|case|return|throw|raise|yield|defer|delete|new|assert|goto|go|break',
  '|continue|insert|update|create|alter|drop|truncate|grant|explain|begin|commit|set|show|index|diff|total|npm',
  '|pnpm|yarn|test|ok|real|int|void|char|float|double|long|bool|string|auto|unsigned|size_t|u8|i32|at|puts',
  String.raw`|println|print|printf|console|require|include|extend|attr_\w+|end|elsif|goroutine|thread|panic`,
  '|[dlbcps][r-][w-][xsStT-].*)$',
);

/** Signs in a later line that the whole is no script: output after a command, or a program. */
const LATER_LINE: readonly Sign[] = [
  [/^[ \t]*(File "|at \S+ \(|Traceback|\w+Error: |error(\[\w+\])?: |warning: |fatal: |npm (ERR!|error)|make: \*\*\*)/m, 'output'],
  [/^(---|\+\+\+) \S|^@@ -\d/m, 'diff'],
  [/^\S+:\d+(:\d+)?: (error|warning|note|fatal)/m, 'output'],
  [/^(bash|zsh|sh|-bash): .*(not found|No such|denied|error)/m, 'transcript'],
  [/^\$ \w|^>>> |^\w+@[\w.-]+:[~/].*[$#] /m, 'transcript'],
];

/** Finds the kind of a pasted text that is not for the shell: source, data, markup, logs, messages. Null for all else. */
export function pasteKind(text: string): PasteKind | null {
  const lines = text.split('\n');
  const first = firstCodeLine(lines);
  if (first === null) return null;
  const head = toSample(first.trim());
  if (lines.length === 1 && UNMARKED.test(head) && !SIGN_WORDS.test(head.split(' ', 1)[0] ?? '')) return null;
  if (SHELL_BEGINNINGS.some((pattern) => pattern.test(head))) return laterKind(text, lines.length);
  const rest = toSample(text.slice(text.indexOf(first)).trimStart());
  for (const [pattern, kind] of FIRST_LINE) if (pattern.test(head) || (lines.length > 1 && pattern.test(rest))) return kind;
  return laterKind(text, lines.length);
}

function laterKind(text: string, lines: number): PasteKind | null {
  if (lines < 2) return null;
  for (const [pattern, kind] of LATER_LINE) if (pattern.test(text) && !/<<-?\s*['"]?\w/.test(text)) return kind;
  return null;
}

/** The length of the part of a text that is looked at. */
const SAMPLE = 500;

/** The beginning of a text as the signs are looked for in it: each run of blanks as one, as the time of some grows with their square. */
function toSample(text: string): string {
  return text
    .slice(0, 4 * SAMPLE)
    .replace(/[ \t]{2,}/g, ' ')
    .slice(0, SAMPLE);
}

/** The first line that is no comment of a shell; the first of all where it is a sign itself. */
function firstCodeLine(lines: readonly string[]): string | null {
  const start = lines.find((line) => line.trim() !== '');
  if (start === undefined) return null;
  if (/^\s*#(\s*(include|define|if|ifdef|ifndef|pragma|endif|undef|elif)\b|!|\[)/.test(start) && !/^#!.*\b(ba|z|da|k)?sh\b/.test(start))
    return start;
  return lines.find((line) => line.trim() !== '' && !/^\s*#/.test(line)) ?? null;
}
