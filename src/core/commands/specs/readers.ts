/* Programs that read: the content of files, or the names in folders. */
import { changesOfFind, classifyFd, classifyFind, rootsOfFind, searchOfFind } from '../custom/find.ts';
import { AG_TREE, DIFF_TREE, GREP_TREE, placesOfFd, placesOfSearch, RG_TREE, searches } from '../custom/search.ts';
import { classifyPager } from '../custom/started-code.ts';
import { decodeBase64, filterBy, reverseLines } from '../decode.ts';
import { hasOption, treeReadOf } from '../parse.ts';
import { usePath, useTree } from '../path-use.ts';
import { type CommandSpec, rows, type SpecTable, variants } from '../spec.ts';
import { effect } from '../verdict.ts';

/** With only these options the program prints whole input lines, so its words keep their kind. */
export function ofLines(options: string): NonNullable<CommandSpec['yields']> {
  const plain = options.split(' ');
  return (given, read) => (given.operands.length === 0 && given.options.every(({ name }) => plain.includes(name)) ? read : null);
}

const CONTENT: CommandSpec = { lenient: true, operands: 'content' };
const NUMBERED_CONTENT: CommandSpec = { lenient: true, digits: true, operands: 'content' };

/** Programs without an option that writes, starts or sends anything. */
export const READERS: SpecTable = {
  cat: {
    output: filterBy(/^-?$/, (input) => input),
    lenient: true,
    options: '-AbeEnstTuv show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting',
    operands: 'content',
  },
  ...variants(
    { lenient: true, options: '-brs:0 before regex separator= zero', operands: 'content' },
    { tac: { yields: ofLines('') }, rev: { output: filterBy(/^$/, reverseLines) } },
  ),
  head: {
    lenient: true,
    digits: true,
    options: '-c:n:qvz bytes= lines= quiet silent verbose zero-terminated',
    operands: 'content',
    yields: ofLines('n lines'),
  },
  tail: {
    lenient: true,
    digits: true,
    options: '-c:fFn:qs:vzr bytes= follow? lines= pid= quiet silent retry sleep-interval= verbose zero-terminated max-unchanged-stats=',
    operands: 'content',
    yields: ofLines('n lines'),
  },
  ...rows(CONTENT, {
    nl: `-b:d:f:h:i:l:n:ps:v:w: body-numbering= section-delimiter= footer-numbering= header-numbering= line-increment= join-blank-lines=
      number-format= no-renumber number-separator= starting-line-number= number-width=`,
    paste: '-d:sz delimiters= serial zero-terminated',
    comm: '-123iz check-order nocheck-order output-delimiter= total zero-terminated',
    column: `-tJdexLn:N:R:H:O:E:W:T:l:s:o:c:r:i:p: table json table-name= table-columns= table-right= table-hide= table-order=
      table-noextreme= table-wrap= table-truncate= table-columns-limit= table-noheadings table-header-repeat separator= output-separator=
      output-width= fillrows keep-empty-lines tree= tree-id= tree-parent= columns=`,
    'colrm tsort': '-w',
    look: '-abdft: alternative alphanum ignore-case terminate=',
    'cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum b3sum': `-a:bcl:rstwz algorithm= base64 binary check
      debug ignore-missing length= num-threads= quiet raw no-names status strict sysv tag text untagged warn zero`,
    od: '-A:abcdfij:lN:osS:t:vw::xh address-radix= skip-bytes= read-bytes= strings? format= output-duplicates width? endian= traditional',
    cmp: '-bi:ln:s print-bytes ignore-initial= verbose bytes= quiet silent',
    join: '-a:e:i1:2:j:o:t:v:z ignore-case check-order nocheck-order header zero-terminated',
    cut: '-b:c:d:f:nsz bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated',
    'zcat bzcat lz4cat': '-cdfklLnNqrstvV stdout to-stdout decompress force keep list license quiet test verbose',
    'xzcat lzcat': `-cdfF:klM:qtT:v stdout to-stdout decompress force format= keep list memlimit= memlimit-decompress= quiet test threads=
      verbose single-stream ignore-check robot no-warn`,
    tokei: `-fe:o:s:t:VCc:n:h files exclude= output= sort= rsort= types= type= hidden no-ignore no-ignore-parent no-ignore-dot
      no-ignore-vcs compact languages columns= num-format= verbose`,
    wdiff: `-123nisw:x:y:z:dplt no-deleted no-inserted no-common ignore-case statistics start-delete= end-delete= start-insert=
      end-insert= avoid-wraps less-mode printer terminal diff-input`,
    scc: `-acdi:x:pwn:s:M:lf:uvmz by-file ci cocomo-project-type= complexity no-cocomo no-complexity no-size no-duplicates no-gen no-large
      no-min min-gen wide sort= include-ext= exclude-dir= exclude-ext= format= not-match= character percent languages verbose uloc dryness`,
    diffstat: '-bcCdf:hkKlmn:N:p:q:r:RsStTuvw:',
    jless: '-m:nNrRh mode= line-numbers no-line-numbers json yaml scrolloff=',
  }),
  wc: {
    lenient: true,
    options: '-cmlLw bytes chars lines max-line-length words total= files0-from=',
    on: { 'files0-from': 'list' },
    operands: 'content',
    // With files it prints their names, and without an option several numbers.
    yields: ({ options, operands }) => (options.length === 1 && operands.length === 0 && options[0]?.value === null ? 'number' : null),
  },
  ...rows(NUMBERED_CONTENT, {
    'fold fmt': '-bsw:cp:tug: bytes spaces width= crown-margin prefix= split-only tagged-paragraph uniform-spacing goal=',
    'expand unexpand': '-ait: initial all first-only tabs=',
    pr: `-acdD:e::fFh:i::Jl:mn::N:o:rs::S::tTvw:W: pages= columns= across show-control-chars double-space date-format= expand-tabs?
      form-feed header= output-tabs? join-lines length= merge number-lines? first-line-number= indent= no-file-warnings separator?
      sep-string? omit-header omit-pagination show-nonprinting width= page-width=`,
  }),
  crc32: { operands: 'content' },
  perldoc: {
    lenient: true,
    options: '-lfqvtTUmFaD',
    custom: ({ operands }, { scope }) => operands.flatMap((word) => usePath(word, /[./]/.test(word.start) ? 'content' : 'text', scope)),
  },
  strings: {
    lenient: true,
    digits: true,
    options: '-adfn:ot:e:s:wU: all data print-file-name bytes= radix= encoding= output-separator= include-all-whitespace unicode=',
    custom: ({ operands }, { scope }) =>
      operands.flatMap((word) =>
        word.start.startsWith('@') ? [effect('runs', `options from ${word.text}`)] : usePath(word, 'content', scope),
      ),
  },
  'hexdump hd': {
    lenient: true,
    options: `-bcCdoxve:f:n:s:L:: one-byte-octal one-byte-char canonical two-bytes-decimal two-bytes-octal two-bytes-hex format=
      format-file= length= skip= no-squeezing color?`,
    on: { 'f format-file': 'content' },
    operands: 'content',
  },
  zstdcat: {
    lenient: true,
    options: `-cdfklqtT:vM:o: stdout force keep list quiet verbose test threads= memory= long? no-progress no-check single-thread rm
      output-dir-flat= output-dir-mirror=`,
    on: { 'o rm output-dir-flat output-dir-mirror': 'destroys' },
    operands: 'content',
  },
  file: {
    lenient: true,
    options: `-bcChiklLNprsSvzZE0f:m:F:P:e: brief compile files-from= mime mime-type mime-encoding keep-going dereference no-dereference
      no-pad preserve-date raw special-files uncompress separator= magic-file= exclude= parameter= extension print0 apple list`,
    on: { 'C compile': 'changes', 'm magic-file': 'content', 'f files-from': 'list' },
    operands: 'name',
  },
  tree: {
    lenient: true,
    options: `-adfiqNpugshDFJXxlQrtcUvVCnASoRL:P:I:H:T: filelimit= charset= sort= timefmt= fromfile du si prune dirsfirst filesfirst
      noreport inodes device matchdirs ignore-case gitignore metafirst nolinks`,
    on: { o: 'replace', R: 'changes' },
    custom: ({ options, operands }, { scope }) =>
      operands.flatMap((word) => usePath(word, hasOption({ options }, 'fromfile') ? 'content' : 'name', scope)),
  },
  cloc: {
    digits: true,
    options: `by-file by-file-by-lang csv csv-delimiter= json yaml xml md quiet progress-rate= exclude-dir= exclude-ext= exclude-lang=
      include-lang= include-ext= not-match-d= match-d= match-f= not-match-f= fullpath git diff hide-rate sum-one skip-uniqueness timeout=
      processes= show-lang show-ext skip-archive= follow-links max-file-size= no3 3 vcs= extract-with= diff-list-file=`,
    on: { 'vcs extract-with diff-list-file': 'starts' },
    operands: 'content',
  },
  dc: {
    options: '-e: expression=',
    custom: ({ options, operands }, { input }) => {
      const code = [...options.map(({ value }) => value?.value ?? '!'), input.text ?? (input.isGiven ? '!' : '')];
      return operands.length > 0 || code.join('').includes('!') || code.join('') === '' ? [effect('runs', 'dc')] : [];
    },
  },
  'grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep zstdgrep': {
    lists: placesOfSearch,
    lenient: true,
    digits: true,
    options: `-EFGPe:f:iyvwxcLlm:oqsbHhnTZA:B:C:aUd:D:rRIzu extended-regexp fixed-strings basic-regexp perl-regexp regexp= file=
      ignore-case no-ignore-case invert-match word-regexp line-regexp count color? colour? files-without-match files-with-matches
      max-count= only-matching quiet silent no-messages byte-offset with-filename no-filename label= line-number initial-tab null
      after-context= before-context= context= text binary-files= devices= directories= exclude= exclude-from= exclude-dir= include=
      recursive dereference-recursive line-buffered null-data binary`,
    on: { 'f file exclude-from': 'content' },
    custom: searches(GREP_TREE),
    // With several files it prints their names.
    yields: ({ options, operands }) =>
      hasOption({ options }, 'c count') &&
      options.every(({ name }) => /^[ciEFPvwxh]$|^count$/.test(name)) &&
      operands.length <= 2 &&
      !operands.some(({ isGlob }) => isGlob)
        ? 'number'
        : null,
  },
  // The pattern comes before the archive, and file names within the archive follow.
  zipgrep: {
    lenient: true,
    options: '-EFGPe:iyvwxcLlm:oqshHnA:B:C:',
    custom: ({ operands }, { scope }) => operands.flatMap((word, at) => usePath(word, at === 1 ? 'content' : 'text', scope)),
  },
  rg: {
    lists: placesOfSearch,
    digits: true,
    options: `-A:B:C:E:M:T:d:e:f:g:j:m:r:t:acFhHiIlLnNopPqsSuUvVwxz.0 after-context= before-context= context= color= colors= column
      context-separator= count count-matches crlf debug encoding= engine= file= files files-with-matches files-without-match fixed-strings
      follow glob= glob-case-insensitive heading hidden iglob= ignore-case ignore-file= ignore-file-case-insensitive include-zero
      invert-match json line-buffered line-number line-regexp max-columns= max-columns-preview max-count= max-depth= max-filesize= mmap
      multiline multiline-dotall no-config no-column no-filename no-heading no-ignore no-ignore-vcs no-ignore-dot no-ignore-parent
      no-ignore-global no-ignore-exclude no-line-number no-messages no-mmap no-unicode null null-data one-file-system only-matching
      passthru path-separator= pcre2 pre= hostname-bin= pretty quiet regexp= replace= search-zip smart-case case-sensitive sort= sortr=
      stats stop-on-nonmatch text threads= trim type= type-list type-not= unrestricted vimgrep with-filename word-regexp`,
    on: { 'f file': 'content', 'pre hostname-bin': 'starts' },
    custom: searches(RG_TREE),
  },
  'ag ack': {
    lists: placesOfSearch,
    digits: true,
    options: `-A:B:C:G:g:m:acfFhHiIlLnopPqQrRsStuUvwz after= before= context= color nocolor column count depth= files-with-matches
      files-without-matches file-search-regex= filename nofilename group nogroup heading noheading hidden ignore= ignore-case ignore-dir=
      literal line-numbers nonumbers max-count= nobreak norecurse one-device only-matching path-to-ignore= python ts js rust go sort-files
      smart-case type= unrestricted vimgrep word-regexp`,
    custom: searches(AG_TREE),
  },
  'diff colordiff zdiff zcmp bzdiff bzcmp xzdiff xzcmp': {
    digits: true,
    options: `-abBcdeEfF:hHiI:lL:nNpPqrsS:tTuU:vwW:x:X:yZC:D: normal brief report-identical-files context? unified? ed rcs side-by-side
      width= left-column suppress-common-lines show-c-function show-function-line= label= expand-tabs initial-tab tabsize=
      suppress-blank-empty recursive no-dereference new-file unidirectional-new-file ignore-file-name-case no-ignore-file-name-case
      exclude= exclude-from= starting-file= from-file= to-file= ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change
      ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr ifdef= minimal old-line-format= new-line-format=
      unchanged-line-format= old-group-format= new-group-format= changed-group-format= unchanged-group-format= horizon-lines=
      speed-large-files color? palette= line-format=`,
    on: { 'exclude-from from-file to-file X': 'content' },
    custom: (given, call) => {
      const isDeep = treeReadOf(DIFF_TREE, given, call.words) !== 'none';
      return given.operands.flatMap((word) => (isDeep ? useTree(word, call.scope) : usePath(word, 'content', call.scope)));
    },
  },
  sdiff: {
    options: `-abBdEilsStWw:zZ suppress-common-lines width= left-column expand-tabs ignore-case ignore-all-space ignore-blank-lines text
      minimal`,
    operands: 'content',
  },
  'bat batcat less more most zmore zless': { any: true, operands: 'content', custom: classifyPager },
  mktemp: {
    lenient: true,
    options: '-p:dqut tmpdir? suffix= directory dry-run quiet',
    on: { 'p tmpdir': 'add' },
    custom: ({ operands }, { scope }) =>
      operands
        .flatMap((word) =>
          word.start.startsWith('/tmp/') || !word.start.includes('/') ? [effect('adds')] : scope ? [effect('changes', word.text)] : [],
        )
        .concat(operands.length === 0 ? [effect('adds')] : []),
  },
  shuf: {
    options: '-ei:n:o:rz echo input-range= head-count= output= random-source= repeat zero-terminated',
    on: { 'o output': 'replace' },
    operands: 'content',
  },
  openssl: {
    output: filterBy(/^(?:enc )?-?base64 (?:-d|-D|--decode|-di|-d -A|-A -d)(?: -i)?$/, decodeBase64),
    sub: {
      'version ciphers help errstr': { single: true, options: 'a v d p b f V s psk convert stdname tls1_2 tls1_3', operands: 'text' },
      list: {
        single: true,
        options: `commands digest-commands digest-algorithms cipher-commands cipher-algorithms public-key-algorithms disabled providers
          verbose engines`,
      },
      'dgst sha256 sha1 sha384 md5 sha512': {
        single: true,
        options: 'sha1 sha224 sha256 sha384 sha512 sha3-256 md5 blake2b512 r hex binary c d hmac= verify= signature= sign= out=',
        on: { out: 'replace', 'sign hmac': 'secrets' },
        operands: 'content',
      },
      'x509 verify crl req asn1parse': {
        single: true,
        options: `in= inform= out= noout text subject issuer dates enddate startdate fingerprint sha1 sha256 serial hash pubkey purpose
          ext= email modulus checkend= checkhost= CAfile= CApath= untrusted= nameopt= verbose show_chain partial_chain i`,
        // It prints only the certificate of a file, even if the file contains a private key.
        on: { out: 'replace', 'in CAfile CApath untrusted': 'name' },
        operands: 'name',
      },
      'rsa pkey ec dsa pkcs12 pkcs8 pkeyutl rsautl': {
        lenient: true,
        single: true,
        options: 'in= out= inform= outform= passin= passout= inkey= keyform= noout text pubin pubout modulus check',
        on: { out: 'replace' },
        custom: ({ options }, { scope }) => {
          const isPublic = hasOption({ options }, 'pubin pubout');
          const isWritten = hasOption({ options }, 'out');
          const read = options.flatMap(({ name, value }) => (name === 'in' && value !== null ? usePath(value, 'content', scope) : []));
          return isWritten || isPublic ? read : [effect('secrets', 'a private key')];
        },
      },
      'pkcs7 crl2pkcs7': {
        single: true,
        options: 'in= inform= out= noout print_certs text nocrl certfile=',
        on: { out: 'replace', 'in certfile': 'name' },
      },
      ecparam: { single: true, options: 'list_curves name= noout' },
      rand: { single: true, options: 'out= hex base64', on: { out: 'replace' } },
      's_client s_server': { any: true, single: true, effect: 'network' },
      base64: { single: true, options: 'd e A in= out=', on: { out: 'replace', in: 'content' } },
    },
    effect: 'changes',
  },
};

const NAMES: CommandSpec = { lenient: true, operands: 'name' };

/** Programs that list files without their content. */
export const LISTERS: SpecTable = {
  ...rows(NAMES, {
    'ls dir vdir': `-aAbBcCdDfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ1@ all almost-all author escape block-size= ignore-backups color? directory
      dired classify? file-type format= full-time group-directories-first no-group human-readable si dereference-command-line
      dereference-command-line-symlink-to-dir hide= hyperlink? indicator-style= inode ignore= kibibytes dereference numeric-uid-gid
      literal hide-control-chars show-control-chars quote-name quoting-style= reverse recursive size sort= time= time-style= tabsize=
      width= context zero`,
    'readlink realpath': `-femnqsvzLP canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero logical
      physical relative-to= relative-base= strip no-symlinks`,
    'basename dirname': '-as:z multiple suffix= zero',
    df: '-aB:hHiklPTt:vx: all block-size= human-readable si inodes local no-sync output? portability total type= print-type exclude-type=',
    'exa eza': `-1lGxRTFaAdDfL:s:rBbghHimnSoUut:@XZI:w:M oneline long grid across recurse tree classify? icons? no-icons color? colour?
      color-scale? all almost-all list-dirs level= reverse sort= group-directories-first group-directories-last git-ignore ignore-glob=
      only-dirs only-files binary bytes group header links inode modified blocksize blocks time= accessed created changed time-style=
      no-permissions octal-permissions no-filesize no-user no-time git git-repos no-git extended no-quotes hyperlink total-size width=
      smart-group absolute? numeric follow-symlinks mounts dereference`,
    lsd: `-aAlhFRdtSXvUrgiLI:1ZGN all almost-all long tree depth= human-readable recursive sort= group-dirs= group-directories-first icon=
      icon-theme= color= date= size= blocks= permission= total-size timesort sizesort extensionsort gitsort versionsort no-sort reverse
      header git inode dereference literal ignore-glob= no-symlink classic ignore-config directory-only oneline classify hyperlink=
      context`,
    'namei pathchk': '-xmolvnpPZ long modes mountpoints nosymlinks owners vertical portability',
    lsblk: `-aAbcdDe:fiI:JlmMnNo:OpPrsStT::x:vyzZE:w: all noempty bytes merge discard nodeps exclude= fs ascii include= json list perms
      noheadings output= output-all paths pairs raw inverse scsi nvme virtio topology tree? sort= zoned shell width= dedup=`,
  }),
  stat: {
    lenient: true,
    options: '-Lftc:xsr dereference file-system cached= format= printf= terse',
    operands: 'name',
    yields: ({ options }) =>
      options.length === 1 && /^(%[bBhisugXYZWod]|[ \\n])+$/.test(options[0]?.value?.value ?? '') ? 'number' : null,
  },
  du: {
    lenient: true,
    options: `-aAbB:cDd:hHklLmPsSt:xX:0 all apparent-size block-size= bytes total dereference-args max-depth= human-readable inodes
      dereference no-dereference separate-dirs si summarize threshold= time? time-style= exclude-from= exclude= one-file-system null
      files0-from=`,
    on: { 'files0-from': 'list', 'X exclude-from': 'content' },
    operands: 'name',
  },
  'locate mlocate plocate': {
    lists: () => ['/'],
    lenient: true,
    options: `-AbcCd:eEiHLl:Nn:pPqrsSw0m all basename count database= existing follow nofollow ignore-case ignore-spaces limit= literal
      null quiet regexp= regex statistics transliterate wholename`,
    on: { 'd database': 'content' },
    operands: 'text',
  },
  'mountpoint duf dust lsirq zdump systemd-cgls systemd-cgtop pg_lsclusters pg_config systemd-detect-virt systemd-path systemd-escape toe':
    { any: true, operands: 'name' },
  findmnt: {
    lenient: true,
    options: `-AabCcDdefF:iJklM:mnN:o:O:PrRsS:t:T:uUvxy all ascii bytes nocanonicalize canonicalize df direction= evaluate first-only
      tab-file= invert json kernel? list mountpoint= mtab task= noheadings output= output-all options= pairs raw real submounts fstab
      source= types= target= notruncate nofsroot verify verbose shell pseudo shadowed`,
    on: { 'F tab-file': 'content' },
    operands: 'name',
  },
};

const FD: CommandSpec = {
  options: `-HIuigaslpLE:t:e:d:S:o:c:j:0F1qx:X: hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex
    fixed-strings absolute-path list-details follow full-path print0 max-depth= min-depth= exact-depth= prune type= extension= exclude=
    size= changed-within= changed-before= owner= color= threads= max-results= quiet show-errors strip-cwd-prefix? one-file-system
    search-path= base-directory=`,
  on: { 'x X': 'runs' },
  operands: 'name',
};

/** `find` and `fd`: searches that can delete, write and start programs. */
export const FIND: SpecTable = {
  find: {
    lists: rootsOfFind,
    searched: searchOfFind,
    any: true,
    custom: (_, call) => classifyFind(call),
    changes: (_, { words }) => changesOfFind(words),
  },
  'fd fdfind': { lists: placesOfFd, any: true, custom: (_, call) => classifyFd(FD, call) },
};
