import { hasOption } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { type CommandSpec, rows, type SpecTable } from '../spec.ts';
import { effect } from '../verdict.ts';

/*
 * Programs that show the state of the machine. Many have an option that writes a file, contacts another machine, or reads a configuration
 * that starts something. So the table lists the read-only options, and every other option needs an approval.
 */

const NUMBERED_FACTS: CommandSpec = { lenient: true, digits: true };
const FACTS: CommandSpec = { lenient: true };
const TEXT_FACTS: CommandSpec = { lenient: true, operands: 'text' };

/** A read-only program that takes no options but these. */
export const MACHINE: SpecTable = {
  ...rows(NUMBERED_FACTS, {
    'cal ncal': '-13smjywhbJeoNMCd:A:B:H:S one three sunday monday julian year twelve months= color?',
    'sleep factor yes expr arch logname hostid jot seq': `-f:s:wrb:p:nc format= separator= equal-width all ignore= silent quiet help
      version`,
    'top htop': `-bcd:eE:Hhin:o:OPp:sSU:u:w::1M:tC batch-mode delay= iterations= delay-seconds= pid= sort-override= filter-only-euser=
      filter-any-user= width? threads-show summary-only tree user? readonly no-colour no-color no-mouse no-unicode highlight-changes=
      sort-key=`,
    'tput tabs clear reset': '-T:xV',
    infocmp: '-dcnILCruxgpsqTw:W1V',
    cpuid: '-rkil:s:n one-cpu raw kernel inst leaf= subleaf= no-hypervisor',
  }),
  ...rows(FACTS, {
    tty: '-s silent quiet',
    numfmt: `-d:z debug delimiter= field= format= from= from-unit= grouping header? invalid= padding= round= suffix= to= to-unit=
      zero-terminated`,
    uname: '-asnrvmpio all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system',
    uptime: '-psV pretty since container raw',
    w: '-hufsiopVc no-header no-current short from ip-addr old-style pids container',
    locale: '-ackmv all-locales category-name keyword-name charmaps verbose',
    'getconf lsb_release': '-avsidrcu version id description release codename all short',
    lscpu: '-abcBC::e::hJp::rs:xyV all online bytes caches? offline extended? json parse? raw sysroot= hex physical output-all hierarchic?',
    lsmem: '-JPabno:rS:s:V json pairs all bytes noheadings output= output-all raw split= sysroot= summary?',
    lsipc: `-i:gqmsctbeJnlo:PruyzV id= global queues shmems semaphores creator time bytes export json noheadings list newline notruncate
      numeric-perms output? output-all pairs raw time-format= posix-shmems shell colon-separate`,
    lsns: '-Jlno:p:PruWt:T:NQ:V json list noheadings output= output-all task= persistent raw notruncate nowrap type= tree= filter= pid=',
    lslocks: '-biJno:p:ruQ:V bytes noinaccessible json noheadings output= output-all pid= raw notruncate filter=',
    lsusb: '-s:d:vtV verbose tree',
    'lsmod netstat acpi': `-rignsMvWeopalFC46tuwxTASZNKbBcfdRh route groups interfaces statistics masquerade verbose wide numeric
      numeric-hosts numeric-ports numeric-users symbolic extend programs timers listening all fib cache tcp udp udplite sctp raw unix
      continuous battery ac-adapter thermal cooling everything fahrenheit kelvin details`,
    free: '-bkmghtlwc:s:Lv bytes kibi mebi gibi tebi kilo mega giga tera human si lohi line total count= seconds= wide committed',
    'vmstat iostat mpstat': `-afmdnDsp:S:twychkxzjHNVAI:P:uTo: active forks slabs one-header stats disk disk-sum partition= unit= wide
      timestamp no-first human dec= pretty compact`,
    pstree: `-AacC:gGhH:lnN:pTtsuUSZ arguments ascii compact-not color= hide-threads highlight-all highlight-pid= long numeric-sort
      ns-sort= show-pids show-parents show-pgids uid-changes unicode vt100 thread-names ns-changes security-context`,
    'fc-list': '-f:vqh format= verbose quiet',
    pmap: '-xXpqdrA:V extended device quiet show-path range=',
    lastlog: '-b:t:u: before= time= user=',
    'sestatus getenforce': '-vb',
    blkid: `-o:s:t:L:U:lipkDn:u:H: output= match-tag= match-token= label= uuid= list-one info probe list-filesystems no-encoding
      match-types= usages=`,
    'uuidparse uuidgen': '-Jno:rtmsxN:C: json noheadings output= raw random time md5 sha1 hex namespace= name= count=',
    glxinfo: '-vtBlbish',
    vulkaninfo: 'summary text show-all show-tool-props show-formats show-video-props',
    clinfo: '-al all list human raw offline null-platform',
    pidstat: '-dhHIlp:rRstT:uU::vVwC:G: human dec=',
    dmidecode: '-s:t:qu string= type= quiet dump handle= oem-string= no-sysfs',
    sensors: '-ujAfhv fahrenheit no-adapter bus-list',
  }),
  nproc: { lenient: true, options: 'all ignore=', yields: () => 'number' },
  'whoami id groups': {
    lenient: true,
    options: '-agGnruzZp context group groups name real user zero',
    yields: ({ options }) => (options.length === 1 && /^[ug]$/.test(options[0]?.name ?? '') ? 'number' : null),
  },
  // The name of another file prints that file.
  'who users': {
    lenient: true,
    options: '-abdHlmpqrstTuw all boot dead heading login message mesg process count runlevel short time users writable',
    operands: 'content',
  },
  last: {
    lenient: true,
    digits: true,
    options: `-aFiwxRn:p:s:t:f:Tz: hostlast fulltimes ip fullnames system nohostname limit= present= since= until= file= tab-separated
      time-format=`,
    on: { 'f file': 'content' },
  },
  lslogins: {
    lenient: true,
    options: `-acefGg:Ll:npro:stuzZ acc-expiration colon-separate export failed supp-groups groups= last? logins= newline noheadings
      notruncate output? output-all pwd raw system-accs time-format= user-accs print0 context`,
    on: { p: 'secrets', 'pwd output output-all o': 'secrets' },
  },
  'pgrep pidof': {
    lenient: true,
    options: `-d:lafvwxcng:G:iO:oP:s:t:u:U:F:LAr:SqzV delimiter= list-name list-full exact full newest oldest older= parent= session=
      terminal= euid= uid= group= pgroup= count inverse ignore-case runstates= ns= nslist= single-shot omit-pid= lightweight env= pidfile=
      logpidfile ignore-ancestors cgroup= quiet signal= queue=`,
    on: { env: 'secrets' },
    yields: ({ options }) => (options.every(({ name }) => /^[fxnouUts]$/.test(name)) ? 'number' : null),
  },
  dircolors: { lenient: true, options: '-bcp sh bourne-shell csh c-shell print-database print-ls-colors', operands: 'content' },
  ...rows(TEXT_FACTS, {
    'which whereis': '-asbmulfB:M:S:g all skip-alias skip-functions skip-dot skip-tilde show-dot show-tilde tty-only',
    'whatis apropos': '-dvrwles:am:L:k debug verbose regex wildcard long sections= section= and exact locale= systems=',
  }),
  // A page given by path is a file that is shown.
  man: {
    lenient: true,
    options: `-kfwWals:S:KiIP:H::C:X::T::t apropos whatis where path where-cat location location-cat all sections= global-apropos
      ignore-case match-case regex wildcard names-only pager= html? config-file= gxditview? troff-device? ditroff troff`,
    on: { 'P pager H html C config-file X gxditview T troff-device t ditroff troff': 'starts' },
    custom: ({ options, operands }, { scope }) =>
      operands.flatMap((word) => usePath(word, word.start.includes('/') || hasOption({ options }, 'l') ? 'content' : 'text', scope)),
  },
  info: {
    lenient: true,
    options: '-akn:wOo: all apropos= node= subnodes usage where location output=',
    on: { 'o output': 'replace' },
    operands: 'content',
  },
  bc: { lenient: true, options: '-ilqswv interactive mathlib quiet standard warn', operands: 'content' },
  'fortune figlet': { lenient: true, options: '-aceflosm:iwn:ptrkxLRSWDNvI:d: all', operands: 'content' },
  // An unusual service may contact another machine.
  getent: {
    lenient: true,
    options: '-i no-idn',
    custom: ({ operands }) =>
      /^(shadow|gshadow)$/.test(operands[0]?.start ?? '')
        ? [effect('secrets', 'password hashes')]
        : /^(hosts|ahosts|ahostsv[46]|networks|netgroup|ethers)$/.test(operands[0]?.start ?? '') && operands.length > 1
          ? [effect('network', 'asks for the address of a host')]
          : [],
  },
  ps: {
    any: true,
    custom: (_, { words }) =>
      words.some(({ value }, at) => value !== null && at === 0 && /^([a-df-z]*e[a-z]*|-E)$/i.test(value) && /^-E|e/.test(value)) ||
      words.some(({ value }) => /^-[a-zA-Z]*E/.test(value ?? '')) ||
      words.some(({ value }) => value === 'e' || value === 'eww' || value === '-E' || /\benviron\b/.test(value ?? ''))
        ? [effect('secrets', 'the environment of processes')]
        : [],
  },
  // A name with an `@` is looked up on that machine.
  finger: {
    lenient: true,
    options: '-lmsp',
    custom: ({ operands }) => (operands.some(({ value }) => value?.includes('@') !== false) ? [effect('network')] : []),
  },
  isoinfo: { options: '-lfdpi:RJx:X', operands: 'content', on: { i: 'content' } },
  // Without an operand it lists the Java machines on this host.
  jps: { options: '-qmlvV', custom: ({ operands }) => (operands.length === 0 ? [] : [effect('network')]) },
  modinfo: {
    lenient: true,
    options: '-adlpn0F:k: author description license parameters filename field= set-version= null',
    operands: 'name',
  },
  // These run their settings, and words of some options.
  'neofetch fastfetch screenfetch': { effect: 'runs' },
  xdpyinfo: { lenient: true, single: true, options: 'queryExtensions version ext=' },
  lshw: { lenient: true, single: true, options: 'short businfo html xml json class= C= disable= c= quiet numeric sanitize notime' },
  'nvidia-smi xrandr': { single: true, options: 'L q l= i= query-gpu= format= query verbose current', on: {} },
  lspci: { lenient: true, options: '-vnkxtmbDd:s:PQq', on: { 'q Q': 'network' } },
  lsof: { lenient: true, options: '-abcCd:D::F::g::hi::lnNoOPp:Rr::s::S::tT::u:UvVwxXzZE', on: { D: 'changes' }, operands: 'name' },
  sar: { lenient: true, options: '-AbBdDFhHI:m:n:P:pqrRStuvVwWxXyzf:s:e:i:j: human dec= iface= dev= pretty sadc', on: { f: 'content' } },
  ss: {
    lenient: true,
    options: `-nalBoeOmpisbZzt0u46dwxSf:A:HTMhVKD: numeric all listening bound-inactive options extended memory processes threads info tos
      cgroup summary context contexts ipv4 ipv6 packet tcp udp dccp raw unix sctp vsock tipc xdp mptcp family= query= socket= no-header
      oneline inet-sockopt kill diag=`,
    on: { 'K kill': 'destroys', 'D diag': 'replace' },
  },
  ifconfig: {
    options: '-asv',
    custom: ({ operands }) =>
      operands.length <= 1
        ? []
        : [effect(operands.some(({ value }) => value === 'down') ? 'wrecks' : 'privileged', 'the network of the machine')],
  },
  'arp route': {
    any: true,
    custom: ({ options, operands }) =>
      options.every(({ name }) => 'anveeNFC46'.includes(name)) && operands.length === 0
        ? []
        : [effect('privileged', 'the network of the machine')],
  },
  iwconfig: { any: true, effect: 'privileged' },
  hostname: {
    options: '-aAfiIsdyV all-fqdns all-ip-addresses fqdn long short domain ip-address',
    custom: ({ operands }) => (operands.length > 0 ? [effect('privileged', 'another host name')] : []),
  },
  date: {
    options: '-d:f:I::r:Ruzs: date= file= iso-8601? reference= rfc-email rfc-3339= utc universal set= debug resolution',
    on: { 's set': 'privileged', 'f file r reference': 'content' },
    custom: ({ operands }) => (operands.every((word) => word.start.startsWith('+')) ? [] : [effect('privileged', 'sets the clock')]),
    yields: ({ operands }) => (/^\+(%[smdHMSYyjuN])+$/.test(operands[0]?.value ?? '') ? 'number' : null),
  },
  printenv: {
    options: '-0 null',
    custom: ({ operands }, call) =>
      operands.length === 0
        ? [effect('secrets', 'the whole environment')]
        : operands.flatMap((word) =>
            /KEY|TOKEN|SECRET|PASS|CRED/i.test(word.start) || word.value === null ? [effect('secrets', `${call.name} ${word.text}`)] : [],
          ),
  },
  journalctl: {
    lenient: true,
    digits: true,
    options: `-afen::ro:lqmb::ku:p:g:S:U:t:T:xNF:c:M: all follow pager-end lines? no-tail reverse output= output-fields= utc no-full full
      quiet merge boot? list-boots dmesg unit= user-unit= priority= facility= grep= case-sensitive? since= until= identifier=
      exclude-identifier= system user catalog list-catalog disk-usage fields field= header no-pager no-hostname truncate-newline cursor=
      after-cursor= show-cursor verify list-invocations invocation= rotate vacuum-size= vacuum-time= vacuum-files= cursor-file= flush sync
      relinquish-var smart-relinquish-var setup-keys update-catalog machine=`,
    on: {
      'rotate vacuum-size vacuum-time vacuum-files': 'destroys',
      'cursor-file flush sync relinquish-var smart-relinquish-var setup-keys update-catalog': 'privileged',
      'M machine': 'privileged',
    },
    operands: 'text',
  },
  dmesg: {
    lenient: true,
    options: `-deF:f:HhJkL::l:NPprSs:TtuVwWxCcDEn:K: reltime ctime notime time-format= facility= level= human json kernel color? noescape
      nopager force-prefix raw syslog buffer-size= since= until= userspace follow follow-new decode show-delta file= clear read-clear
      console-off console-on console-level= kmsg-file=`,
    on: { 'C c clear read-clear D E n console-off console-on console-level K kmsg-file': 'privileged', 'F file': 'content' },
    operands: 'text',
  },
};
