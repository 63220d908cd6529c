import type { Argument } from '../argument.ts';
import { find } from '../findings.ts';
import { looksLikeCommand } from '../looks-like-command.ts';
import { type GivenWords, isGiven } from '../options.ts';
import { type PathUse, usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import type { Call, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';

/** Programs that make, move, change and delete files. */
export const FILES: RuleTable = {
  mkdir: { short: 'pvm:Z', long: 'parents verbose mode=', operands: 'add', needs: 1 },
  touch: { short: 'acmhd:t:r:', long: 'no-create date= reference= time= no-dereference', operands: 'add' },
  mkfifo: { any: true, operands: 'add' },
  mknod: { any: true, effect: 'privileged' },
  cp: {
    short: 'abdfHilLnPprRsS:t:TuvxZ',
    long: 'archive attributes-only backup? copy-contents debug force interactive link dereference no-clobber no-dereference preserve? no-preserve= parents recursive reflink? remove-destination sparse= strip-trailing-slashes symbolic-link suffix= target-directory= no-target-directory update? verbose one-file-system',
    judge: judgeCopy,
  },
  mv: {
    short: 'bfinS:t:TuvZ',
    long: 'backup? debug force interactive no-clobber no-copy exchange strip-trailing-slashes suffix= target-directory= no-target-directory update? verbose',
    judge: judgeMove,
  },
  ln: {
    short: 'bdfFiLnPrsS:t:Tv',
    long: 'backup? directory force interactive logical no-dereference physical relative symbolic suffix= target-directory= no-target-directory verbose',
    judge: judgeLink,
  },
  install: {
    any: true,
    short: 'bcCdDg:m:o:psS:t:Tv',
    effect: 'changes',
    judge: ({ operands }, call) => judgeTargets(operands.slice(-1), 'replace', call),
  },
  rm: { any: true, judge: ({ operands }, call) => judgeTargets(operands, 'delete', call) },
  'rmdir unlink': { any: true, judge: ({ operands }, call) => judgeTargets(operands, 'delete', call) },
  'shred srm wipe': { any: true, short: 'n:s:', judge: ({ operands }, call) => judgeTargets(operands, 'delete', call) },
  'trash trash-put gio rename prename mmv': { any: true, effect: 'destroys' },
  truncate: {
    any: true,
    short: 's:r:co',
    long: 'size= reference= no-create io-blocks',
    judge: ({ operands }, call) => judgeTargets(operands, 'delete', call),
  },
  fallocate: { any: true, short: 'l:o:', long: 'length= offset=', effect: 'changes' },
  dd: { any: true, judge: judgeDd },
  chmod: { any: true, judge: judgeMode },
  'chown chgrp': { any: true, judge: judgeOwner },
  'chattr setfacl setfattr setcap': { any: true, effect: 'privileged' },
  'lsattr getfacl getfattr getcap': { any: true, operands: 'name' },
  tar: { any: true, judge: judgeTar },
  'unzip 7z 7za 7zz unrar': { any: true, judge: judgeUnpack },
  'unar rar': { any: true, effect: 'changes' },
  'zipinfo lsar': { any: true, operands: 'content' },
  zip: { any: true, judge: judgeZip },
  'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress pigz': { any: true, judge: judgeCompress },
  'cpio pax': { any: true, long: 'rsh-command= file=', on: { 'rsh-command': 'starts' }, effect: 'changes' },
  ar: {
    any: true,
    judge: (_, { words, scope }) =>
      /^-?[tp]v?$/.test(words[0]?.value ?? '') && words.length === 2
        ? words.slice(1).flatMap((word) => usePath(word, 'content', scope))
        : [find('changes', 'an archive')],
  },
  patch: { any: true, effect: 'changes' },
  'sync fsync': { any: true },
  'zfs zpool': { any: true, sub: { 'list get status iostat history': { any: true } }, effect: 'wrecks' },
  btrfs: { any: true, judge: judgeVolumes },
  'fdisk sfdisk parted gdisk': {
    any: true,
    judge: ({ options }) => [
      options.some(({ name }) => name === 'l') ? find('privileged', 'looks at disks') : find('wrecks'),
    ],
  },
  'lvs vgs pvs lvdisplay vgdisplay pvdisplay smartctl': { any: true, effect: 'privileged' },
  'mkfs mke2fs mkswap wipefs sgdisk cfdisk blkdiscard hdparm nvme cryptsetup lvremove vgremove pvremove mdadm dmsetup mkfs.ext4 mkfs.ext3 mkfs.ext2 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs':
    { any: true, effect: 'wrecks' },
};

function judgeTargets(targets: readonly Argument[], use: PathUse, { scope, name }: Call): readonly Finding[] {
  const found = targets.flatMap((word) => usePath(word, use, scope));
  return found.length > 0 ? found : [find(use === 'delete' ? 'destroys' : 'changes', name)];
}

function split(given: GivenWords): { readonly sources: readonly Argument[]; readonly target: Argument | undefined } {
  const folder = given.options.find(({ name }) => name === 't' || name === 'target-directory')?.value;
  if (folder !== undefined && folder !== null) return { sources: given.operands, target: folder };
  return { sources: given.operands.slice(0, -1), target: given.operands.at(-1) };
}

function judgeCopy(given: GivenWords, { scope }: Call): readonly Finding[] {
  const { sources, target } = split(given);
  if (target === undefined) return [];
  const empties = sources.some(({ value }) => value === '/dev/null')
    ? [find('destroys', `empties ${target.text}`)]
    : [];
  const isCareful =
    isGiven(given, 'n', 'no-clobber') &&
    !isGiven(given, 'remove-destination', 'f', 'force', 'backup', 'b', 'i', 'interactive', 'u', 'update');
  return [
    ...sources.flatMap((word) => usePath(word, 'content', scope)),
    ...usePath(target, isCareful ? 'add' : 'replace', scope),
    ...landing(sources, target, scope),
    ...(isCareful ? [] : empties),
  ];
}

/** A file copied into a folder keeps its name there. */
function landing(sources: readonly Argument[], target: Argument, scope: Call['scope']): readonly Finding[] {
  return sources.flatMap((source) => {
    const name = source.value
      ?.split('/')
      .filter((part) => part !== '')
      .at(-1);
    if (name === undefined || target.value === null) return [];
    if (locate(target.value, scope.cwd, scope.ground, target.isGlob).isGuarded) return [];
    return locate(`${target.value}/${name}`, scope.cwd, scope.ground, source.isGlob).isGuarded
      ? [find('plants', `${target.value}/${name}`)]
      : [];
  });
}

function judgeMove(given: GivenWords, { scope }: Call): readonly Finding[] {
  const { sources, target } = split(given);
  if (target === undefined) return [];
  const isCareful =
    isGiven(given, 'n', 'no-clobber') &&
    !isGiven(given, 'f', 'force', 'b', 'backup', 'exchange', 'i', 'interactive', 'u', 'update');
  const gone = sources.flatMap((word) => {
    const place = locate(word.value ?? word.start, scope.cwd, scope.ground, word.isGlob);
    if (place.isWhole) return [find('wrecks', `moves ${word.text} away`)];
    if (place.isSecret) return [find('secrets', `moves ${word.text}`)];
    if (place.isGuarded || (word.value === null && word.isFound !== true))
      return [find('destroys', `moves ${word.text} away`)];
    return place.zone === 'project' || place.zone === 'temporary' ? [] : [find('destroys', `moves ${word.text} away`)];
  });
  const isLost = target.value === '/dev/null' ? [find('destroys', 'moves into nothing')] : [];
  return [
    ...gone,
    ...isLost,
    ...usePath(target, isCareful ? 'add' : 'replace', scope),
    ...landing(sources, target, scope),
  ];
}

function judgeLink(given: GivenWords, { scope }: Call): readonly Finding[] {
  const { sources, target } = split(given);
  const isCareful = !isGiven(given, 'f', 'force', 'b', 'backup');
  const alias = sources.flatMap((word) => {
    const place = locate(word.value ?? word.start, scope.cwd, scope.ground, word.isGlob);
    if (place.isGuarded) return [find('plants', `another name for ${word.text}`)];
    return place.isSecret ? [find('secrets', `another name for ${word.text}`)] : [];
  });
  const outward = sources.some((word) => {
    const { zone } = locate(word.value ?? word.start, scope.cwd, scope.ground);
    return (
      word.value === null ||
      (word.value.startsWith('/') && zone !== 'project' && zone !== 'temporary') ||
      /(^|\/)\.\.(\/|$)/.test(word.value)
    );
  });
  const made = target === undefined ? [] : usePath(target, isCareful ? 'add' : 'replace', scope);
  return [...made, ...alias, ...(outward ? [find('changes', 'a link that leaves the project')] : [])];
}

/** A mode for named files is an edit; for a tree or a pattern it is a bulk change that nothing takes back. */
function judgeMode(given: GivenWords, { scope, words }: Call): readonly Finding[] {
  const isBulk = words.some(({ value }) => value !== null && (/^-[a-zA-Z]*R/.test(value) || /^--r/.test(value)));
  const operands = words.filter(({ start }) => !start.startsWith('--') && !/^-[cfvR]+$/.test(start));
  const [mode, ...files] = operands;
  if (isGiven(given, 'reference')) return [find('changes', 'the modes of another file')];
  if (mode === undefined) return [];
  const isSpecial =
    mode.value === null || /^[ug]*\+.*s|^[0-7]*[2-7][0-7]{3}$/.test(mode.value) || /[+=][rwxXt]*s/.test(mode.value);
  const spread = isBulk || files.some((file) => file.isGlob);
  return [
    ...(isSpecial ? [find('privileged', 'sets a mode that lends rights')] : []),
    ...files.flatMap((file) =>
      spread || isFoundBeyond(file, scope) ? bulk(file, scope) : [find('adds'), ...usePath(file, 'edit', scope)],
    ),
  ];
}

/** What a search finds outside of the project is many files. */
function isFoundBeyond(file: Argument, { cwd, ground }: Call['scope']): boolean {
  return file.isFound === true && !/^(project|temporary)$/.test(locate(file.start, cwd, ground).zone);
}

function bulk(file: Argument, scope: Call['scope']): readonly Finding[] {
  const place = locate(file.value ?? file.start, scope.cwd, scope.ground, file.isGlob);
  const isInside = place.zone === 'project' || place.zone === 'temporary';
  return [find(isInside ? 'destroys' : 'wrecks', `changes everything below ${file.text}`)];
}

function judgeOwner({ operands }: GivenWords, { scope, words }: Call): readonly Finding[] {
  const isBulk = words.some(({ value }) => value !== null && (/^-[a-zA-Z]*R/.test(value) || /^--r/.test(value)));
  return [
    find('privileged', 'another owner'),
    ...(isBulk ? operands.slice(1).flatMap((file) => bulk(file, scope)) : []),
  ];
}

function judgeDd({ operands }: GivenWords, { scope }: Call): readonly Finding[] {
  const found: Finding[] = [];
  for (const word of operands) {
    const value = { ...word, start: word.start.slice(3), value: word.value?.slice(3) ?? null };
    if (word.value === 'of=/dev/null') continue;
    if (word.start.startsWith('of=')) found.push(find('changes', word.text), ...usePath(value, 'replace', scope));
    else if (word.start.startsWith('if=')) found.push(...usePath(value, 'content', scope));
    else if (word.value === null) found.push(find('unclear', word.text));
  }
  return found;
}

const STARTS_BY_TAR =
  /^--(to-command|checkpoint-action|use-compress-program|rsh-command|info-script|new-volume-script|rmt-command)/;
const NEVER_PLAIN = /^--(to-command|checkpoint-action|rsh-command|info-script|new-volume-script|rmt-command)/;
const COMPRESSOR = /^(gzip|pigz|zstd|zstdmt|xz|pixz|bzip2|pbzip2|lbzip2|lz4|lzip|lzop|brotli)(\s+-[\w-]+(=\w+)?)*$/;

/** The command that an option of tar starts. */
function startedByTar({ value }: Argument, next: Argument | undefined): readonly string[] {
  const attached = /^--(?:[a-z-]+)=(?:exec=)?(.*)$/s.exec(value ?? '');
  if (attached !== null && STARTS_BY_TAR.test(value ?? '')) return [attached[1] ?? ''];
  if (STARTS_BY_TAR.test(value ?? '') || /^-[a-zA-Z]*[IF]$/.test(value ?? ''))
    return next?.value ? [next.value] : ['?'];
  return [];
}

/** `zip` may test with a command of its own, and take away what it has packed. */
function judgeZip({ operands }: GivenWords, { words, judgeScript, scope }: Call): readonly Finding[] {
  const at = words.findIndex(({ start }) => /^(-TT|--unzip-command)/.test(start));
  const command = at < 0 ? null : (/[=]/.test(words[at]?.start ?? '') ? words[at] : words[at + 1])?.value;
  if (looksLikeCommand(command)) judgeScript(command ?? '');
  const isMoved = words.some(({ start }) => /^-[a-zA-Z]*m|^--move|^-d$|^--delete/.test(start));
  return [
    find('changes', 'an archive'),
    ...(at < 0 ? [] : [find('starts', 'a command of zip')]),
    ...(isMoved ? [find('destroys', 'what is packed')] : []),
    ...(isMoved ? operands.slice(1).flatMap((word) => usePath(word, 'delete', scope)) : []),
  ];
}

/** `tar` lists, packs or unpacks; any option that is not plain is asked. */
function judgeTar(_: GivenWords, { words, scope, judgeScript }: Call): readonly Finding[] {
  const [first] = words;
  const bundle = first?.value ?? '';
  const started = words.flatMap((word, at) => startedByTar(word, words[at + 1]));
  for (const command of started) if (looksLikeCommand(command)) judgeScript(command);
  const isPlain = started.length > 0 && started.every((command) => COMPRESSOR.test(command));
  const letters = words
    .filter(({ start }, at) => /^-[A-Za-z]/.test(start) || (at === 0 && /^[A-Za-z]+$/.test(bundle)))
    .map(({ start }) => start)
    .join('');
  const long = words.filter(({ start }) => start.startsWith('--')).map(({ start }) => start);
  if (long.some((one) => (isPlain ? NEVER_PLAIN : STARTS_BY_TAR).test(one)) || (isPlain ? /F/ : /[IF]/).test(letters))
    return [find('starts', 'an option of tar that starts a program')];
  if (words.some(({ start }) => /^(--file=|-f)?[\w.@-]+:/.test(start) && !/^[A-Z]:/.test(start)))
    return [find('network', 'an archive on another machine')];
  const strange = long.find(
    (one) =>
      !/^--(list|verbose|file|gzip|xz|bzip2|zstd|create|extract|exclude|directory|strip-components|wildcards|to-stdout|use-compress-program|files-from|numeric-owner|sort|mtime|owner|group|auto-compress)\b/.test(
        one,
      ),
  );
  if (strange !== undefined) return [find('changes', `the option ${strange} of tar`)];
  if (/T/.test(letters) || long.some((one) => one.startsWith('--files-from')))
    return [find('changes', 'a list of words that tar reads')];
  const lists = /t/.test(letters) || long.includes('--list');
  if (lists && !/[xcruA]/.test(letters))
    return words
      .filter(({ start }) => !start.startsWith('-'))
      .slice(/^[A-Za-z]+$/.test(bundle) ? 1 : 0)
      .flatMap((word) => usePath(word, 'content', scope));
  if (/x/.test(letters) && /O/.test(letters)) return [];
  if (isPrinted(words, letters)) return packed(words, scope);
  return [
    find('changes', 'packs or unpacks over what is there'),
    ...(letters.includes('P') ? [find('wrecks', 'absolute names')] : []),
  ];
}

/** `tar czf - src`: an archive that is printed, and nothing is written. */
function isPrinted(words: readonly Argument[], letters: string): boolean {
  return (
    /^-?[cvzjJh]*f$/.test(letters) && /c/.test(letters) && words[1]?.value === '-' && /f$/.test(words[0]?.start ?? '')
  );
}

/** What an archive takes in is printed as it is; of all of a project or a home nobody can say that it holds no secret. */
function packed(words: readonly Argument[], scope: Call['scope']): readonly Finding[] {
  return words.slice(2).flatMap((word) => {
    if (word.start.startsWith('-')) return [find('changes', `the option ${word.text} of tar`)];
    const place = locate(word.value ?? word.start, scope.cwd, scope.ground, word.isGlob);
    const isTold = word.value !== null && !word.isGlob && !place.isWhole && place.zone === 'project';
    return isTold ? usePath(word, 'content', scope) : [find('secrets', `whatever lies in ${word.text}`)];
  });
}

function judgeUnpack({ operands, options }: GivenWords, { name, words, scope }: Call): readonly Finding[] {
  const lists =
    name === 'unzip'
      ? options.length > 0 && options.every(({ name: letter }) => 'lvtZpqz1'.includes(letter))
      : ['l', 't', 'lb', 'lt'].includes(words[0]?.value ?? '');
  return lists
    ? operands.flatMap((word) => usePath(word, 'content', scope))
    : [find('changes', 'unpacks over what is there')];
}

function judgeCompress(given: GivenWords, { name, scope }: Call): readonly Finding[] {
  if (isGiven(given, 'filelist')) return [find('changes', 'files that a list names')];
  const looks = isGiven(given, 't', 'list', 'test') || (isGiven(given, 'l') && name !== 'lz4');
  const works = isGiven(given, 'z', 'd', 'k', 'compress', 'decompress', 'uncompress');
  const elsewhere = isGiven(given, 'o', 'output-dir-flat', 'output-dir-mirror', 'rm');
  const shows = (isGiven(given, 'c', 'stdout', 'to-stdout') || (looks && !works)) && !elsewhere;
  if (shows) return given.operands.flatMap((word) => usePath(word, 'content', scope));
  return given.operands.length === 0
    ? []
    : [find('changes', 'compresses in place'), ...given.operands.flatMap((word) => usePath(word, 'replace', scope))];
}

function judgeVolumes({ operands }: GivenWords): readonly Finding[] {
  const asks = /^(show|df|usage|list|du)$/.test(operands[1]?.value ?? '');
  return asks ? [] : [find('wrecks', 'a file system')];
}
