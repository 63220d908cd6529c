/* Programs for file formats: images, sound, films and documents, and the files of other programs. */
import { joinedRegExp } from '../../text/joined-regexp.ts';
import { hasOption, type Invocation, isGiven } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { type Call, type CommandSpec, rows, type SpecTable } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';
import { asks, readsWith } from './queries.ts';

/** Options of exiftool that do more than select a tag. */
const MORE_THAN_A_TAG = joinedRegExp(
  'i',
  String.raw`^-(config|execute|api|charset|stay_open|[@owWprF]|if|argFile|tagsfromfile|overwrite_original\w*`,
  String.raw`|delete_original\w*|geotag|all|use|fileOrder|restore_original\w*)$`,
);

/** Programs for images, sound, films and documents. */
export const MEDIA: SpecTable = {
  ffprobe: {
    single: true,
    options: `v= loglevel= i= of= print_format= show_format show_streams show_packets show_frames show_chapters show_programs show_data
      show_error show_entries= select_streams= read_intervals= count_frames count_packets hide_banner pretty unit prefix sexagesimal
      bitexact version formats codecs decoders encoders filters pix_fmts protocols`,
    custom: ({ operands, options }, { scope }) =>
      [...operands, ...options.flatMap(({ name, value }) => (name === 'i' && value !== null ? [value] : []))].flatMap((word) =>
        /^[\w.+-]+:/.test(word.start) || word.value === null ? [effect('network', word.text)] : usePath(word, 'content', scope),
      ),
  },
  ffmpeg: {
    single: true,
    options: `version formats codecs decoders encoders filters pix_fmts protocols hwaccels hide_banner buildconf muxers demuxers bsfs
      layouts devices`,
    custom: ({ operands }) => (operands.length === 0 ? [] : [effect('changes', 'a film')]),
  },
  identify: {
    single: true,
    options: 'verbose format= ping quiet version list=',
    custom: ({ operands }, { scope }) =>
      operands.flatMap((word) =>
        /^[A-Za-z]+:|^@|\.(mvg|msl|svgz?|e?ps|pdf|ai|url)$/i.test(word.start)
          ? [effect('runs', word.text)]
          : usePath(word, 'content', scope),
      ),
  },
  exiftool: {
    custom: (_, { words, scope }) =>
      words.flatMap((word) => {
        if (/^-[A-Za-z][\w:]*$/.test(word.value ?? '') && !MORE_THAN_A_TAG.test(word.value ?? '')) return [];
        return /^[-+@]/.test(word.start) || word.value === null
          ? [effect('changes', `${word.text} of exiftool`)]
          : usePath(word, 'content', scope);
      }),
    any: true,
  },
  mediainfo: {
    custom: (_, { words, scope }) =>
      words.flatMap((word) =>
        /^--(LogFile|Config)|=file:/i.test(word.start)
          ? [effect('changes', word.text)]
          : /^\w+:\/\//.test(word.start)
            ? [effect('network', word.text)]
            : usePath(word, 'content', scope),
      ),
    any: true,
  },
  'pdfinfo pdffonts pdfimages': {
    any: true,
    custom: ({ options, operands }, { name, scope }) =>
      name === 'pdfimages' && !hasOption({ options }, 'l list')
        ? [effect('changes', 'images of a document')]
        : operands.flatMap((word) => usePath(word, 'content', scope)),
  },
  pdftotext: {
    single: true,
    options: 'f= l= layout raw nopgbrk enc= eol= q simple table bbox htmlmeta r= x= y= W= H=',
    custom: ({ operands }, { scope }) => {
      const [source, target] = operands;
      const read = source === undefined ? [] : usePath(source, 'content', scope);
      return target?.value === '-' ? read : [...read, effect('changes', 'a text beside the document')];
    },
  },
  soxi: { any: true, operands: 'content' },
  'aplay arecord': { any: true, custom: (_, { words }) => (/^-[lL]$/.test(words[0]?.value ?? '') ? [] : [effect('runs', 'sound')]) },
};

/** These programs open addresses as well as files, such as `https://…`, `nbd:…` or `/vsicurl/…`. */
function classifySources({ operands }: Invocation, { scope }: Call): readonly Effect[] {
  return operands.flatMap((word) =>
    /^(?:\w\w+:|\/vsi|<)/.test(word.start) || (word.value === null && word.start === '')
      ? [effect('network', word.text)]
      : usePath(word, 'content', scope),
  );
}

const PACKETS = readsWith('r', 'network', { options: '-r:nAXxeqvtSKlc:#Np', on: { r: 'content' }, operands: 'text' });

/** Read-only requests of `debugfs`; others write files. */
const LOOKED_UP = joinedRegExp(
  '',
  '^(?:ls|stat|cat|stats|show_super_stats|blocks|ncheck|icheck|imap|bmap|lsdel|extents|ea_list|htree_dump|filefrag)',
  String.raw`(?: -[a-zA-Z0-9]+)*(?: [\w./<>-]+)*$`,
);

const CONTENT: CommandSpec = { operands: 'content' };

/** Programs that show file formats of other programs: file system images, captures, dumps, fonts, maps, old repositories. */
export const KEPT: SpecTable = {
  'qemu-img': {
    options: '-f:l output= backing-chain force-share',
    effect: 'changes',
    sub: {
      'info check measure map compare': {
        options: '-f:F:Uspq output= backing-chain force-share start-offset= max-length=',
        custom: classifySources,
      },
      snapshot: readsWith('l', 'changes', { options: '-lqU force-share' }),
    },
  },
  filefrag: { options: '-b:eEkPvVxX', operands: 'name' },
  ...rows(CONTENT, {
    dumpe2fs: '-bfghio:mx',
    otfinfo: '-fszpaviguT:t features scripts info glyphs unicode tables postscript-name family font-version script=',
    'fc-match fc-query fc-scan fc-pattern': '-asvf:i:bc all sort verbose format= index= brief config default',
    'grib_ls grib_dump bufr_ls bufr_dump grib_count codes_info': '-p:P:w:n:mjOaHtd',
    mysqlbinlog: `-vsHj:d:o: verbose base64-output= start-datetime= stop-datetime= start-position= stop-position= database= short-form
      hexdump no-defaults offset= server-id= skip-gtids include-gtids= exclude-gtids= verify-binlog-checksum`,
    'bsondump mysqldumpslow innochecksum ibd2sdi': '-vs:rt:an:g:li:p type= pretty objcheck quiet verbose count skip-data',
    mp3info: '-xr:p:',
  }),
  'tune2fs xfs_admin': readsWith('l', 'privileged', { options: '-lu' }),
  'e2label fatlabel dosfslabel ntfslabel exfatlabel swaplabel': {
    custom: ({ operands }, { name, scope }) =>
      operands.length === 1
        ? operands.flatMap((word) => usePath(word, 'content', scope))
        : [effect('wrecks', `${name} names a file system`)],
  },
  'e2fsck fsck.ext4 fsck.ext3 fsck.ext2 fsck.fat fsck.vfat dosfsck': readsWith('n', 'privileged', { options: '-nfvtV' }),
  debugfs: {
    any: true,
    custom: (_, { words: [option, request, file, ...more], scope }) =>
      option?.value === '-R' &&
      LOOKED_UP.test(request?.value ?? '') &&
      file !== undefined &&
      !file.start.startsWith('-') &&
      more.length === 0
        ? usePath(file, 'content', scope)
        : [effect('privileged', 'a file system')],
  },
  losetup: {
    options: '-alj:nO:J all list associated= noheadings output= json raw output-all',
    custom: ({ operands, strange }) => (operands.length + strange.length === 0 ? [] : [effect('privileged', 'losetup')]),
  },
  sfdisk: readsWith('d dump l list J json V verify', 'wrecks', {
    options: '-dlJVqo: dump list json verify quiet output= bytes color?',
  }),
  'sgdisk gdisk': readsWith('p print v verify i info', 'wrecks', { options: '-pvi: print verify info=' }),
  unsquashfs: readsWith('l ls ll lls lln lc llc s stat', 'changes', {
    single: true,
    options: 'l ls ll lls lln lc llc s stat n no-progress no',
  }),
  'mdir mtype minfo mdu mshowfat': { options: '-i:/afwbXVstv', on: { i: 'content' }, operands: 'name' },
  // Without the option it resolves names over the network.
  tcpdump: {
    ...PACKETS,
    custom: (given, call) => (isGiven(given, 'n') ? (PACKETS.custom?.(given, call) ?? []) : [effect('network', 'names of hosts')]),
  },
  tshark: readsWith('r read-file', 'network', {
    options: '-r:qVxlnPSc:e:E:f:O:t:T:Y:R:z:2 read-file=',
    on: { 'r read-file': 'content' },
    operands: 'text',
  }),
  ngrep: readsWith('I', 'network', { options: '-I:iqwxvetTn:A:Wlp', on: { I: 'content' }, operands: 'text' }),
  nfdump: readsWith('r', 'changes', { options: '-r:o:s:c:A:n:aqNO:', on: { r: 'content' }, operands: 'text' }),
  ipcalc: { options: '-bncmps46r nobinary nocolor class netmask network broadcast prefix minaddr maxaddr addresses range check split' },
  sipcalc: { digits: true, options: '-abcin:s:S:vwx' },
  prips: { digits: true, options: '-cd:f:i:e:' },
  grepcidr: { options: '-vcxif:', on: { f: 'content' }, operands: 'content' },
  'gpgv gpgv2': {
    options: '-vqo: keyring= status-fd= logger-fd= quiet verbose ignore-time-conflict homedir= output= weak-digest=',
    on: { 'o output': 'replace', 'keyring homedir': 'name' },
    operands: 'content',
  },
  minisign: readsWith('V', 'changes', { options: '-Vm:p:P:x:qQ', on: { 'm p x': 'content' } }),
  ttx: readsWith('l', 'changes', { options: '-l' }),
  gdalinfo: {
    single: true,
    options: 'json mm nogcp nomd norat noct nofl checksum listmdd mdd= wkt_format= proj4 sd= nodata formats version format',
    custom: classifySources,
  },
  ogrinfo: {
    single: true,
    options: 'ro so al q where= spat= fid= json summary noextent nomd geom= features limit= formats version',
    custom: classifySources,
  },
  gdalsrsinfo: { single: true, options: '-o: o= e single_line', custom: classifySources },
  projinfo: { options: '-o:k:qs:t: single-line identify summary spatial-test= dump-db-structure' },
  fossil: asks('timeline status info changes ls finfo extras leaves whatis annotate blame praise version help', 'changes', {
    options: '-n:t:W:vp: limit= type= verbose',
    operands: 'content',
  }),
  'quilt stg guilt': asks('series applied unapplied top next prev previous files patches', 'changes', { operands: 'text' }),
  'bzr brz': asks('status st log ls info revno root annotate blame version help tags', 'changes', {
    options: '-r:nlv',
    operands: 'content',
  }),
  darcs: asks('log changes whatsnew annotate', 'changes', { options: 'last= patch= summary verbose', operands: 'content' }),
  svnlook: asks('author cat changed date dirs-changed history info log propget pg proplist pl tree uuid youngest filesize', 'changes', {
    options: '-r:t:vN revision= transaction= full-paths show-ids limit=',
    operands: 'content',
  }),
  svnadmin: asks('info lslocks lstxns verify', 'destroys', { operands: 'content' }),
  ostree: asks('log refs show ls rev-parse', 'changes', { options: 'repo=', operands: 'text' }),
  // Databases check their own files while no server runs.
  'redis-check-rdb redis-check-aof valkey-check-rdb valkey-check-aof': { operands: 'content' },
  pg_restore: readsWith('l list f file', 'destroys', {
    options: '-lvF:f:n:t:sa list verbose format= file= schema= table= schema-only data-only',
    on: { 'f file': 'replace' },
  }),
  'pg_waldump pg_controldata': {
    options: '-p:s:e:t:n:r:R:F:B:bfqxzD: path= start= end= limit= rmgr= stats? pgdata=',
    on: { 'p path D pgdata': 'name' },
    operands: 'content',
  },
  pg_checksums: readsWith('c check', 'destroys', { options: '-cvD: check verbose pgdata=' }),
  etcdutl: {
    sub: { snapshot: { sub: { status: { options: '-w: write-out=', operands: 'content' } }, effect: 'changes' } },
    effect: 'changes',
  },
  metaflac: {
    options: `list show-md5sum show-min-blocksize show-max-blocksize show-sample-rate show-channels show-bps show-total-samples
      show-vendor-tag show-tag= show-all-tags block-number= block-type= except-block-type= with-filename no-filename export-tags-to=`,
    on: { 'export-tags-to': 'replace' },
    operands: 'content',
  },
  flac: readsWith('t test', 'changes', { options: '-ts test silent totally-silent' }),
  'vorbiscomment id3v2': readsWith('l list', 'changes', { options: '-lR list raw' }),
};
