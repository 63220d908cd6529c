import { type Argument, literal } from '../argument.ts';
import { judgeName } from '../assignments.ts';
import { find } from '../findings.ts';
import type { GivenWords } from '../options.ts';
import { namesSecretFile } from '../path-use.ts';
import type { Call, ProgramRule, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';
import { scriptOf } from './started-words.ts';

/** Judges the command that stands behind the first operands of a wrapper. */
function inner(skip: number, ...own: readonly Finding[]): ProgramRule['judge'] {
  return ({ operands }, call) => {
    call.judgeCommand(operands.slice(skip));
    return own;
  };
}

/** The same for a wrapper that does something of its own to the command. */
function innerWith(skip: number, effect: Parameters<typeof find>[0], detail?: string): ProgramRule['judge'] {
  return inner(skip, find(effect, detail));
}

/** Programs that start the command they are given. */
export const WRAPPERS: RuleTable = {
  time: {
    stops: true,
    short: 'pvaqf:o:',
    long: 'portability verbose append quiet format= output=',
    on: { 'o output': 'replace' },
    judge: inner(0),
  },
  timeout: {
    stops: true,
    short: 'k:s:v',
    long: 'kill-after= signal= preserve-status foreground verbose',
    judge: inner(1),
  },
  nice: { stops: true, digits: true, short: 'n:', long: 'adjustment=', judge: inner(0) },
  ionice: {
    stops: true,
    short: 'c:n:tp:P:u:',
    long: 'class= classdata= ignore pid= pgid= uid=',
    on: { 'p P u pid pgid uid': 'changes' },
    judge: inner(0),
  },
  chrt: { stops: true, any: true, judge: innerWith(1, 'changes', 'another scheduling policy') },
  taskset: { stops: true, short: 'acp', judge: inner(1) },
  stdbuf: { stops: true, short: 'i:o:e:', long: 'input= output= error=', judge: inner(0) },
  unbuffer: { stops: true, short: 'p', judge: inner(0) },
  chronic: { stops: true, short: 've', judge: inner(0) },
  nohup: { stops: true, judge: innerWith(0, 'changes', 'goes on when the session ends') },
  setsid: {
    stops: true,
    short: 'cfw',
    long: 'ctty fork wait',
    judge: innerWith(0, 'changes', 'goes on when the session ends'),
  },
  catchsegv: { stops: true, judge: inner(0) },
  'busybox toybox linux32 linux64 prlimit dbus-run-session xvfb-run rlwrap proxychains proxychains4 torsocks torify tsocks softlimit ssh-agent run-one gnice gtime':
    {
      stops: true,
      any: true,
      judge: inner(0),
    },
  'setarch faketime gtimeout logsave setuidgid envdir setlock fakechroot': {
    stops: true,
    any: true,
    judge: innerWith(1, 'changes', 'other surroundings'),
  },
  sshpass: { stops: true, short: 'p:f:d:P:evh', judge: innerWith(0, 'changes', 'a password') },
  cpulimit: { stops: true, any: true, short: 'l:p:e:', judge: innerWith(0, 'changes', 'a limit') },
  env: {
    stops: true,
    short: 'i0u:C:S:v',
    long: 'ignore-environment null unset= chdir= split-string= debug',
    judge: judgeEnv,
  },
  command: { stops: true, short: 'pvV', judge: judgeCommandBuiltin },
  builtin: { stops: true, judge: inner(0) },
  exec: { stops: true, short: 'cla:', judge: inner(0) },
  xargs: {
    stops: true,
    short: '0rtpxa:d:E:e::I:i::L:l::n:P:s:',
    long: 'null no-run-if-empty verbose interactive exit arg-file= delimiter= eof? replace? max-lines? max-args= max-procs= max-chars= show-limits open-tty process-slot-var=',
    on: { 'a arg-file': 'content' },
    judge: judgeXargs,
  },
  watch: {
    stops: true,
    short: 'bcdegn:pqrtwx',
    long: 'beep color differences? errexit chgexit interval= precise no-rerun no-title no-wrap exec',
    judge: judgeWatch,
  },
  flock: {
    stops: true,
    short: 'snuow:c:E:Fxe',
    long: 'shared exclusive nonblock unlock wait= command= close verbose',
    judge: judgeFlock,
  },
  'sudo doas pkexec run0': {
    stops: true,
    any: true,
    short: 'u:g:p:C:D:h:r:t:T:U:R:c:',
    long: 'user= group= chdir= host= prompt=',
    judge: innerWith(0, 'privileged'),
  },
  'su runuser': { any: true, short: 'c:s:g:G:', long: 'command= shell=', judge: judgeSu },
};

function judgeEnv({ options, operands }: GivenWords, call: Call): readonly Finding[] {
  const found: Finding[] = [];
  const split = options.find(({ name }) => name === 'S' || name === 'split-string');
  if (split !== undefined) return [...found, ...judgeSplit(split.value, operands, call)];
  if (options.some(({ name }) => name === 'C' || name === 'chdir')) found.push(find('changes', 'another directory'));
  const start = operands.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word.start));
  for (const word of start < 0 ? operands : operands.slice(0, start)) {
    const name = word.start.slice(0, word.start.indexOf('='));
    found.push(...judgeName(name, true, word.value?.slice(name.length + 1)));
  }
  if (start < 0) return [...found, find('secrets', 'the whole environment')];
  call.judgeCommand(operands.slice(start));
  return found;
}

/** `env -S 'A=1 command'` takes its words apart, and reads them as its own. */
function judgeSplit(text: Argument | null, more: readonly Argument[], call: Call): readonly Finding[] {
  const script = scriptOf(more);
  if (text === null || text.value === null || script === null) return [find('unclear', 'a command in one word of env')];
  call.judgeScript(`env ${text.value} ${script}`);
  return [find('changes', 'a command in one word of env')];
}

/** Behind its file stands a command, or `-c` and a text of the shell. */
function judgeFlock({ options, operands }: GivenWords, call: Call): readonly Finding[] {
  const [, option, text] = operands;
  const given = options.find(({ name }) => name === 'c' || name === 'command')?.value;
  const script = given ?? (/^(-c|--command)$/.test(option?.value ?? '') ? text : undefined);
  if (script === undefined) call.judgeCommand(operands.slice(1));
  else if (script.value !== null) call.judgeScript(script.value);
  return [find('changes', 'holds a lock file')];
}

function judgeCommandBuiltin({ options, operands }: GivenWords, call: Call): readonly Finding[] {
  if (options.some(({ name }) => name === 'v' || name === 'V')) return [];
  call.judgeCommand(operands);
  return [];
}

/** What xargs appends is not known: it must be no option, and no command. */
function judgeXargs({ operands, options }: GivenWords, call: Call): readonly Finding[] {
  const words = operands.length > 0 ? operands : [];
  if (words.length === 0) return [];
  const mark = options.find(({ name }) => 'Ii'.includes(name) || name === 'replace')?.value?.value ?? null;
  const replaces = options.some(({ name }) => 'Ii'.includes(name) || name === 'replace');
  const script = words.slice(1).find((word) => replaces && word.value?.includes(mark ?? '{}'));
  if (
    script !== undefined &&
    /(^|\/)(ba|da|z|k|a)?sh$|^(eval|python3?|perl|ruby|node|awk)$/.test(words[0]?.value ?? '')
  )
    return [
      find('unclear', `a script that holds what xargs reads: ${script.text}`),
      ...judgeReadScript(script, mark ?? '{}', call),
    ];
  const appended = {
    ...(words[0] ?? call.words[0]),
    text: 'what xargs reads',
    value: null,
    start: '',
    isSplit: true,
    isFed: true,
    isListed: isList(call) && !(words.at(-1)?.value !== null && SENDS_NEXT.test(words.at(-1)?.value ?? '')),
    isNumber: false,
    isGlob: false,
    isDisguised: false,
    hasOutput: true,
    isSecret: false,
  };
  for (const read of readWords(call)) judgeRead(words, read, replaces ? (mark ?? '{}') : null, call);
  const woven = replaces && !isShown(call) ? words.map((word, at) => weave(word, words[at - 1], mark ?? '{}')) : words;
  const listed = options.find(({ name }) => name === 'a' || name === 'arg-file')?.value;
  const isSecret =
    call.input.isSecret ||
    (listed !== undefined && listed !== null && namesSecretFile([listed], call.scope).length > 0);
  call.judgeCommand([...woven, appended], {
    input: { isGiven: false, text: null, programs: [], isEscaped: false, isSecret },
  });
  return [];
}

/** Programs that hand on the lines of a file. */
const LISTS =
  /^(?:cat|head|tail|tac|nl|[ef]?grep|rg|sort|uniq|cut|sed|[gmn]?awk|tr|shuf|seq|echo|printf|jq|comm|xargs)$/;
/** Options behind which a word is sent, and is no address. */
const SENDS_NEXT =
  /^(?:-[a-zA-Z]*[dHFTAbeuX]|--(?:data|json|header|form|upload|cookie|user|referer|request|post|body|url-query)[\w-]*)$/;

/** The line itself says what is read: it shows it, or it is numbers. */
function isShown({ input: { text, programs } }: Call): boolean {
  return text !== null || (programs.length > 0 && programs.every((name) => name === 'seq'));
}

function isList(call: Call): boolean {
  return isShown(call) || call.input.programs.every((name) => LISTS.test(name));
}

/** A word around what xargs reads carries it along: a host, an address, a header. */
function weave(word: Argument, before: Argument | undefined, mark: string): Argument {
  if (word.value?.includes(mark) !== true) return word;
  const isAlone = word.value === mark && !SENDS_NEXT.test(before?.value ?? '');
  return isAlone ? word : { ...word, hasOutput: true };
}

/** The script with what xargs reads in it, where the line shows that. */
function judgeReadScript(script: Argument, mark: string, call: Call): readonly Finding[] {
  const lines = call.input.text?.split('\n').slice(0, MOST_READ) ?? [];
  for (const line of lines) if (line !== '') call.judgeScript((script.value ?? '').replaceAll(mark, () => line));
  return [];
}

const MOST_READ = 20;

/** What xargs reads, where the line shows it and it reaches beyond the project or is an option. */
function readWords({ input }: Call): readonly string[] {
  const words = input.text?.split(/\s+/).filter((word) => /^[/~-]|^\.\.?(\/|$)|[*\\]/.test(word)) ?? [];
  return [...words.slice(0, MOST_READ), ...(input.found === undefined ? [] : [input.found])];
}

function judgeRead(words: readonly Argument[], read: string, mark: string | null, call: Call): void {
  const filled = mark === null ? [...words, literal(read)] : words.map((word) => replaced(word, mark, read));
  const given = filled.map((word) => ({ ...word, isStandIn: true }));
  call.judgeCommand(given, { input: { isGiven: false, text: null, programs: [], isEscaped: false, isSecret: false } });
}

function replaced(word: Argument, mark: string, read: string): Argument {
  return word.value?.includes(mark) ? literal(word.value.replaceAll(mark, () => read)) : word;
}

function judgeWatch({ options, operands }: GivenWords, call: Call): readonly Finding[] {
  if (options.some(({ name }) => name === 'x' || name === 'exec')) {
    call.judgeCommand(operands);
    return [];
  }
  const values = operands.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length < operands.length) return [find('unclear', 'what watch runs')];
  call.judgeScript(values.join(' '));
  return [];
}

function judgeSu({ options }: GivenWords, call: Call): readonly Finding[] {
  const script = options.find(({ name }) => name === 'c' || name === 'command')?.value?.value;
  if (script !== undefined && script !== null) call.judgeScript(script);
  return [find('privileged')];
}
