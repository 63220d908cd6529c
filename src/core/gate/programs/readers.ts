import { find } from '../findings.ts';
import { means } from '../options.ts';
import { usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import type { RuleTable } from '../program.ts';
import { judgeEscapes } from './started-words.ts';

/** Programs without an option that writes, starts or sends anything: they read and print. */
export const READERS: RuleTable = {
  'cat tac head tail nl wc fold fmt expand unexpand paste comm column colrm rev cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum strings od hexdump hd cmp look pr tsort join cut zcat bzcat xzcat lzcat tokei wdiff colordiff':
    {
      any: true,
      digits: true,
      operands: 'content',
    },
  'ls dir vdir stat readlink realpath basename dirname du df exa eza lsd namei pathchk locate mlocate plocate findmnt lsblk':
    {
      any: true,
      operands: 'name',
    },
  'cal ncal seq sleep yes factor numfmt expr arch nproc uname uptime whoami id groups tty logname users who w last hostid locale getconf lscpu lsusb lsmem lsmod free vmstat iostat mpstat pgrep pidof pstree top htop tput tabs clear reset infocmp dircolors which whereis whatis apropos bc fortune figlet jot netstat acpi lsb_release fc-list':
    {
      any: true,
      operands: 'text',
    },
  zstdcat: {
    any: true,
    on: { 'o rm output-dir-flat output-dir-mirror': 'destroys' },
    operands: 'content',
  },
  file: { any: true, on: { 'C compile': 'changes', 'm magic-file': 'content' }, operands: 'name' },
  getent: {
    any: true,
    judge: ({ operands }) =>
      /^(shadow|gshadow)$/.test(operands[0]?.start ?? '')
        ? [find('secrets', 'password hashes')]
        : /^(hosts|ahosts|ahostsv[46]|networks)$/.test(operands[0]?.start ?? '') && operands.length > 1
          ? [find('network', 'asks for the address of a host')]
          : [],
  },
  ps: {
    any: true,
    judge: (_, { words }) =>
      words.some(
        ({ value }, at) => value !== null && at === 0 && /^([a-df-z]*e[a-z]*|-E)$/i.test(value) && /^-E|e/.test(value),
      ) ||
      words.some(({ value }) => value === 'e' || value === 'eww' || value === '-E' || /\benviron\b/.test(value ?? ''))
        ? [find('secrets', 'the environment of processes')]
        : [],
  },
  'modinfo sestatus getenforce blkid uuidparse lsipc lslocks lslogins lsns neofetch fastfetch screenfetch cpuid xdpyinfo glxinfo vulkaninfo clinfo':
    { any: true },
  lshw: { any: true, on: { dump: 'changes' } },
  'nvidia-smi xrandr': { single: true, long: 'L q l= i= query-gpu= format= -query query verbose current', on: {} },
  lspci: { any: true, on: { 'q Q': 'network' } },
  lsof: { any: true, on: { D: 'changes' } },
  tree: {
    any: true,
    short: 'L:P:I:o:H:T:',
    long: 'filelimit= charset= sort= timefmt= fromfile',
    on: { o: 'replace', R: 'changes' },
    operands: 'name',
  },
  man: { any: true, on: { 'P pager H html C config-file X gxditview T troff-device t': 'starts' }, operands: 'text' },
  info: { any: true, on: { 'o output restore dribble init-file': 'changes' }, operands: 'text' },
  'scc diffstat': { any: true, on: { 'o output e': 'replace', 'format-multi': 'changes' }, operands: 'content' },
  cloc: {
    digits: true,
    long: 'by-file by-file-by-lang csv csv-delimiter= json yaml xml md quiet progress-rate= exclude-dir= exclude-ext= exclude-lang= include-lang= include-ext= not-match-d= match-d= match-f= not-match-f= fullpath git diff hide-rate sum-one skip-uniqueness timeout= processes= show-lang show-ext skip-archive= follow-links max-file-size= no3 3',
    on: { 'vcs extract-with diff-list-file': 'starts' },
    operands: 'content',
  },
  pidstat: { any: true, on: { e: 'runs' } },
  sar: { any: true, on: { o: 'replace' } },
  ss: { any: true, on: { 'K kill': 'destroys', 'D diag': 'replace' } },
  'dmidecode sensors': { any: true, on: { 'dump-bin s set': 'changes' } },
  dc: {
    short: 'e:',
    long: 'expression=',
    judge: ({ options, operands }, { input }) => {
      const code = [...options.map(({ value }) => value?.value ?? '!'), input.text ?? (input.isGiven ? '!' : '')];
      return operands.length > 0 || code.join('').includes('!') || code.join('') === '' ? [find('runs', 'dc')] : [];
    },
  },
  ifconfig: {
    any: true,
    judge: ({ operands }) =>
      operands.length <= 1
        ? []
        : [
            find(
              operands.some(({ value }) => value === 'down') ? 'wrecks' : 'privileged',
              'the network of the machine',
            ),
          ],
  },
  'arp route': {
    any: true,
    judge: ({ options, operands }) =>
      options.every(({ name }) => 'anveeNFC46'.includes(name)) && operands.length === 0
        ? []
        : [find('privileged', 'the network of the machine')],
  },
  iwconfig: { any: true, effect: 'privileged' },
  hostname: {
    short: 'aAfiIsdyV',
    long: 'all-fqdns all-ip-addresses fqdn long short domain ip-address',
    judge: ({ operands }) => (operands.length > 0 ? [find('privileged', 'another host name')] : []),
  },
  date: {
    short: 'd:f:I::r:Ruzs:',
    long: 'date= file= iso-8601? reference= rfc-email rfc-3339= utc universal set= debug resolution',
    on: { 's set': 'privileged', 'f file r reference': 'content' },
    judge: ({ operands }) =>
      operands.every((word) => word.start.startsWith('+')) ? [] : [find('privileged', 'sets the clock')],
  },
  printenv: {
    any: true,
    judge: ({ operands }, call) =>
      operands.length === 0
        ? [find('secrets', 'the whole environment')]
        : operands.flatMap((word) =>
            /KEY|TOKEN|SECRET|PASS|CRED/i.test(word.start) || word.value === null
              ? [find('secrets', `${call.name} ${word.text}`)]
              : [],
          ),
  },
  'grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep': {
    any: true,
    digits: true,
    short: 'e:f:m:A:B:C:d:D:',
    long: 'regexp= file= max-count= after-context= before-context= context= include= exclude= exclude-dir= exclude-from= label= binary-files= directories= devices= color? colour?',
    on: { 'f file exclude-from': 'content' },
    judge: judgePatternThenPaths,
  },
  rg: {
    digits: true,
    short: 'A:B:C:E:M:T:d:e:f:g:j:m:r:t:acFhHiIlLnNopPqsSuUvVwxz.0',
    long: 'after-context= before-context= context= color= colors= column context-separator= count count-matches crlf debug encoding= engine= file= files files-with-matches files-without-match fixed-strings follow glob= glob-case-insensitive heading hidden iglob= ignore-case ignore-file= ignore-file-case-insensitive include-zero invert-match json line-buffered line-number line-regexp max-columns= max-columns-preview max-count= max-depth= max-filesize= mmap multiline multiline-dotall no-config no-column no-filename no-heading no-ignore no-ignore-vcs no-ignore-dot no-ignore-parent no-ignore-global no-ignore-exclude no-line-number no-messages no-mmap no-unicode null null-data one-file-system only-matching passthru path-separator= pcre2 pretty quiet regexp= replace= search-zip smart-case case-sensitive sort= sortr= stats stop-on-nonmatch text threads= trim type= type-list type-not= unrestricted vimgrep with-filename word-regexp',
    on: { 'f file': 'content', 'pre hostname-bin': 'starts' },
    judge: judgePatternThenPaths,
  },
  'ag ack': {
    digits: true,
    short: 'A:B:C:G:g:m:acfFhHiIlLnopPqQrRsStuUvwz',
    long: 'after= before= context= color nocolor column count depth= files-with-matches files-without-matches file-search-regex= filename nofilename group nogroup heading noheading hidden ignore= ignore-case ignore-dir= literal line-numbers nonumbers max-count= nobreak norecurse one-device only-matching path-to-ignore= python ts js rust go sort-files smart-case type= unrestricted vimgrep word-regexp',
    judge: judgePatternThenPaths,
  },
  diff: {
    digits: true,
    short: 'abBcdeEfF:hHiI:lL:nNpPqrsS:tTuU:vwW:xX:yZC:D:',
    long: 'normal brief report-identical-files context? unified? ed rcs side-by-side width= left-column suppress-common-lines show-c-function show-function-line= label= expand-tabs initial-tab tabsize= suppress-blank-empty recursive no-dereference new-file unidirectional-new-file ignore-file-name-case no-ignore-file-name-case exclude= exclude-from= starting-file= from-file= to-file= ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr ifdef= minimal horizon-lines= speed-large-files color? palette= line-format=',
    on: { 'exclude-from from-file to-file X': 'content' },
    operands: 'content',
  },
  sdiff: { short: 'abBdEilsStWwzZ', operands: 'content' },
  'less more most bat batcat zless zmore': { any: true, operands: 'content', judge: judgePager },
  'dpkg-query': {
    short: 'lWsLSpcf:h',
    long: 'list show status listfiles search print-avail control-list control-path showformat= no-pager',
    operands: 'text',
  },
  'apt-cache': {
    any: true,
    on: { 'o option c config-file': 'runs' },
    judge: ({ operands }) => (operands[0]?.start === 'gencaches' ? [find('privileged')] : []),
  },
  journalctl: {
    any: true,
    on: {
      'rotate vacuum-size vacuum-time vacuum-files': 'destroys',
      'cursor-file flush sync relinquish-var smart-relinquish-var setup-keys update-catalog': 'privileged',
      'M machine': 'privileged',
    },
    operands: 'text',
  },
  dmesg: {
    any: true,
    on: { 'C c clear read-clear D E n console-off console-on console-level': 'privileged' },
    operands: 'text',
  },
  tput: { any: true },
  uuidgen: { any: true },
  mktemp: {
    any: true,
    short: 'p:dqut',
    long: 'tmpdir? suffix= directory dry-run quiet',
    on: { 'p tmpdir': 'add' },
    judge: ({ operands }, { scope }) =>
      operands
        .flatMap((word) =>
          word.start.startsWith('/tmp/') || !word.start.includes('/')
            ? [find('adds')]
            : scope
              ? [find('changes', word.text)]
              : [],
        )
        .concat(operands.length === 0 ? [find('adds')] : []),
  },
  shuf: {
    short: 'ei:n:o:rz',
    long: 'echo input-range= head-count= output= random-source= repeat zero-terminated',
    on: { 'o output': 'replace' },
    operands: 'content',
  },
  jless: { any: true, operands: 'content' },
  openssl: {
    sub: {
      'version ciphers help errstr': {
        single: true,
        long: 'a v d p b f V s psk convert stdname tls1_2 tls1_3',
        operands: 'text',
      },
      list: {
        single: true,
        long: 'commands digest-commands digest-algorithms cipher-commands cipher-algorithms public-key-algorithms disabled providers verbose engines',
      },
      'dgst sha256 sha1 sha384 md5 sha512': {
        single: true,
        long: 'sha1 sha224 sha256 sha384 sha512 sha3-256 md5 blake2b512 r hex binary c d hmac= verify= signature= sign= out=',
        on: { out: 'replace', 'sign hmac': 'secrets' },
        operands: 'content',
      },
      'x509 verify crl req asn1parse': {
        single: true,
        long: 'in= inform= out= noout text subject issuer dates enddate startdate fingerprint sha1 sha256 serial hash pubkey purpose ext= email modulus checkend= checkhost= CAfile= CApath= untrusted= nameopt= verbose show_chain partial_chain i',
        on: { out: 'replace', in: 'content' },
        operands: 'content',
      },
      'rsa pkey ec dsa pkcs12 pkcs8 pkeyutl rsautl': {
        any: true,
        single: true,
        long: 'in= out= inform= outform= passin= passout= inkey= keyform= noout text pubin pubout modulus check',
        on: { out: 'replace' },
        judge: ({ options }, { scope }) => {
          const isPublic = options.some(({ name }) => name === 'pubin' || name === 'pubout');
          const isWritten = options.some(({ name }) => name === 'out');
          const read = options.flatMap(({ name, value }) =>
            name === 'in' && value !== null ? usePath(value, 'content', scope) : [],
          );
          return isWritten || isPublic ? read : [find('secrets', 'a private key')];
        },
      },
      rand: { single: true, long: 'out= hex base64', on: { out: 'replace' } },
      's_client s_server': { any: true, single: true, effect: 'network' },
      base64: { single: true, long: 'd e A in= out=', on: { out: 'replace', in: 'content' } },
    },
    effect: 'changes',
  },
};

/** The first operand is a pattern, unless an option gave one. */
function judgePatternThenPaths(
  { options, operands }: Parameters<NonNullable<RuleTable[string]['judge']>>[0],
  call: Parameters<NonNullable<RuleTable[string]['judge']>>[1],
) {
  const searched = options.filter(({ name }) => ['include', 'g', 'glob', 'iglob'].includes(name));
  const named = searched.some(({ value }) => {
    const glob = value?.value ?? '!';
    return !glob.startsWith('!') && locate(glob, call.scope.cwd, call.scope.ground, true).isSecret;
  });
  const hasPattern = options.some(({ name }) => ['e', 'f', 'regexp', 'file', 'files', 'type-list'].includes(name));
  const paths = hasPattern ? operands : operands.slice(1);
  const { home } = call.scope.ground;
  const isDeep = !call.name.endsWith('grep') || options.some(({ name }) => /^[rR]$|recursive$/.test(name));
  const isWide =
    isDeep &&
    paths.some(({ value }) =>
      [home, `${home}/.ssh`, `${home}/.config`, '/', '/home', '/root'].includes(value?.replace(/(.)\/$/, '$1') ?? ''),
    );
  return [
    ...(named || isWide ? [find('secrets', 'a search through credentials')] : []),
    ...paths.flatMap((word) => usePath(word, 'content', call.scope)),
  ];
}

/** Pagers start editors and shells when a person asks them to; at the end of a pipe they only show. */
function judgePager(
  { operands, options }: Parameters<NonNullable<RuleTable[string]['judge']>>[0],
  call: Parameters<NonNullable<RuleTable[string]['judge']>>[1],
) {
  const writes =
    options.some(({ name }) =>
      'o O log-file LOG-FILE pager k lesskey-file lesskey-src lesskey-content generate-config-file config-file'
        .split(' ')
        .some((one) => means(name, one)),
    ) ||
    operands.some((word) => word.start.startsWith('+')) ||
    operands.some((word) => word.isFed) ||
    (call.name.startsWith('bat') && operands[0]?.start === 'cache');
  const told = operands.flatMap(({ value }) => (value?.startsWith('+') ? judgeEscapes(value.slice(1), call) : []));
  return [
    ...told,
    ...(writes ? [find('changes', `what ${call.name} is told to do`)] : []),
    ...operands.flatMap((word) => usePath(word, 'content', call.scope)),
  ];
}
