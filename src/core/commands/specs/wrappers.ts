import { type Argument, literal } from '../argument.ts';
import { scriptOf } from '../custom/started-code.ts';
import { classifyInner } from '../effects.ts';
import { hasOption, type InnerCommand, type Invocation, isAssignment, isGiven, joinOptions } from '../parse.ts';
import { namesSecretFile } from '../path-use.ts';
import type { Call, CommandSpec, SpecTable } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

const PERSONALITY: CommandSpec = {
  options: `-BFILRSTXZ3v 32bit fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize whole-seconds sticky-timeouts
    read-implies-exec mmap-page-zero 3gb 4gb uname-2.6 verbose`,
};
const BESIDE_OPTIONS = 'dbus-daemon= config-file= error-file= auth-file= server-num= xauth-protocol= server-args= wait= rewrite=';
const BESIDE: CommandSpec = {
  any: true,
  effect: 'runs',
  detail: 'a service beside the command',
  inner: { after: 0 },
};
const FAKED_OPTIONS = 'lib= faked= fd-base= config-dir= environment= bindir=';
const FAKED: CommandSpec = {
  any: true,
  effect: 'changes',
  detail: 'other surroundings',
  inner: { after: 0 },
};
const ENV: InnerCommand = { after: 0, assignments: true };
const WATCHED: InnerCommand = { after: 0, isPlain: false };
const SU = '-c:s:g:G:w:T: command= session-command= shell= group= supp-group= whitelist-environment=';

/** With one of these options the command runs in another directory, or with other variables, so its file changes are unknown. */
function placedBy(options: string): CommandSpec['changes'] {
  return (given, { name }) => (isGiven(given, ...options.split(' ')) ? [{ do: 'unknown', what: `what ${name} starts` }] : null);
}

/** A wrapper that also takes a process instead of a command, and shows or sets its properties. */
function orAsks(inner: InnerCommand, isQuestion: (given: Invocation) => boolean, changes = false): CommandSpec {
  return {
    inner,
    custom: (given, call) => {
      if (!hasOption(given, inner.unless ?? ''))
        return [...(changes ? [effect('changes', 'other surroundings')] : []), ...classifyInner(inner, given, call)];
      return isQuestion(given) ? [] : [effect('changes', 'what holds for a process')];
    },
  };
}

const XARGS_PLAIN = /^(?:0|r|t|x|n|P|null|no-run-if-empty|verbose|max-args|max-procs)$/;

/** Programs that start the command in their words. */
export const WRAPPERS: SpecTable = {
  'time gtime': {
    options: '-pvaqf:o: portability verbose append quiet format= output=',
    on: { 'o output': 'replace' },
    inner: { after: 0 },
  },
  'timeout gtimeout': { options: '-k:s:v kill-after= signal= preserve-status foreground verbose', inner: { after: 1 } },
  'nice gnice': { digits: true, options: '-n: adjustment=', inner: { after: 0 } },
  ionice: {
    options: '-c:n:tp:P:u: class= classdata= ignore pid= pgid= uid=',
    ...orAsks({ after: 0, unless: 'p P u pid pgid uid' }, ({ options }) =>
      options.every(({ name }) => /^(p|P|u|pid|pgid|uid|t)$/.test(name)),
    ),
  },
  chrt: {
    options: `-abdfiormpvRT:P:D: all-tasks batch deadline fifo idle other rr max pid verbose reset-on-fork sched-runtime= sched-period=
      sched-deadline=`,
    ...orAsks(
      { after: 1, unless: 'm p max pid' },
      ({ options, operands }) => options.every(({ name }) => /^(m|p|max|pid|a|all-tasks)$/.test(name)) && operands.length <= 1,
      true,
    ),
  },
  taskset: {
    options: '-acp all-tasks cpu-list pid',
    ...orAsks({ after: 1, unless: 'p pid' }, ({ operands }) => operands.length <= 1),
  },
  'stdbuf gstdbuf': { options: '-i:o:e: input= output= error=', inner: { after: 0 } },
  unbuffer: { options: '-p', inner: { after: 0 } },
  chronic: { options: '-ve', inner: { after: 0 } },
  'nohup gnohup setsid': {
    options: '-cfw ctty fork wait',
    effect: 'changes',
    detail: 'goes on when the session ends',
    inner: { after: 0 },
  },
  catchsegv: { inner: { after: 0 } },
  'linux32 linux64': { ...PERSONALITY, inner: { after: 0 } },
  setarch: { ...PERSONALITY, effect: 'changes', detail: 'other surroundings', inner: { after: 1 } },
  // `--install` puts links into system folders, and an applet is not the program of the same name.
  'busybox toybox': { options: 'list list-full help', inner: { after: 0, isPlain: false } },
  softlimit: { options: '-m:d:s:l:a:o:p:f:c:r:t:', inner: { after: 0 } },
  prlimit: {
    options: `-p:o:c::d::e::f::i::l::m::n::q::r::s::t::u::v::x::y:: pid= output= noheadings raw verbose core? data? nice? fsize?
      sigpending? memlock? rss? nofile? msgqueue? rtprio? stack? cpu? nproc? as? locks? rttime?`,
    ...orAsks(
      { after: 0, unless: 'p pid' },
      ({ options, operands }) =>
        operands.length === 0 && options.every(({ name, value }) => value === null || /^(p|pid|o|output)$/.test(name)),
    ),
  },
  'dbus-run-session xvfb-run': { ...BESIDE, options: `-e:f:n:p:s:w: ${BESIDE_OPTIONS}` },
  'tini dumb-init eatmydata dbus-launch': { ...BESIDE, options: `-p:e:r: ${BESIDE_OPTIONS}` },
  'ssh-agent': { any: true, options: '-a:E:O:P:t:', effect: 'runs', inner: { after: 0, unless: 'k' } },
  'rlwrap run-one': {
    any: true,
    options: `-a::b:C:D:e:f:g:H:l:m::M:O:p::P:q:s:S:t:w:z: break-chars= command-name= file= history-filename= logfile= pre-given=
      histsize= substitute-prompt= filter=`,
    effect: 'changes',
    detail: 'what it keeps of its own',
    inner: { after: 0 },
  },
  'proxychains proxychains4 torsocks torify tsocks': {
    any: true,
    options: '-f:u:p:a:P: user= pass= address= port=',
    effect: 'network',
    inner: { after: 0 },
  },
  logsave: { options: '-asv', effect: 'changes', detail: 'keeps what the command prints', operands: 'replace', inner: { after: 1 } },
  'faketime setuidgid envdir setlock': { any: true, options: '-p:', effect: 'changes', detail: 'other surroundings', inner: { after: 1 } },
  fakeroot: { ...FAKED, options: `-l:f:i:s:b: ${FAKED_OPTIONS}` },
  fakechroot: { ...FAKED, options: `-l:d:c:b:e: ${FAKED_OPTIONS}` },
  sshpass: { options: '-p:f:d:P:evh', effect: 'changes', detail: 'a password', inner: { after: 0 } },
  cpulimit: {
    any: true,
    options: '-l:p:e:P:c: limit= pid= exe= path= cpu=',
    effect: 'changes',
    detail: 'a limit',
    inner: { after: 0, unless: 'p e P pid exe path' },
  },
  numactl: {
    any: true,
    options: '-i:w:N:C:m:P:p: interleave= weighted-interleave= cpunodebind= physcpubind= membind= preferred= preferred-many= touch= shm=',
    ...orAsks({ after: 0, unless: 'H hardware s show' }, ({ options, operands }) => options.length === 1 && operands.length === 0, true),
  },
  'choom uclampset': {
    any: true,
    options: '-n:p:m:M:',
    ...orAsks({ after: 0, unless: 'p pid' }, ({ options, operands }) => options.length === 1 && operands.length === 0, true),
  },
  'trickle cgexec chpst proot systemd-inhibit': {
    any: true,
    options: '-d:u:w:t:l:L:n:g:U:b:e:C:m:o:p:f:c:r:q: what= who= why= mode= bind= rootfs= cwd=',
    effect: 'runs',
    detail: 'other surroundings',
    inner: { after: 0 },
  },
  'gosu su-exec s6-setuidgid': { any: true, effect: 'privileged', inner: { after: 1 } },
  'nq tsp': { any: true, options: '-D:L:N:', effect: 'runs', detail: 'goes on when the session ends', inner: { after: 0 } },
  caffeinate: { options: '-dimsut:w:', effect: 'changes', detail: 'keeps the machine awake', inner: { after: 0 } },
  coproc: { effect: 'runs', detail: 'a coprocess', inner: { after: 0 } },
  'noglob nocorrect': { effect: 'runs', detail: 'a word of zsh', inner: { after: 0 } },
  'env genv': {
    options: `-i0u:C:S:v ignore-environment null unset= chdir= split-string= debug block-signal? default-signal? ignore-signal?
      list-signal-handling`,
    on: { 'C chdir': 'changes', 'i u ignore-environment unset': 'reads' },
    inner: ENV,
    custom: classifyEnv,
    changes: placedBy('C chdir S split-string'),
  },
  command: { options: '-pvV', inner: { after: 0, unless: 'v V' } },
  builtin: { inner: { after: 0 } },
  // The command replaces the shell.
  exec: { options: '-cla:', inner: { after: 0, isPlain: false } },
  xargs: {
    options: `-0rtpxoa:d:E:e::I:i::L:l::n:P:s: null no-run-if-empty verbose interactive exit arg-file= delimiter= eof? replace? max-lines?
      max-args= max-procs= max-chars= show-limits open-tty process-slot-var=`,
    on: { 'a arg-file': 'content', 'process-slot-var': 'changes' },
    inner: { after: 0, feeds: true },
    custom: classifyXargs,
    // The words from the input come last; with a placeholder, or from a file, their place is unknown.
    changes: ({ options }) => {
      const odd = options.find(({ name }) => !XARGS_PLAIN.test(name));
      if (odd !== undefined) return [{ do: 'unknown', what: `xargs with the option ${odd.name}` }];
      return [{ do: 'read-names', parted: isGiven({ options }, '0', 'null') ? 'nulls' : 'blanks' }];
    },
  },
  watch: {
    options: `-bcCd::efgn:pq:rs:twx beep color differences? errexit chgexit equexit= interval= precise no-rerun no-title no-wrap
      no-linewrap no-color follow shotsdir= exec`,
    inner: { ...WATCHED, script: 'joined' },
    custom: (given, call) => classifyInner(isGiven(given, 'x', 'exec') ? WATCHED : { ...WATCHED, script: 'joined' }, given, call),
  },
  flock: {
    options: '-snuow:c:E:Fxe shared exclusive nonblock nb unlock wait= timeout= conflict-exit-code= command= close no-fork verbose',
    effect: 'changes',
    detail: 'holds a lock file',
    inner: { after: 1, scripts: 'c command' },
  },
  sudo: {
    any: true,
    options: `-a:c:u:g:p:C:D:h:r:t:T:U:R: user= group= chdir= chroot= host= prompt= close-from= role= type= command-timeout= other-user=
      login-class= auth-type=`,
    effect: 'privileged',
    inner: { after: 0, assignments: true, unless: 'e edit l list v validate K remove-timestamp' },
    changes: placedBy('D R chdir chroot i login s shell'),
  },
  doas: { any: true, options: '-a:C:u:', effect: 'privileged', inner: { after: 0 } },
  pkexec: { any: true, options: '-u: user=', effect: 'privileged', inner: { after: 0 } },
  run0: {
    any: true,
    options: `-u:g:D:M: user= group= chdir= nice= unit= property= description= slice= machine= setenv= background= shell-prompt-prefix=
      host=`,
    changes: placedBy('D chdir M machine'),
    effect: 'privileged',
    inner: { after: 0 },
  },
  su: { any: true, options: SU, effect: 'privileged', inner: { scripts: 'c command session-command' } },
  runuser: {
    any: true,
    options: joinOptions(SU, '-u: user='),
    effect: 'privileged',
    inner: { after: 0, only: 'u user', scripts: 'c command session-command' },
  },
};

function classifyEnv(given: Invocation, call: Call): readonly Effect[] {
  const split = given.options.find(({ name }) => name === 'S' || name === 'split-string');
  if (split !== undefined) return classifySplit(split.value, given.operands, call);
  const found = classifyInner(ENV, given, call);
  return given.operands.every(isAssignment) ? [...found, effect('secrets', 'the whole environment')] : found;
}

/** `env -S 'A=1 command'` splits its value into words, and reads them as its own. */
function classifySplit(text: Argument | null, more: readonly Argument[], call: Call): readonly Effect[] {
  const script = scriptOf(more);
  if (text === null || text.value === null || script === null) return [effect('unclear', 'a command in one word of env')];
  call.classifyScript(`env ${text.value} ${script}`);
  return [effect('changes', 'a command in one word of env')];
}

/** The words that xargs appends are unknown: they must not be options or commands. */
function classifyXargs({ operands, options }: Invocation, call: Call): readonly Effect[] {
  const words = operands.length > 0 ? operands : [];
  if (words.length === 0) return [];
  const mark = options.find(({ name }) => 'Ii'.includes(name) || name === 'replace')?.value?.value ?? null;
  const replaces = options.some(({ name }) => 'Ii'.includes(name) || name === 'replace');
  const script = words.slice(1).find((word) => replaces && word.value?.includes(mark ?? '{}'));
  if (script !== undefined && /(^|\/)(ba|da|z|k|a)?sh$|^(eval|python3?|perl|ruby|node|awk)$/.test(words[0]?.value ?? ''))
    return [effect('unclear', { because: 'printed-script' }), ...classifyReadScript(script, mark ?? '{}', call)];
  const listed = options.find(({ name }) => name === 'a' || name === 'arg-file')?.value;
  const appended = {
    ...(words[0] ?? call.words[0]),
    text: 'what xargs reads',
    value: null,
    start: '',
    isSplit: true,
    isFed: true,
    feed: listed === undefined || listed === null ? call.input.feed : 'text',
    isListed: isList(call) && !(words.at(-1)?.value !== null && SENDS_NEXT.test(words.at(-1)?.value ?? '')),
    isNumber: false,
    isGlob: false,
    isDisguised: false,
    hasOutput: true,
    isSecret: false,
  };
  for (const read of readWords(call)) classifyRead(words, read, replaces ? (mark ?? '{}') : null, call);
  const woven = replaces && !isShown(call) ? words.map((word, at) => weave(word, words[at - 1], mark ?? '{}')) : words;
  const isSecret = call.input.isSecret || (listed !== undefined && listed !== null && namesSecretFile([listed], call.scope).length > 0);
  call.classifyCommand([...woven, appended], { input: { isGiven: false, text: null, programs: [], isEscaped: false, isSecret } });
  return [];
}

/** Options whose value is sent, and is not an address. */
const SENDS_NEXT = /^(?:-[a-zA-Z]*[dHFTAbeuX]|--(?:data|json|header|form|upload|cookie|user|referer|request|post|body|url-query)[\w-]*)$/;

/** Whether the line shows the input, or the input is numbers. */
function isShown({ input: { text, programs } }: Call): boolean {
  return text !== null || (programs.length > 0 && programs.every((name) => name === 'seq'));
}

function isList(call: Call): boolean {
  return isShown(call) || call.input.isList !== false;
}

/** Text around the input of xargs stays part of the word: a host, an address, a header. */
function weave(word: Argument, before: Argument | undefined, mark: string): Argument {
  if (word.value?.includes(mark) !== true) return word;
  const isAlone = word.value === mark && !SENDS_NEXT.test(before?.value ?? '');
  return isAlone ? word : { ...word, hasOutput: true };
}

/** The script with the input of xargs filled in, if the line shows the input. */
function classifyReadScript(script: Argument, mark: string, call: Call): readonly Effect[] {
  const lines = call.input.text?.split('\n').slice(0, MOST_READ) ?? [];
  for (const line of lines) if (line !== '') call.classifyScript((script.value ?? '').replaceAll(mark, () => line));
  return [];
}

const MOST_READ = 20;

/** The input words of xargs that reach beyond the project or are options, if the line shows them. */
function readWords({ input }: Call): readonly string[] {
  const words = input.text?.split(/\s+/).filter((word) => /^[/~-]|^\.\.?(\/|$)|[*\\]/.test(word)) ?? [];
  return [...words.slice(0, MOST_READ), ...(input.found === undefined ? [] : [input.found])];
}

function classifyRead(words: readonly Argument[], read: string, mark: string | null, call: Call): void {
  const filled = mark === null ? [...words, literal(read)] : words.map((word) => replaced(word, mark, read));
  const given = filled.map((word) => ({ ...word, isStandIn: true }));
  call.classifyCommand(given, { input: { isGiven: false, text: null, programs: [], isEscaped: false, isSecret: false } });
}

function replaced(word: Argument, mark: string, read: string): Argument {
  return word.value?.includes(mark) ? literal(word.value.replaceAll(mark, () => read)) : word;
}
