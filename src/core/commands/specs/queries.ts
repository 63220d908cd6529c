import type { EffectKind } from '../../../protocol/tool.ts';
import { joinedRegExp } from '../../text/joined-regexp.ts';
import { type Invocation, isGiven, joinOptions, lettersOf, longOptions } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { type Call, type CommandSpec, rows, type SpecTable } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';
import { isElsewhere } from './tasks.ts';

const LETTERS = '-alqvhjt';
const LONG = 'all long short quiet verbose json format= output-format= no-pager no-legend no-color color? help';

/** A printing subcommand, with options that many programs share. */
const QUERY: CommandSpec = { lenient: true, digits: true, options: `${LETTERS} ${LONG}` };

/**
 * A program of which only some subcommands are known to print; the others have the effect `kind`. Letters and long options are the shared
 * ones where `more` has none.
 */
export function asks(verbs: string, kind: EffectKind = 'changes', more: CommandSpec = {}): CommandSpec {
  const own = more.options ?? '';
  const options = joinOptions(own, lettersOf(own) === '' ? LETTERS : '', longOptions(own).size === 0 ? LONG : '');
  const row = { ...QUERY, ...more, options };
  return { ...row, sub: { [verbs]: row }, effect: kind };
}

const REVISIONS: CommandSpec = {
  options: `-r:l:c:pndugvqfkbGMmiA0aU:T:X:I:B: rev= limit= stat template= style= patch git graph change= date= user= keyword= branch=
    only-merges no-merges include= exclude= follow removed modified added deleted unknown ignored clean all no-status print0 unified= text
    function-context ignore-all-space ignore-space-change number line-number changeset file verbose quiet revision= revisions= summarize
    name-only summary no-graph reversed at-operation= ignore-working-copy diff-cmd? depth= show-updates? color-words types`,
};

/** A program that only reads with one of some options and no unnamed ones, and otherwise has the effect `kind`. */
export function readsWith(asking: string, kind: EffectKind, grammar: CommandSpec): CommandSpec {
  const use = grammar.operands ?? 'content';
  return {
    ...grammar,
    custom: (given, { name, scope }) =>
      isGiven(given, ...asking.split(' ')) && given.strange.length === 0
        ? given.operands.flatMap((word) => usePath(word, use, scope))
        : [effect(kind, name)],
  };
}

const CONTENT: CommandSpec = { lenient: true, operands: 'content' };

/** Tools with known queries: all other calls change or start something. */
export const QUERIES: SpecTable = {
  hg: {
    ...asks(
      `status st log history diff cat files locate manifest parents paths tip root heads summary sum identify id annotate blame
      version help tags`,
      'changes',
      { ...REVISIONS, operands: 'content' },
    ),
    stops: true,
  },
  // A query of a remote repository uses the network.
  svn: {
    ...QUERY,
    sub: {
      'status st stat diff di info propget pg proplist pl help': {
        lenient: true,
        options: '-vqNRx: verbose quiet depth= summarize show-item= no-newline no-ignore ignore-properties xml incremental',
        custom: ({ operands }, { scope }) =>
          operands.flatMap((word) => (/:\/\//.test(word.start) ? [effect('network', word.text)] : usePath(word, 'content', scope))),
      },
      'log list ls cat blame': { any: true, effect: 'network' },
    },
    effect: 'changes',
  },
  // Each command first records the changes of the work tree in the operation log.
  jj: {
    ...QUERY,
    options: 'config= config-file=',
    sub: {
      'status st log show diff evolog obslog interdiff': { ...REVISIONS, lenient: true, effect: 'adds' },
      'root help version': QUERY,
      git: { any: true, effect: 'network' },
    },
    on: { 'config config-file': 'starts' },
    effect: 'changes',
  },
  dasel: {
    lenient: true,
    options: '-f:p:r:w:s:i:mnc file= parser= read= write= selector= plain compact multiple',
    on: { 'f file': 'content' },
    custom: ({ operands }) =>
      operands.every(({ value }) => value !== null && !/^(put|delete)$/.test(value)) ? [] : [effect('changes', 'what it selects')],
  },
  mlr: { any: true, custom: classifyMiller },
  nmcli: {
    lenient: true,
    options: '-ta:f:m:c:e:pg:w: terse ask pretty mode= color= fields= escape= get-values= wait= colors=',
    stops: true,
    custom: ({ operands }) => {
      const verbs = operands.map(({ value }) => value ?? '\0').join(' ');
      if (/\b(off|down|disconnect)\b/.test(verbs)) return [effect('wrecks', 'the session or the network')];
      return ASKED_OF_NETWORKS.test(verbs) ? [] : [effect('privileged', 'the network of the machine')];
    },
  },
  bluetoothctl: asks('devices list show info paired-devices version'),
  pactl: asks('list info stat get-default-sink get-default-source get-sink-volume get-sink-mute get-source-volume get-source-mute'),
  playerctl: asks('status metadata position'),
  upower: { lenient: true, options: '-edi:vh enumerate dump wakeups show-info= version', operands: 'text' },
  'v4l2-ctl': { options: '-d: device= list-devices list-formats list-formats-ext list-ctrls all info', operands: 'text' },
  bootctl: asks('status list is-installed', 'privileged'),
  meson: asks('introspect', 'runs', {
    options: 'targets buildoptions tests installed projectinfo dependencies machines all indent ast benchmarks',
    operands: 'content',
  }),
  // The project defines the list of tasks, partly in code.
  'task mage tox nox invoke inv rake': { any: true, custom: (_, call) => classifyTaskList(call) },
  just: {
    lenient: true,
    options: '-lf:d:s:u list summary dump variables groups show= justfile= working-directory= unsorted color= dump-format= list-heading=',
    custom: (given) =>
      isGiven(given, 'l', 'list', 'summary', 'dump', 'variables', 'groups', 's', 'show') && given.operands.length === 0
        ? []
        : [effect('runs', 'a recipe of the project')],
  },
  ...rows(CONTENT, {
    // These print the content of a file; the listed options only change the format.
    [`catdoc antiword odt2txt capinfos mkvinfo webpinfo jpeginfo pngcheck h5ls llvm-nm xfs_info tiffinfo tiffdump exrheader rdjpgcom
    jxlinfo heif-info ogginfo opusinfo sndfile-info mp4info e2freefrag lsinitramfs rpm2cpio named-checkconf named-checkzone
    unbound-checkconf sqlite3_analyzer sqldiff mdb_stat tdbdump utmpdump nfsstat`]: '-aghilnqrstuvwx all verbose quiet json stats',
    'llvm-objdump': '-dDhrRstTpxCS disassemble syms demangle reloc section-headers',
    h5dump: '-HAnpd:g:a: header contents properties',
    ncdump: '-hckxsv:f:l:n:p:',
    cppcheck: `-qj:I:D:U:v enable= std= language= platform= inline-suppr suppress= template= quiet verbose force inconclusive
      error-exitcode= max-configs=`,
  }),
  pdfgrep: {
    lenient: true,
    options: `-ivFPHhnpcrRlLoqC:A:B:m:e: ignore-case page-number count recursive files-with-matches only-matching context= max-count=
      include= exclude= regexp=`,
    custom: ({ operands, options }, { scope }) =>
      operands.flatMap((word, at) => usePath(word, at > 0 || isGiven({ options }, 'e', 'regexp') ? 'content' : 'text', scope)),
  },
  'lsscsi ipcs numastat pinky runlevel iwgetid ac pwdx dnsdomainname aa-status usb-devices lspcmcia getsebool getpcaps vercmp whatmask': {
    lenient: true,
    options: '-acdlmpqstuvwxyzgkLHP long size transport device verbose human enabled json',
    operands: 'text',
  },
  lastb: { lenient: true, digits: true, options: '-adFin:p:R:s:t:wx' },
  faillog: { options: '-au:' },
  slabtop: { options: '-os:d: once sort= delay=' },
  'dpkg-deb': { any: true, custom: readsBy(/^(-I|-c|-f|-W|--info|--contents|--field|--show)$/) },
  cpupower: asks('frequency-info idle-info info', 'privileged', { options: '-c:efwldpgrasymonb cpu= human' }),
  i2cdetect: { any: true, custom: shown(/^-l$|^-F \d+$|^-V$/, 'privileged') },
  modprobe: readsWith('D show-depends c showconfig show-config R resolve-alias n dry-run', 'privileged', {
    options: '-DcRnvq show-depends showconfig show-config resolve-alias dry-run verbose quiet',
    operands: 'text',
  }),
  kmod: asks('list static-nodes', 'privileged'),
  logrotate: readsWith('d debug', 'privileged', { options: '-dv debug verbose' }),
  mokutil: { any: true, custom: shown(/^(--sb-state|--list-(enrolled|new|delete)|-[lND]|--pk|--kek|--db|--dbx)$/, 'privileged') },
  // Without the option it stores what it has shown for the next call.
  'nstat ifstat rtacct': readsWith('s noupdate', 'changes', {
    options: '-aszjp noupdate ignore zeros json pretty',
    operands: 'text',
  }),
  'lnstat rtstat ctstat': { options: '-dc:f:i:k:s:w:j dump count= file= interval= keys= json' },
  'lstopo-no-graphics hwloc-ls': { options: '-plvs of= no-io no-bridges physical logical only= merge', operands: 'replace' },
  lsfd: { options: '-lJnro:p:Q:u json noheadings output= pid= filter= raw notruncate threads' },
  efibootmgr: { any: true, custom: shown(/^(-v|--verbose)?$/, 'privileged') },
  'zramctl wdctl exportfs': { any: true, custom: shown(/^(-v|--output-all|--raw|-n|--bytes|-b)?$/, 'privileged') },
  'fwupdmgr udisksctl rpm-ostree wpctl': asks(
    'status info dump get-devices get-history get-plugins get-remotes inspect get-volume',
    'privileged',
    { options: '-b:d:', operands: 'text' },
  ),
  amixer: asks('scontrols scontents controls contents sget get cget info', 'changes', { options: '-c:D:M', operands: 'text' }),
  'systemd-id128': asks('show machine-id boot-id new', 'changes', { options: '-pu pretty uuid value' }),
  xset: { any: true, custom: shown(/^-?q$/, 'changes') },
  xinput: {
    any: true,
    custom: shown(/^(--?)?(list|list-props|query-state|version)( --?(short|long|name-only|id-only))?( \w+)?$/, 'changes'),
  },
  wmctrl: { any: true, custom: shown(/^-[lmdGxp]+( -[Gxp]+)*$/, 'changes') },
  udevadm: asks('info', 'privileged', { options: '-an:p:q:er name= path= query= attribute-walk export root', operands: 'name' }),
  busctl: asks('list status tree introspect', 'privileged', {
    options: 'user system acquired activatable unique no-legend',
    operands: 'text',
  }),
  portablectl: asks('list', 'privileged'),
  chronyc: asks('tracking sources sourcestats activity', 'privileged', { options: '-vna' }),
  brctl: asks('show showmacs showstp', 'privileged', { operands: 'text' }),
  'systemd-delta': { lenient: true, options: '-t: type= diff= no-pager', operands: 'text' },
  postconf: { any: true, custom: shown(/^(-[ndhx]+)?( ?[a-z]\w*)?( [a-z]\w*)*$/, 'privileged') },
  postqueue: { any: true, custom: shown(/^-[pj]$/, 'privileged') },
  mailq: { custom: shown(/^$/, 'network') },
  qpdf: {
    any: true,
    custom: readsBy(/^--(show-npages|check|is-encrypted|requires-password|show-encryption|show-pages|show-xref|list-attachments)$/),
  },
  mutool: asks('info pages show', 'changes', { operands: 'content' }),
  gifsicle: { any: true, custom: readsBy(/^(--info|-I)$/) },
  patchelf: { any: true, custom: readsBy(/^--print-(rpath|needed|interpreter|soname|execstack)$/) },
  chrpath: { any: true, custom: readsBy(/^(-l|--list)$/) },
  sox: { any: true, custom: readsBy(/^--(i|info)$/) },
  mkvmerge: { any: true, custom: readsBy(/^(-i|-J|--identify)$/) },
  dcraw: { any: true, custom: readsBy(/^-i$/) },
  exiv2: { any: true, custom: readsBy(/^(pr|print)$/) },
  lrzip: { any: true, custom: readsBy(/^-i$/) },
  cabextract: { any: true, custom: readsBy(/^(-l|-t)$/) },
  keytool: { any: true, custom: shown(/^-printcert -file (?!.*\.key$)\S+$/, 'changes') },
  'llvm-config gdal-config': { any: true },
  zoxide: asks('query'),
  codesign: { any: true, custom: shown(/^-d?v+d? \S+$|^(--display|--verify)( --verbose(=\d)?)? \S+$/, 'changes') },
  spctl: { any: true, custom: shown(/^--status$|^-a(v+)?( -t \w+)? \S+$/, 'privileged') },
  dscl: { any: true, custom: shown(/^\. -(list|read) \/\w+(\/\w+)?( \w+)?$/, 'privileged') },
  sw_vers: { lenient: true, single: true, options: 'productName productVersion buildVersion' },
  'system_profiler ioreg vm_stat': { any: true },
  pmset: { any: true, custom: shown(/^-g( [a-z]+)?$/, 'privileged') },
  diskutil: { any: true, custom: shown(/^(list|info|apfs list)( [\w/-]+)?$/, 'wrecks') },
  scutil: { any: true, custom: shown(/^(--dns|--proxy|--nwi|--get \w+)$/, 'privileged') },
  networksetup: { any: true, custom: shown(/^-(list|get)\w+( [\w -]+)?$/, 'privileged') },
  'mdfind mdls': { any: true, operands: 'name' },
  csrutil: asks('status', 'privileged'),
  tmutil: asks('listbackups latestbackup destinationinfo status listlocalsnapshots', 'privileged'),
  plutil: {
    any: true,
    options: '-o:',
    on: { o: 'replace' },
    custom: (_, { words, scope }) =>
      /^-(p|lint)$/.test(words[0]?.value ?? '') && words.slice(1).every(({ start }) => !start.startsWith('-'))
        ? words.slice(1).flatMap((word) => usePath(word, 'content', scope))
        : [effect('changes', 'a list of properties')],
  },
  lipo: { any: true, custom: shown(/^(-info|-archs|-detailed_info) [^-]\S*$|^[^-]\S* (-info|-archs)$/, 'changes') },
  'xcode-select': { any: true, custom: shown(/^(-p|--print-path)$/, 'privileged') },
  xcrun: { any: true, custom: shown(/^(--sdk \w+ )?(--show-[\w-]+|(--find|-f) [\w-]+|simctl list( \w+)?)$/, 'runs') },
};

const ASKED_OF_NETWORKS = joinedRegExp(
  '',
  '^((g|gen|general)( status| hostname| permissions| logging)?|(n|networking)( connectivity)?|(r|radio)( all| wifi| wwan)?',
  String.raw`|(c|con|connection)( show( --active)?( [^\s-]\S*)*)?`,
  String.raw`|(d|dev|device)( status| (show|list)( [^\s-]\S*)?| wifi( list)?)?)?$`,
);

/** Classifies a call by whether its words are a query. */
function shown(query: RegExp, otherwise: EffectKind): NonNullable<CommandSpec['custom']> {
  return (_, { name, words }) => {
    const text = words.map(({ value }) => value ?? '\0').join(' ');
    return query.test(text) ? [] : [effect(otherwise, name)];
  };
}

/** A call whose first word only reads, and the files it reads. */
function readsBy(first: RegExp): NonNullable<CommandSpec['custom']> {
  return (_, { name, words: [verb, ...files], scope }) =>
    first.test(verb?.value ?? '') && files.every(({ start }) => !start.startsWith('-'))
      ? files.flatMap((word) => usePath(word, 'content', scope))
      : [effect('changes', name)];
}

const LISTS: Readonly<Record<string, RegExp>> = {
  task: /^(-l|-a|--list|--list-all|--summary|--sort=\w+|--json)$/,
  mage: /^(-l)$/,
  tox: /^(-l|-a|-av|-la|list|l|--listenvs|--listenvs-all|--showconfig|config|c)$/,
  nox: /^(-l|--list|--list-sessions)$/,
  invoke: /^(-l|--list)$/,
  inv: /^(-l|--list)$/,
  rake: /^(-T|-AT|-P|-W|-D|--tasks|--all|--prereqs|--where|--describe)$/,
};

function classifyTaskList(call: Call): readonly Effect[] {
  const { name, words, scope } = call;
  const isList = words.length > 0 && words.every((word) => LISTS[name]?.test(word.value ?? '') === true && !isElsewhere(word, call));
  return [isList && !scope.hasWritten ? effect('task') : effect('runs', 'a task of the project')];
}

/** Verbs of Miller that only compute; programs in its own language may write and start programs. */
const MILLER_VERBS: ReadonlySet<string> = new Set(
  `cat head tail sort uniq count count-distinct count-values stats1 stats2 top cut having-fields rename reorder regularize nest
  join fill-down fill-empty sec2gmt sec2gmtdate group-by group-like label nothing unsparsify sparsify tac altkv bar bootstrap sample
  shuffle decimate flatten unflatten histogram json-parse json-stringify least-frequent most-frequent merge-fields nidx reshape
  seqgen summary template utf8-to-latin1 step format-values fraction grep gap`.split(/\s+/),
);
const MILLER_OPTION = joinedRegExp(
  '',
  '^--(i|o|io)?(csv|tsv|json|jsonl|nidx|xtab|pprint|markdown|dkvp|asv|usv|csvlite)$|^--[ctjlxpnd]2[ctjlxpmbndv]$|^-[nMC]$',
  '|^--(barred|right|allow-ragged-csv-input|implicit-csv-header|headerless-csv-output|key-color|no-color|version)$',
);
const MILLER_VALUE = /^--([io]?[fpr]s|ofmt|nr-progress-mod)$/;

/** `mlr --icsv --opprint sort -f a then head data.csv`: the words after the verbs may be files of any name. */
function classifyMiller({ operands }: Invocation, { words, scope }: Call): readonly Effect[] {
  let at = 0;
  const files = [];
  for (; words[at]?.start.startsWith('-') === true; at += 1) {
    const value = words[at]?.value ?? '';
    if (value === '--from') files.push(...words.slice(at + 1, at + 2));
    if (value === '--from' || MILLER_VALUE.test(value)) at += 1;
    else if (!MILLER_OPTION.test(value)) return [effect('runs', `the option ${words[at]?.text} of mlr`)];
  }
  const rest = words.slice(at);
  const verbs = rest.flatMap((word, index) => (index === 0 || rest[index - 1]?.value === 'then' ? [word] : []));
  const strange = verbs.find(({ value }) => !MILLER_VERBS.has(value ?? ''));
  if (strange !== undefined) return [effect('runs', `the verb ${strange.text} of mlr`)];
  return [...files, ...operands].flatMap((word) => usePath(word, 'content', scope));
}
