import { changesOfFind, classifyFd, classifyFind, rootsOfFind, searchOfFind } from '../custom/find.ts';
import { placesOfFd } from '../custom/search.ts';
import { type CommandSpec, rows, type SpecTable } from '../spec.ts';

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
