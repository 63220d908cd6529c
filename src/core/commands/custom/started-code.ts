import { joinedRegExp } from '../../text/joined-regexp.ts';
import { type Argument, literal } from '../argument.ts';
import { looksLikeCommand } from '../effects.ts';
import { type Invocation, means } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import type { Call } from '../spec.ts';
import { classifyText } from '../text-check.ts';
import { type Effect, effect } from '../verdict.ts';

/** Calls that start a program or a shell, in the languages commonly embedded in command lines. */
const STARTS = joinedRegExp(
  'i',
  String.raw`subprocess|child_process|Runtime|ProcessBuilder|Open3|System\.Process|\bos[:.]cmd|Deno\.Command|Command::new`,
  String.raw`|ProcessStartInfo|\bPTY\b|pty\.spawn|do shell script|%x|\bqx|popen|\b(?:system|syscall|exec\w*|spawn\w*`,
  String.raw`|posix_spawn|shell_exec|passthru|proc_open|os\.execute|call_process|callCommand|check_call|check_output`,
  String.raw`|getoutput|shelljs|execa|start_process|system\*?|(?:async-)?shell-command\S*|call-process|run-program`,
  String.raw`|run-shell-command|read-process|zx)\b|Bun\.\$|\.execute\b|\.!!?|System\.cmd`,
);

/** Languages in which backticks run a command; in others they quote text. */
const BACKTICKS = /^(?:perl|ruby|php|julia|irb|psysh|pry)$/;

const HOMES = joinedRegExp(
  'g',
  String.raw`\$ENV\{\s*['"]?HOME['"]?\s*\}|os\.environ(?:\.get\(|\[)\s*['"]HOME['"]\s*[\])]`,
  String.raw`|os\.path\.expandvars\(\s*['"]\$HOME['"]\s*\)|(?:(?:require\(\s*['"](?:node:)?os['"]\s*\)|os)\.homedir\(\)`,
  String.raw`|(?:pathlib\.)?Path\.home\(\)|Dir\.home|Bun\.env\.HOME|process\.env(?:\.HOME\b|\[\s*['"]HOME['"]\s*\])`,
  String.raw`|ENV(?:\.fetch\(|\[)\s*['"]HOME['"]\s*[\])]|System\.getenv\(\s*['"]HOME['"]\s*\)`,
  String.raw`|(?:os\.)?getenv\(\s*['"]HOME['"]\s*\)|\$_(?:SERVER|ENV)\[\s*['"]HOME['"]\s*\]|\$::?env\(HOME\)|\$env\(HOME\))`,
);
const WRAPS = joinedRegExp(
  'g',
  String.raw`(?:os\.path\.(?:expanduser|expandvars|abspath)|File\.expand_path|(?:pathlib\.)?Path|path\.(?:resolve`,
  String.raw`|normalize)|glob)\(\s*((['"])[^'"\n]*\2)\s*\)(?:\.expanduser\(\))?`,
);

/** Calls that delete, and calls that write, the file named after them. */
const DELETES = joinedRegExp(
  'g',
  String.raw`\b(?:rmtree|os\.(?:remove|unlink|rmdir|removedirs|truncate)|(?:fs(?:\.promises|p)?\.)?(?:rm|rmdir|unlink`,
  String.raw`|truncate)(?:Sync)?|unlink|rmdir|remove_tree|rm_rf|rm_r|rm_f|remove_entry(?:_secure)?|remove_dir|File\.delete`,
  String.raw`|Dir\.(?:delete|rmdir)|FileUtils\.(?=\w*rm)\w+|os\.remove|deleteTree|emptyDir(?:Sync)?|removeSync`,
  String.raw`|delete-(?:file|directory)|File\.rm_rf!?|file\s+delete(?:\s+-force)?)[([\s]*((['"])[^'"\n]*\2)`,
);
const WRITES = joinedRegExp(
  'g',
  String.raw`\b(?:(?:io\.)?open|fopen|File\.(?:open|write|new|write_all)|IO\.write|fs(?:\.promises)?\.(?:writeFile`,
  String.raw`|appendFile|createWriteStream)(?:Sync)?|writeFileSync|appendFileSync|file_put_contents|Bun\.write`,
  String.raw`|Deno\.writeTextFile(?:Sync)?)[([\s]*((['"])[^'"\n]*\2)\s*,\s*(?:['"]([^'"]*)['"])?`,
);
const WRITTEN = /((['"])[^'"\n]*\2)\)*\.(?:write_text|write_bytes|open\(\s*['"][wa])/g;
const PERL_OPEN = /\bopen(?:(?!\bopen)[^,;])*,\s*['"](>>?)['"]?\s*(?:,\s*['"]\s*)?([^\s'"][^'"\n]*)['"]/g;

const CONNECTS = joinedRegExp(
  'i',
  String.raw`\bsocket\b|TCPSocket|TCPServer|fsockopen|IO::Socket|\bnet\.(?:connect|createConnection|Socket|Dial)`,
  String.raw`|\/inet\/(?:tcp|udp)|require\(['"](?:node:)?net['"]\)|Socket\.tcp`,
);
const SENDS = /urllib|requests\.|https?[.:]|fetch\(|Net::HTTP|LWP|ftplib|smtplib|paramiko|curl_|XMLHttpRequest/i;
const SHELL = /\/bin\/(?:ba|da|z|k)?sh\b|['"](?:ba|da|z|k)?sh['"]|pty\.spawn|cmd\.exe|powershell/;

/** A string in a piece of code, and the code before it. */
interface Text {
  readonly value: string;
  /** The string is passed to a call that starts a program, so it is a command whatever it looks like. */
  readonly isRun: boolean;
  readonly before: string;
}

const MOST_TEXTS = 200;

/**
 * Classifies the visible shell commands and file operations in code of another language. A string that is a command is classified as that
 * command if the code starts any. Strings built at run time stay unseen, and the code is still classified as code.
 */
export function classifyStarted(code: string, call: Call, starts = false): readonly Effect[] {
  const plain = withHome(code, call.scope.context.home);
  const texts = readTexts(plain, BACKTICKS.test(call.name));
  const isStarter = starts || STARTS.test(plain) || (BACKTICKS.test(call.name) && plain.includes('`'));
  if (isStarter) classifyTexts(texts, call);
  const hidden = isStarter ? texts.filter(({ isRun }) => isRun).flatMap(({ value }) => classifyText(unescaped(value))) : [];
  return [...hidden, ...classifyFiles(plain, call), ...classifyConnection(plain, texts, call)];
}

/** The position of a started string: after the call that starts it, or after the pipe of awk. */
const RUN = joinedRegExp(
  'i',
  String.raw`(?:(?:\b|\.)(?:system|syscall|exec\w*|spawn\w*|posix_spawn|(?=\w*popen)\w+|getoutput|getstatusoutput`,
  String.raw`|check_\w+|run|call|shell_exec|passthru|proc_open|execa|sh|output|capture\w*|cmd|Command|shell)[([{\s]*`,
  String.raw`|\|&?\s*)$`,
);

/** A string with numeric character escapes resolved. */
function unescaped(text: string): string {
  return text.replace(/\\u\{?([0-9a-fA-F]{4,6})\}?|\\x\{?([0-9a-fA-F]{2,6})\}?/g, (written, long, short) => {
    const code = Number.parseInt(String(long ?? short), 16);
    return code > 0x10_ff_ff ? written : String.fromCodePoint(code);
  });
}

function withHome(code: string, home: string): string {
  return code
    .replace(HOMES, `"${home}"`)
    .replace(WRAPS, (_, text: string) => text)
    .replace(/[#$]\{\s*"([^"]*)"\s*\}/g, '$1');
}

function classifyTexts(texts: readonly Text[], call: Call): void {
  for (const group of grouped(texts)) {
    const [first] = group;
    if (first === undefined) continue;
    const words = group.map(({ value }) => value);
    if (group.length > 1 && isWord(first.value) && (first.isRun || mayHarm(first.value)))
      call.classifyCommand(words.map((word) => atHome(word, call)));
    for (const { value, isRun } of group)
      if (/\s/.test(value.trim()) && (isRun || mayHarm(value))) call.classifyScript(value.replace(/^\s*!/, ''));
  }
}

/** Commands that cause harm through a setting, a key or an option of their own. No sentence starts like this. */
const HARMS = /^\s*(?:[A-Za-z_]\w*=\S*\s+\S|(?:\S*\/)?(?:aish|tmux|screen|openssl)(?:\s|$)|sort\s.*--comp)/;

function mayHarm(text: string): boolean {
  return looksLikeCommand(text) || HARMS.test(text);
}

function isWord(text: string): boolean {
  return !/\s/.test(text);
}

function atHome(word: string, { scope }: Call): Argument {
  return literal(/^~(\/|$)/.test(word) ? scope.context.home + word.slice(1) : word);
}

/** Strings joined by an operator form one string, and strings of a list belong together. */
function grouped(texts: readonly Text[]): readonly (readonly Text[])[] {
  const groups: Text[][] = [];
  for (const text of texts) {
    const { value, before } = text;
    const last = groups.at(-1);
    const ending = last?.at(-1);
    if (last !== undefined && ending !== undefined && /^\s*(?:(?:\+|\.{1,2}|<>|\|\||~|&)\s*)?$/.test(before) && !/^\s+$/.test(before))
      last[last.length - 1] = { ...ending, value: ending.value + value };
    else if (last !== undefined && /^[\s,()[\]{}]*(?:\w+\s*(?:[:=]|=>)\s*(?:[[({]+\s*)?)?$/.test(before)) last.push(text);
    else groups.push([text]);
  }
  return groups;
}

const OPENS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

function readTexts(code: string, isBacktick: boolean): readonly Text[] {
  const texts: Text[] = [];
  let from = 0;
  for (let at = 0; at < code.length && texts.length < MOST_TEXTS; at += 1) {
    const opening = /^(?:"""|'''|["'`]|(?:\bq[qxw]?|%[qQx])\s?[^\s\w,;=)])/.exec(code.slice(at, at + 4))?.[0];
    if (opening === undefined || (/^q/.test(opening) && /\w/.test(code[at - 1] ?? ''))) continue;
    const mark = /^[q%]/.test(opening) ? opening.slice(-1) : opening;
    const end = endOf(code, at + opening.length, OPENS[mark] ?? mark);
    if (end < 0) continue;
    const before = code.slice(from, at);
    const isRun = /^(?:%x|qx)/.test(opening) || (opening === '`' && isBacktick) || RUN.test(before);
    texts.push({ value: textOf(code.slice(at + opening.length, end)), before, isRun });
    at = end + (OPENS[mark] ?? mark).length - 1;
    from = at + 1;
  }
  return texts;
}

function endOf(code: string, from: number, mark: string): number {
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === '\\') at += 1;
    else if (code.startsWith(mark, at)) return at;
  }
  return -1;
}

/** The value of a string; interpolated parts are unknown. */
function textOf(text: string): string {
  return text
    .replace(/\\(["'`\\])/g, '$1')
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t')
    .replace(/[$#]\{[^}]*(?:\}|$)|(?<![$\w])\{[A-Za-z_][\w.()[\]]*\}/g, (hole) => (hole.endsWith('}') ? '$woven' : hole));
}

function classifyFiles(code: string, call: Call): readonly Effect[] {
  const found: Effect[] = [];
  const scope = { ...call.scope, trace: null };
  const use = (path: string, what: 'delete' | 'add') =>
    found.push(...usePath(atHome(path.replace(/^(['"])(.*)\1$/s, '$2'), call), what, scope));
  for (const [, path = ''] of code.matchAll(DELETES)) use(path, 'delete');
  for (const [, path = '', , mode] of code.matchAll(WRITES))
    if (mode === undefined || /^[wax]|\+/.test(mode) || mode.length > 4) use(path, 'add');
  for (const [, path = ''] of code.matchAll(WRITTEN)) use(path, 'add');
  for (const [, , path = ''] of code.matchAll(PERL_OPEN)) use(path.trim(), 'add');
  return found.filter((one) => one.class === 'destructive');
}

function classifyConnection(code: string, texts: readonly Text[], { scope }: Call): readonly Effect[] {
  if (CONNECTS.test(code) && SHELL.test(code)) return [effect('remote code', 'a shell for another machine')];
  if (!CONNECTS.test(code) && !SENDS.test(code)) return [];
  const sent = texts.find(({ value }) => {
    const path = value.startsWith('~/') ? scope.context.home + value.slice(1) : value;
    return /^[\w./~-]+$/.test(value) && locate(path, scope.cwd, scope.context).isSecret;
  });
  return sent === undefined ? [] : [effect('leaks', sent.value)];
}

/** Quotes words as a script; null if one of them is unknown. */
export function scriptOf(words: readonly Argument[]): string | null {
  const values = words.flatMap(({ value }) => (value === null ? [] : [value]));
  return values.length < words.length ? null : values.map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Escapes to a shell in programs that read commands: a mark, or a word. */
const ESCAPE = joinedRegExp(
  's',
  String.raw`^\s*(?:[:+]*(?:\d+|%|\.)?(?:r\s*|w\s*)?!!?|\\!|\\(?:o|g|w)\s*\||\.(?:shell|system|sh|she|shel|sy|sys|syst`,
  String.raw`|syste)\s|(?:platform\s+)?shell\s|system\s|sh\s)\s*(\S.*)$`,
);

/** Classifies shell commands within a text, as editors, debuggers and clients accept them: `!ls`, `\! ls`, `shell ls`. */
export function classifyEscapes(text: string, call: Call): readonly Effect[] {
  const commands = text.split(/\n|(?<=\S)\s*(?=\\!)/).flatMap((line) => ESCAPE.exec(line)?.[1] ?? []);
  for (const command of commands) call.classifyScript(command);
  return commands.length === 0 ? [] : [effect('starts', 'a shell from within')];
}

/** The program's own commands in its input, if the line shows the input. */
export function classifyTyped(given: Invocation, names: readonly string[], call: Call): readonly Effect[] {
  const texts = given.options.flatMap(({ name, value }) => (names.includes(name) ? (value?.value ?? []) : []));
  return [...texts, ...(call.input.text === null ? [] : [call.input.text])].flatMap((text) => classifyEscapes(text, call));
}

/** A first pager command that moves: to the end, to a line, or to a search result. */
const MOVES = /^\+(?:[gGF]|\d+g?|\/[\w .:-]+)$/;

/** Pagers start editors and shells on request of the user; at the end of a pipe they only display. */
export function classifyPager({ operands, options }: Invocation, call: Call): readonly Effect[] {
  const writes =
    options.some(({ name }) =>
      'o O log-file LOG-FILE pager k lesskey-file lesskey-src lesskey-content generate-config-file config-file'
        .split(' ')
        .some((one) => means(name, one)),
    ) ||
    operands.some((word) => word.start.startsWith('+') && !MOVES.test(word.value ?? '')) ||
    operands.some((word) => word.isFed) ||
    (call.name.startsWith('bat') && operands[0]?.start === 'cache');
  const pages = options.some(({ name, value }) => means(name, 'paging') && !/^(never|auto)$/.test(value?.value ?? ''));
  const told = operands.flatMap(({ value }) => (value?.startsWith('+') ? classifyEscapes(value.slice(1), call) : []));
  return [
    ...told,
    ...(writes || pages ? [effect('changes', `what ${call.name} is told to do`)] : []),
    ...operands.flatMap((word) => usePath(word, 'content', call.scope)),
  ];
}
