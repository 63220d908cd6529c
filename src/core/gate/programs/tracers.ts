import type { Argument } from '../argument.ts';
import { literal } from '../argument.ts';
import { find } from '../findings.ts';
import { judgeStarted } from '../grammars/started-code.ts';
import type { GivenWords } from '../options.ts';
import { usePath } from '../path-use.ts';
import type { Call, ProgramRule, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';
import { judgeEscapes, judgeStartedText } from './started-words.ts';

/** The command behind the first operands, and what its wrapper does besides. */
function startsBehind(skip: number, effect: Parameters<typeof find>[0], detail?: string): ProgramRule['judge'] {
  return ({ operands }, call) => {
    if (operands.length > skip) call.judgeCommand(operands.slice(skip));
    return [find(effect, detail)];
  };
}

/** Programs that start a command to watch it, to repeat it, or to give it other rights. */
export const TRACERS: RuleTable = {
  parallel: {
    stops: true,
    any: true,
    short: 'j:a:I:n:N:L:P:S:d:E:s:C:',
    long: 'jobs= arg-file= max-args= max-procs= delay= timeout= retries= joblog= results= sshlogin= colsep= delimiter= tagstring= workdir= tmpdir= load= memfree=',
    on: { 'S sshlogin slf sshloginfile': 'network' },
    judge: judgeParallel,
  },
  script: {
    any: true,
    short: 'c:E:I:O:B:T:m:o:aefqt::',
    long: 'command= echo= log-in= log-out= log-io= log-timing= logging-format= output-limit= append return flush force quiet timing?',
    on: { 'I O B T log-in log-out log-io log-timing': 'replace' },
    judge: judgeScriptProgram,
  },
  strace: {
    stops: true,
    any: true,
    short: 'a:b:e:E:I:o:O:p:P:s:S:u:U:X:',
    long: 'attach= output= trace= signal= user= env= string-limit=',
    on: { 'o output': 'replace', 'p attach u user': 'privileged' },
    judge: startsBehind(0, 'runs', 'a traced command'),
  },
  ltrace: {
    stops: true,
    any: true,
    short: 'a:A:D:e:F:l:n:o:p:s:u:w:x:X:',
    on: { 'o output': 'replace', 'p u': 'privileged' },
    judge: startsBehind(0, 'runs', 'a traced command'),
  },
  valgrind: { stops: true, any: true, judge: startsBehind(0, 'runs', 'a watched command') },
  'perf rr heaptrack': { stops: true, any: true, judge: judgeRecorder },
  'gdb gdbtui lldb cgdb': {
    any: true,
    short: 'x:p:o:O:s:S:k:K:c:d:n',
    judge: judgeDebugger,
  },
  'chroot unchroot': { stops: true, any: true, judge: startsBehind(1, 'privileged') },
  'nsenter unshare setpriv firejail bwrap': {
    stops: true,
    any: true,
    short: 't:S:G:w:',
    long: 'target= setuid= setgid= wd= propagation= reuid= regid= groups= inh-caps= ambient-caps= bounding-set= bind= ro-bind= dev-bind= dev= proc= tmpfs= chdir= setenv= dir= symlink=',
    judge: judgeJail,
  },
  capsh: {
    any: true,
    judge: (_, { words, judgeScript }) => {
      const at = words.findIndex(({ value }) => value === '-c');
      const script = at < 0 ? null : (words[at + 1]?.value ?? null);
      if (script !== null) judgeScript(script);
      return [find('privileged')];
    },
  },
  'systemd-run machinectl': {
    stops: true,
    any: true,
    short: 'u:p:M:H:E:d:',
    long: 'unit= property= description= slice= uid= gid= nice= working-directory= setenv= machine= host= service-type= on-active= on-boot= on-startup= on-unit-active= on-unit-inactive= on-calendar= timer-property= path-property= socket-property=',
    on: {
      'on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar on-clock-change on-timezone-change path-property socket-property':
        'plants',
    },
    judge: startsBehind(0, 'privileged'),
  },
  entr: { stops: true, any: true, judge: judgeRepeater },
  'reflex watchexec modd cargo-watch': {
    stops: true,
    any: true,
    short: 'w:W:i:e:f:E:d:s:r:x:',
    long: 'watch= exts= ignore= filter= debounce= signal= exec= regex= glob=',
    judge: (given, call) => [
      ...judgeRepeater(given, call),
      ...given.options.flatMap(({ name, value }) =>
        (name === 'x' || name === 's' || name === 'exec') && value !== null ? judgeStartedText(value, call) : [],
      ),
    ],
  },
  hyperfine: {
    any: true,
    short: 'w:m:M:r:s:p:c:i:S:P:D:L:u:n:',
    long: 'warmup= min-runs= max-runs= runs= setup= prepare= cleanup= shell= export-json= export-markdown= export-csv=',
    judge: ({ operands, options }, call) => [
      find('runs', 'commands whose time is measured'),
      ...[
        ...operands,
        ...options.flatMap(({ name, value }) => (/^([spc]|setup|prepare|cleanup)$/.test(name) && value) || []),
      ].flatMap((text) => judgeStartedText(text, call)),
    ],
  },
};

/** `parallel COMMAND ::: WORDS` runs a text of the shell for each word. */
function judgeParallel({ operands }: GivenWords, call: Call): readonly Finding[] {
  const found = [find('runs', 'runs a command for each of many words')];
  const mark = operands.findIndex(({ value }) => /^:::\+?$/.test(value ?? ''));
  const words = operands.slice(0, mark < 0 ? undefined : mark);
  const given =
    mark < 0 ? (call.input.text?.split('\n') ?? []) : operands.slice(mark + 1).map(({ value }) => value ?? '$read');
  if (words.some(({ value }) => value === null)) return [...found, find('unclear', 'what parallel runs')];
  const script = words.map(({ value }) => value).join(' ');
  const each = given.filter((word) => word !== '' && !/^:::/.test(word)).slice(0, 20);
  for (const word of each.length === 0 ? ['$read'] : each) call.judgeScript(fill(script, word));
  return found;
}

function fill(script: string, word: string): string {
  if (script === '') return word;
  return /\{[./]{0,2}\}/.test(script) ? script.replace(/\{[./]{0,2}\}/g, () => word) : `${script} ${word}`;
}

function judgeScriptProgram({ options, operands }: GivenWords, call: Call): readonly Finding[] {
  const commands = options.filter(({ name }) => name === 'c' || name === 'command').flatMap(({ value }) => value ?? []);
  const [file, ...command] = operands;
  if (command.length > 0) call.judgeCommand(command);
  return [
    find('runs', 'a terminal that is kept in a file'),
    ...commands.flatMap((text) => judgeStartedText(text, call)),
    ...(file === undefined ? [] : usePath(file, 'replace', call.scope)),
  ];
}

function judgeRecorder({ operands }: GivenWords, call: Call): readonly Finding[] {
  const attaches = call.words.some(({ start }) => /^(-p|--pid|-a$|--all-cpus)/.test(start));
  const command = operands
    .slice(1)
    .filter((_word, at, all) => all.slice(0, at + 1).some(({ start }) => !start.startsWith('-')));
  if (command.length > 0) call.judgeCommand(command);
  return [find(attaches ? 'privileged' : 'runs', 'a watched command')];
}

const DEBUGGED = /^--?(?:ex|eval-command|iex|init-eval-command|o|O|one-line|one-line-before-file|k|K)(?:=(.*))?$/s;

/** Commands that a debugger is given as words. */
function debuggerTexts(words: readonly Argument[]): readonly Argument[] {
  return words.flatMap((word, at) => {
    const given = DEBUGGED.exec(word.value ?? '');
    if (given === null) return [];
    return given[1] === undefined ? (words[at + 1] ?? []) : [literal(given[1])];
  });
}

/** A debugger runs commands of a shell, and goes into other processes. */
function judgeDebugger({ operands }: GivenWords, call: Call): readonly Finding[] {
  const { words, input } = call;
  const texts = [...debuggerTexts(words), ...(input.text === null ? [] : [literal(input.text)])];
  const attaches =
    words.some(({ start }) => /^(-p$|-p\d|--?pid|--attach-pid|-n$|--attach-name)/.test(start)) ||
    texts.some(({ start }) => /^\s*(attach|process attach)\b/m.test(start)) ||
    operands.some(({ value }, at) => at > 0 && /^\d+$/.test(value ?? ''));
  return [
    find(attaches ? 'privileged' : 'runs', 'a debugger'),
    ...texts.flatMap(({ value, text }) =>
      value === null ? [find('unclear', text)] : [...judgeEscapes(value, call), ...judgeStarted(value, call)],
    ),
  ];
}

/** The words of a sandbox stand before its command, some of them with values. */
function judgeJail({ operands }: GivenWords, call: Call): readonly Finding[] {
  const at =
    call.name === 'bwrap' ? operands.findIndex(({ start }) => /^[a-z][\w.-]*$|^\/(usr\/)?bin\//.test(start)) : 0;
  if (at >= 0 && operands.length > at) call.judgeCommand(operands.slice(at));
  return [find('privileged')];
}

/** Words behind the options are a command; a single one is a text of the shell. */
function judgeRepeater({ operands }: GivenWords, call: Call): readonly Finding[] {
  const [only, ...more] = operands;
  const found = [find('runs', 'a command each time that a file changes')];
  if (only === undefined) return found;
  if (more.length === 0) return [...found, ...judgeStartedText(only, call)];
  call.judgeCommand(operands);
  return found;
}
