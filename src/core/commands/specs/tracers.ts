import { type Argument, literal } from '../argument.ts';
import { classifyEscapes, classifyStarted } from '../custom/started-code.ts';
import type { Invocation } from '../parse.ts';
import type { Call, SpecTable } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

const REPEATED = { any: true, effect: 'runs', detail: 'a command each time that a file changes' } as const;
const PERF = { any: true, effect: 'runs', detail: 'a watched command', inner: { after: 0 } } as const;
const ATTACHES = { 'p a t pid tid all-cpus': 'privileged' } as const;
const JAIL = { any: true, effect: 'privileged', inner: { after: 0 } } as const;

/** Programs that start a command to watch it, to repeat it, or to change its privileges. */
export const TRACERS: SpecTable = {
  parallel: {
    any: true,
    options: `-j:a:I:n:N:L:P:S:d:E:s:C: jobs= arg-file= max-args= max-procs= delay= timeout= retries= joblog= results= sshlogin= colsep=
      delimiter= tagstring= workdir= tmpdir= load= memfree= arg-sep= basefile= wd= halt= env= nice= trim= block= recstart= recend= return=
      transferfile=`,
    on: { 'S sshlogin slf sshloginfile': 'network' },
    inner: { after: 0, script: 'joined', until: ':::', feeds: true },
    custom: classifyParallel,
  },
  script: {
    any: true,
    options: `-c:E:I:O:B:T:m:o:aefqt:: command= echo= log-in= log-out= log-io= log-timing= logging-format= output-limit= append return
      flush force quiet timing?`,
    on: { 'I O B T log-in log-out log-io log-timing': 'replace' },
    effect: 'runs',
    detail: 'a terminal that is kept in a file',
    operands: 'replace',
    inner: { after: 1, scripts: 'c command' },
  },
  strace: {
    any: true,
    options: `-a:b:e:E:I:o:O:p:P:s:S:u:U:X: attach= output= trace= signal= user= env= string-limit= detach-on= interruptible= status=
      trace-path= columns= abbrev= verbose= raw= read= write= quiet? kvm= decode-fds? summary-syscall-overhead= summary-sort-by=
      summary-columns= const-print-style= inject= fault= argv0=`,
    on: { 'o output': 'replace', 'p attach u user': 'privileged' },
    effect: 'runs',
    detail: 'a traced command',
    inner: { after: 0 },
  },
  ltrace: {
    any: true,
    options: '-a:A:D:e:F:l:n:o:p:s:u:w:x:X: align= config= debug= library= output= indent= where=',
    on: { 'o output': 'replace', 'p u': 'privileged' },
    effect: 'runs',
    detail: 'a traced command',
    inner: { after: 0 },
  },
  valgrind: { any: true, effect: 'runs', detail: 'a watched command', inner: { after: 0 } },
  perf: {
    any: true,
    interprets: { except: 'report list annotate diff version' },
    sub: {
      record: {
        ...PERF,
        options: `-c:C:D:e:F:G:I::j:k:m:o:p:r:S::t:u:z:: count= cpu= delay= event= freq= cgroup= branch-filter= clockid= mmap-pages=
          output= pid= realtime= tid= uid= affinity= call-graph= clang-opt= clang-path= control= filter= max-size= mmap-flush=
          proc-map-timeout= vmlinux= synth=`,
        on: ATTACHES,
      },
      stat: {
        ...PERF,
        options: `-C:D:e:G:I:M:o:p:r:t:x: cpu= delay= event= cgroup= interval-print= metrics= output= pid= repeat= tid= field-separator=
          control= filter= interval-count= log-fd= post= pre= timeout= for-each-cgroup= smi-cost`,
        on: { ...ATTACHES, 'pre post': 'runs' },
      },
      trace: { ...PERF, options: '-e:D:o:p:t:u:C:m:F:G: expr= event= output= pid= tid= uid= cpu= delay= duration=', on: ATTACHES },
      'top kvm': { any: true, effect: 'runs', detail: 'a watched command', on: ATTACHES },
    },
    effect: 'runs',
  },
  rr: { any: true, sub: { record: PERF, 'replay ps ls': { any: true, effect: 'runs' } }, effect: 'runs' },
  heaptrack: { ...PERF, options: '-p:o:d:i: pid= output=', on: { 'p pid': 'privileged' } },
  'gdb gdbtui lldb cgdb': { any: true, options: '-x:p:o:O:s:S:k:K:c:d:n', custom: classifyDebugger },
  'chroot unchroot': {
    any: true,
    options: 'groups= userspec= skip-chdir',
    effect: 'privileged',
    inner: { after: 1 },
    elsewhere: 'container',
  },
  nsenter: {
    ...JAIL,
    options: `-t:m::u::i::n::p::C::U::T::S:G:r::w::W: target= mount? uts? ipc? net? pid? cgroup? user? time? setuid= setgid= root? wd?
      wdns=`,
    elsewhere: 'container',
  },
  unshare: {
    ...JAIL,
    on: { 'R w root wd': 'changes' },
    options: `-R:w:S:G: mount? uts? ipc? net? pid? user? cgroup? time? map-user= map-group= map-users= map-groups= kill-child? mount-proc?
      propagation= setgroups= root= wd= setuid= setgid= monotonic= boottime=`,
  },
  setpriv: {
    ...JAIL,
    options: `ambient-caps= inh-caps= bounding-set= ruid= euid= rgid= egid= reuid= regid= groups= securebits= pdeathsig= selinux-label=
      apparmor-profile=`,
  },
  firejail: JAIL,
  bwrap: {
    ...JAIL,
    options: `args= argv0= userns= userns2= pidns= uid= gid= hostname= chdir= setenv== unsetenv= lock-file= sync-fd= bind== bind-try==
      dev-bind== dev-bind-try== ro-bind== ro-bind-try== bind-fd== ro-bind-fd== remount-ro= overlay-src= tmp-overlay= ro-overlay=
      exec-label= file-label= proc= dev= tmpfs= mqueue= dir= file== bind-data== ro-bind-data== symlink== seccomp= add-seccomp-fd=
      block-fd= userns-block-fd= info-fd= json-status-fd= cap-add= cap-drop= perms= size= chmod==`,
    elsewhere: 'container',
  },
  capsh: {
    any: true,
    custom: (_, { words, classifyScript }) => {
      const at = words.findIndex(({ value }) => value === '-c');
      const script = at < 0 ? null : (words[at + 1]?.value ?? null);
      if (script !== null) classifyScript(script);
      return [effect('privileged')];
    },
  },
  'systemd-run': {
    any: true,
    options: `-u:p:M:H:E: unit= property= description= slice= uid= gid= nice= working-directory= setenv= machine= host= service-type=
      on-active= on-boot= on-startup= on-unit-active= on-unit-inactive= on-calendar= timer-property= path-property= socket-property=
      background= job-mode=`,
    on: {
      'working-directory': 'changes',
      'H M host machine': 'network',
      'on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar': 'plants',
      'on-clock-change on-timezone-change path-property socket-property': 'plants',
    },
    effect: 'privileged',
    inner: { after: 0 },
  },
  machinectl: {
    any: true,
    options: '-p:M:H:E:n:o: property= machine= host= setenv= uid= lines= output= kill-whom= signal=',
    sub: { shell: { any: true, options: '-E: setenv= uid=', inner: { after: 1 }, effect: 'privileged', elsewhere: 'container' } },
    effect: 'privileged',
  },
  entr: { ...REPEATED, inner: { after: 0, script: 'alone' } },
  reflex: {
    ...REPEATED,
    options: '-r:R:g:G:d:c: regex= inverse-regex= glob= inverse-glob= decoration= config= substitute= shutdown-timeout=',
    inner: { after: 0, script: 'alone' },
  },
  watchexec: {
    ...REPEATED,
    options: `-w:W:e:f:i:s:d:o:E:j: watch= watch-non-recursive= exts= filter= filter-file= ignore= ignore-file= signal= stop-signal=
      stop-timeout= debounce= on-busy-update= shell= env= workdir= delay-run= fs-events= project-origin=`,
    inner: { after: 0, script: 'alone' },
  },
  'modd cargo-watch': {
    ...REPEATED,
    options: '-x:s:w:i:d:C:E:B:f: exec= shell= watch= ignore= delay= workdir= env= features= file=',
    inner: { after: 0, script: 'alone', scripts: 'x s exec shell' },
  },
  hyperfine: {
    any: true,
    options: `-w:m:M:r:s:p:c:i:S:P:D:L:u:n: warmup= min-runs= max-runs= runs= setup= prepare= cleanup= conclude= shell= parameter-scan=
      parameter-list= command-name= style= sort= time-unit= export-json= export-markdown= export-csv= input= output=`,
    effect: 'runs',
    detail: 'commands whose time is measured',
    inner: { after: 0, script: 'each', scripts: 's p c setup prepare cleanup' },
  },
};

/** `parallel COMMAND ::: WORDS` runs a shell script for each word. */
function classifyParallel({ operands }: Invocation, call: Call): readonly Effect[] {
  const found = [effect('runs', 'runs a command for each of many words')];
  const mark = operands.findIndex(({ value }) => /^:::\+?$/.test(value ?? ''));
  const words = operands.slice(0, mark < 0 ? undefined : mark);
  const given = mark < 0 ? (call.input.text?.split('\n') ?? []) : operands.slice(mark + 1).map(({ value }) => value ?? '$read');
  if (words.some(({ value }) => value === null)) return [...found, effect('unclear', 'what parallel runs')];
  const script = words.map(({ value }) => value).join(' ');
  const each = given.filter((word) => word !== '' && !/^:::/.test(word)).slice(0, 20);
  for (const word of each.length === 0 ? ['$read'] : each) call.classifyScript(fill(script, word));
  return found;
}

function fill(script: string, word: string): string {
  if (script === '') return word;
  return /\{[./]{0,2}\}/.test(script) ? script.replace(/\{[./]{0,2}\}/g, () => word) : `${script} ${word}`;
}

const DEBUGGED = /^--?(?:ex|eval-command|iex|init-eval-command|o|O|one-line|one-line-before-file|k|K)(?:=(.*))?$/s;

function debuggerTexts(words: readonly Argument[]): readonly Argument[] {
  return words.flatMap((word, at) => {
    const given = DEBUGGED.exec(word.value ?? '');
    if (given === null) return [];
    return given[1] === undefined ? (words[at + 1] ?? []) : [literal(given[1])];
  });
}

/** A debugger runs shell commands, and attaches to other processes. */
function classifyDebugger({ operands }: Invocation, call: Call): readonly Effect[] {
  const { words, input } = call;
  const texts = [...debuggerTexts(words), ...(input.text === null ? [] : [literal(input.text)])];
  const attaches =
    words.some(({ start }) => /^(-p$|-p\d|--?pid|--attach-pid|-n$|--attach-name)/.test(start)) ||
    texts.some(({ start }) => /^\s*(attach|process attach)\b/m.test(start)) ||
    operands.some(({ value }, at) => at > 0 && /^\d+$/.test(value ?? ''));
  return [
    effect(attaches ? 'privileged' : 'runs', 'a debugger'),
    ...texts.flatMap(({ value, text }) =>
      value === null ? [effect('unclear', text)] : [...classifyEscapes(value, call), ...classifyStarted(value, call)],
    ),
  ];
}
