import { hasOption } from '../parse.ts';
import { usePath } from '../path-use.ts';
import type { SpecTable } from '../spec.ts';
import { effect } from '../verdict.ts';

/*
 * Programs that show the state of the machine. Many have an option that writes a file, contacts another machine, or reads a configuration
 * that starts something. So the table lists the read-only options, and every other option needs an approval.
 */

/** A read-only program that takes no options but these. */
export const MACHINE: SpecTable = {
  'cal ncal': {
    lenient: true,
    digits: true,
    short: '13smjywhbJeoNMCd:A:B:H:S',
    long: 'one three sunday monday julian year twelve months= color?',
  },
  'sleep factor yes expr arch logname hostid jot seq': {
    lenient: true,
    digits: true,
    short: 'f:s:wrb:p:nc',
    long: 'format= separator= equal-width all ignore= silent quiet help version',
  },
  tty: { lenient: true, short: 's', long: 'silent quiet' },
  numfmt: {
    lenient: true,
    short: 'd:z',
    long: 'debug delimiter= field= format= from= from-unit= grouping header? invalid= padding= round= suffix= to= to-unit= zero-terminated',
  },
  nproc: { lenient: true, long: 'all ignore=', yields: () => 'number' },
  uname: {
    lenient: true,
    short: 'asnrvmpio',
    long: 'all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system',
  },
  uptime: { lenient: true, short: 'psV', long: 'pretty since container raw' },
  'whoami id groups': {
    lenient: true,
    short: 'agGnruzZp',
    long: 'context group groups name real user zero',
    yields: ({ options }) => (options.length === 1 && /^[ug]$/.test(options[0]?.name ?? '') ? 'number' : null),
  },
  // The name of another file prints that file.
  'who users': {
    lenient: true,
    short: 'abdHlmpqrstTuw',
    long: 'all boot dead heading login message mesg process count runlevel short time users writable',
    operands: 'content',
  },
  w: { lenient: true, short: 'hufsiopVc', long: 'no-header no-current short from ip-addr old-style pids container' },
  last: {
    lenient: true,
    digits: true,
    short: 'aFiwxRn:p:s:t:f:Tz:',
    long: 'hostlast fulltimes ip fullnames system nohostname limit= present= since= until= file= tab-separated time-format=',
    on: { 'f file': 'content' },
  },
  locale: { lenient: true, short: 'ackmv', long: 'all-locales category-name keyword-name charmaps verbose' },
  'getconf lsb_release': { lenient: true, short: 'avsidrcu', long: 'version id description release codename all short' },
  lscpu: {
    lenient: true,
    short: 'abcBC::e::hJp::rs:xyV',
    long: 'all online bytes caches? offline extended? json parse? raw sysroot= hex physical output-all hierarchic?',
  },
  lsmem: { lenient: true, short: 'JPabno:rS:s:V', long: 'json pairs all bytes noheadings output= output-all raw split= sysroot= summary?' },
  lsipc: {
    lenient: true,
    short: 'i:gqmsctbeJnlo:PruyzV',
    long: `id= global queues shmems semaphores creator time bytes export json noheadings list newline notruncate
      numeric-perms output? output-all pairs raw time-format= posix-shmems shell colon-separate`,
  },
  lsns: {
    lenient: true,
    short: 'Jlno:p:PruWt:T:NQ:V',
    long: 'json list noheadings output= output-all task= persistent raw notruncate nowrap type= tree= filter= pid=',
  },
  lslocks: {
    lenient: true,
    short: 'biJno:p:ruQ:V',
    long: 'bytes noinaccessible json noheadings output= output-all pid= raw notruncate filter=',
  },
  lslogins: {
    lenient: true,
    short: 'acefGg:Ll:npro:stuzZ',
    long:
      'acc-expiration colon-separate export failed supp-groups groups= last? logins= newline noheadings ' +
      'notruncate output? output-all pwd raw system-accs time-format= user-accs print0 context',
    on: { p: 'secrets', 'pwd output output-all o': 'secrets' },
  },
  lsusb: { lenient: true, short: 's:d:vtV', long: 'verbose tree' },
  'lsmod netstat acpi': {
    lenient: true,
    short: 'rignsMvWeopalFC46tuwxTASZNKbBcfdRh',
    long:
      'route groups interfaces statistics masquerade verbose wide numeric numeric-hosts numeric-ports ' +
      'numeric-users symbolic extend programs timers listening all fib cache tcp udp udplite sctp raw unix ' +
      'continuous battery ac-adapter thermal cooling everything fahrenheit kelvin details',
  },
  free: {
    lenient: true,
    short: 'bkmghtlwc:s:Lv',
    long: 'bytes kibi mebi gibi tebi kilo mega giga tera human si lohi line total count= seconds= wide committed',
  },
  'vmstat iostat mpstat': {
    lenient: true,
    short: 'afmdnDsp:S:twychkxzjHNVAI:P:uTo:',
    long: 'active forks slabs one-header stats disk disk-sum partition= unit= wide timestamp no-first human dec= pretty compact',
  },
  'pgrep pidof': {
    lenient: true,
    short: 'd:lafvwxcng:G:iO:oP:s:t:u:U:F:LAr:SqzV',
    long: `delimiter= list-name list-full exact full newest oldest older= parent= session= terminal= euid= uid= group= pgroup=
      count inverse ignore-case runstates= ns= nslist= single-shot omit-pid= lightweight env= pidfile= logpidfile
      ignore-ancestors cgroup= quiet signal= queue=`,
    on: { env: 'secrets' },
    yields: ({ options }) => (options.every(({ name }) => /^[fxnouUts]$/.test(name)) ? 'number' : null),
  },
  pstree: {
    lenient: true,
    short: 'AacC:gGhH:lnN:pTtsuUSZ',
    long: `arguments ascii compact-not color= hide-threads highlight-all highlight-pid= long numeric-sort ns-sort= show-pids
      show-parents show-pgids uid-changes unicode vt100 thread-names ns-changes security-context`,
  },
  'top htop': {
    lenient: true,
    digits: true,
    short: 'bcd:eE:Hhin:o:OPp:sSU:u:w::1M:tC',
    long:
      'batch-mode delay= iterations= delay-seconds= pid= sort-override= filter-only-euser= ' +
      'filter-any-user= width? threads-show summary-only tree user? readonly no-colour no-color no-mouse ' +
      'no-unicode highlight-changes= sort-key=',
  },
  'tput tabs clear reset': { lenient: true, digits: true, short: 'T:xV' },
  infocmp: { lenient: true, digits: true, short: 'dcnILCruxgpsqTw:W1V' },
  dircolors: { lenient: true, short: 'bcp', long: 'sh bourne-shell csh c-shell print-database print-ls-colors', operands: 'content' },
  'which whereis': {
    lenient: true,
    short: 'asbmulfB:M:S:g',
    long: 'all skip-alias skip-functions skip-dot skip-tilde show-dot show-tilde tty-only',
    operands: 'text',
  },
  'whatis apropos': {
    lenient: true,
    short: 'dvrwles:am:L:k',
    long: 'debug verbose regex wildcard long sections= section= and exact locale= systems=',
    operands: 'text',
  },
  // A page given by path is a file that is shown.
  man: {
    lenient: true,
    short: 'kfwWals:S:KiIP:H::C:X::T::t',
    long:
      'apropos whatis where path where-cat location location-cat all sections= global-apropos ignore-case ' +
      'match-case regex wildcard names-only pager= html? config-file= gxditview? troff-device? ditroff ' +
      'troff',
    on: { 'P pager H html C config-file X gxditview T troff-device t ditroff troff': 'starts' },
    custom: ({ options, operands }, { scope }) =>
      operands.flatMap((word) => usePath(word, word.start.includes('/') || hasOption({ options }, 'l') ? 'content' : 'text', scope)),
  },
  info: {
    lenient: true,
    short: 'akn:wOo:',
    long: 'all apropos= node= subnodes usage where location output=',
    on: { 'o output': 'replace' },
    operands: 'content',
  },
  bc: { lenient: true, short: 'ilqswv', long: 'interactive mathlib quiet standard warn', operands: 'content' },
  'fortune figlet': { lenient: true, short: 'aceflosm:iwn:ptrkxLRSWDNvI:d:', long: 'all', operands: 'content' },
  'fc-list': { lenient: true, short: 'f:vqh', long: 'format= verbose quiet' },
  // An unusual service may contact another machine.
  getent: {
    lenient: true,
    short: 'i',
    long: 'no-idn',
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
  pmap: { lenient: true, short: 'xXpqdrA:V', long: 'extended device quiet show-path range=' },
  lastlog: { lenient: true, short: 'b:t:u:', long: 'before= time= user=' },
  // A name with an `@` is looked up on that machine.
  finger: {
    lenient: true,
    short: 'lmsp',
    custom: ({ operands }) => (operands.some(({ value }) => value?.includes('@') !== false) ? [effect('network')] : []),
  },
  isoinfo: { short: 'lfdpi:RJx:X', operands: 'content', on: { i: 'content' } },
  // Without an operand it lists the Java machines on this host.
  jps: { short: 'qmlvV', custom: ({ operands }) => (operands.length === 0 ? [] : [effect('network')]) },
  modinfo: {
    lenient: true,
    short: 'adlpn0F:k:',
    long: 'author description license parameters filename field= set-version= null',
    operands: 'name',
  },
  'sestatus getenforce': { lenient: true, short: 'vb' },
  blkid: {
    lenient: true,
    short: 'o:s:t:L:U:lipkDn:u:H:',
    long: 'output= match-tag= match-token= label= uuid= list-one info probe list-filesystems no-encoding match-types= usages=',
  },
  'uuidparse uuidgen': {
    lenient: true,
    short: 'Jno:rtmsxN:C:',
    long: 'json noheadings output= raw random time md5 sha1 hex namespace= name= count=',
  },
  // These run their settings, and words of some options.
  'neofetch fastfetch screenfetch': { effect: 'runs' },
  cpuid: { lenient: true, digits: true, short: 'rkil:s:n', long: 'one-cpu raw kernel inst leaf= subleaf= no-hypervisor' },
  xdpyinfo: { lenient: true, single: true, long: 'queryExtensions version ext=' },
  glxinfo: { lenient: true, short: 'vtBlbish' },
  vulkaninfo: { lenient: true, long: 'summary text show-all show-tool-props show-formats show-video-props' },
  clinfo: { lenient: true, short: 'al', long: 'all list human raw offline null-platform' },
  lshw: { lenient: true, single: true, short: '', long: 'short businfo html xml json class= C= disable= c= quiet numeric sanitize notime' },
  'nvidia-smi xrandr': { single: true, long: 'L q l= i= query-gpu= format= query verbose current', on: {} },
  lspci: { lenient: true, short: 'vnkxtmbDd:s:PQq', on: { 'q Q': 'network' } },
  lsof: { lenient: true, short: 'abcCd:D::F::g::hi::lnNoOPp:Rr::s::S::tT::u:UvVwxXzZE', on: { D: 'changes' }, operands: 'name' },
  pidstat: { lenient: true, short: 'dhHIlp:rRstT:uU::vVwC:G:', long: 'human dec=' },
  sar: {
    lenient: true,
    short: 'AbBdDFhHI:m:n:P:pqrRStuvVwWxXyzf:s:e:i:j:',
    long: 'human dec= iface= dev= pretty sadc',
    on: { f: 'content' },
  },
  ss: {
    lenient: true,
    short: 'nalBoeOmpisbZzt0u46dwxSf:A:HTMhVKD:',
    long:
      'numeric all listening bound-inactive options extended memory processes threads info tos cgroup ' +
      'summary context contexts ipv4 ipv6 packet tcp udp dccp raw unix sctp vsock tipc xdp mptcp family= ' +
      'query= socket= no-header oneline inet-sockopt kill diag=',
    on: { 'K kill': 'destroys', 'D diag': 'replace' },
  },
  dmidecode: { lenient: true, short: 's:t:qu', long: 'string= type= quiet dump handle= oem-string= no-sysfs' },
  sensors: { lenient: true, short: 'ujAfhv', long: 'fahrenheit no-adapter bus-list' },
  ifconfig: {
    short: 'asv',
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
    short: 'aAfiIsdyV',
    long: 'all-fqdns all-ip-addresses fqdn long short domain ip-address',
    custom: ({ operands }) => (operands.length > 0 ? [effect('privileged', 'another host name')] : []),
  },
  date: {
    short: 'd:f:I::r:Ruzs:',
    long: 'date= file= iso-8601? reference= rfc-email rfc-3339= utc universal set= debug resolution',
    on: { 's set': 'privileged', 'f file r reference': 'content' },
    custom: ({ operands }) => (operands.every((word) => word.start.startsWith('+')) ? [] : [effect('privileged', 'sets the clock')]),
    yields: ({ operands }) => (/^\+(%[smdHMSYyjuN])+$/.test(operands[0]?.value ?? '') ? 'number' : null),
  },
  printenv: {
    short: '0',
    long: 'null',
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
    short: 'afen::ro:lqmb::ku:p:g:S:U:t:T:xNF:c:M:',
    long:
      'all follow pager-end lines? no-tail reverse output= output-fields= utc no-full full quiet merge ' +
      'boot? list-boots dmesg unit= user-unit= priority= facility= grep= case-sensitive? since= until= ' +
      'identifier= exclude-identifier= system user catalog list-catalog disk-usage fields field= header ' +
      'no-pager no-hostname truncate-newline cursor= after-cursor= show-cursor verify list-invocations ' +
      'invocation= rotate vacuum-size= vacuum-time= vacuum-files= cursor-file= flush sync relinquish-var ' +
      'smart-relinquish-var setup-keys update-catalog machine=',
    on: {
      'rotate vacuum-size vacuum-time vacuum-files': 'destroys',
      'cursor-file flush sync relinquish-var smart-relinquish-var setup-keys update-catalog': 'privileged',
      'M machine': 'privileged',
    },
    operands: 'text',
  },
  dmesg: {
    lenient: true,
    short: 'deF:f:HhJkL::l:NPprSs:TtuVwWxCcDEn:K:',
    long:
      'reltime ctime notime time-format= facility= level= human json kernel color? noescape nopager ' +
      'force-prefix raw syslog buffer-size= since= until= userspace follow follow-new decode show-delta ' +
      'file= clear read-clear console-off console-on console-level= kmsg-file=',
    on: { 'C c clear read-clear D E n console-off console-on console-level K kmsg-file': 'privileged', 'F file': 'content' },
    operands: 'text',
  },
};
