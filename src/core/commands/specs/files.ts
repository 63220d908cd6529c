import type { Argument } from '../argument.ts';
import { classifyTar } from '../custom/tar.ts';
import { looksLikeCommand } from '../effects.ts';
import { hasOption, type Invocation, isGiven } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import type { Call, SpecTable } from '../spec.ts';
import { type Effect, effect, type PathUse } from '../verdict.ts';

/** Programs that create, move, change and delete files. */
export const FILES: SpecTable = {
  mkdir: {
    options: '-pvm:Z parents verbose mode=',
    operands: 'add',
    needs: 1,
    changes: { do: 'make-folder', by: { 'p parents': 'parents', 'v verbose m mode Z': 'plain' } },
  },
  touch: {
    options: '-acmhd:t:r: no-create date= reference= time= no-dereference',
    operands: 'add',
    changes: {
      do: 'touch',
      by: { 'c no-create': 'only-existing', 'h no-dereference': ['no-follow', 'only-existing'], 'a m d date t r reference time': 'plain' },
    },
  },
  mkfifo: { any: true, operands: 'add' },
  mknod: { any: true, effect: 'privileged' },
  cp: {
    options: `-abdfHilLnPprRsS:t:TuvxZ archive attributes-only backup? copy-contents debug force interactive link dereference no-clobber
      no-dereference preserve? no-preserve= parents recursive reflink? remove-destination sparse= strip-trailing-slashes symbolic-link
      suffix= target-directory= no-target-directory update? verbose one-file-system`,
    custom: classifyCopy,
    changes: {
      do: 'copy',
      by: {
        'a archive': ['recursive', 'follow-none'],
        'r R recursive': 'recursive',
        'n no-clobber': 'keeps-existing',
        'i interactive u update': 'maybe',
        't target-directory': 'into-folder',
        'T no-target-directory': 'as-target',
        'L dereference': 'follow-all',
        H: 'follow-named',
        'P d no-dereference': 'follow-none',
        'f force p preserve no-preserve v verbose debug reflink sparse strip-trailing-slashes Z': 'plain',
      },
    },
  },
  mv: {
    options: `-bfinS:t:TuvZ backup? debug force interactive no-clobber no-copy exchange strip-trailing-slashes suffix= target-directory=
      no-target-directory update? verbose`,
    custom: classifyMove,
    changes: {
      do: 'move',
      by: {
        'n no-clobber': 'keeps-existing',
        'i interactive u update': 'maybe',
        't target-directory': 'into-folder',
        'T no-target-directory': 'as-target',
        'f force v verbose debug strip-trailing-slashes Z': 'plain',
      },
    },
  },
  ln: {
    options: `-bdfFiLnPrsS:t:Tv backup? directory force interactive logical no-dereference physical relative symbolic suffix=
      target-directory= no-target-directory verbose`,
    custom: classifyLink,
    changes: {
      do: 'link',
      by: {
        's symbolic': 'symbolic',
        'f force': 'force',
        'i interactive': ['force', 'maybe'],
        'n no-dereference': 'no-follow',
        't target-directory': 'into-folder',
        'T no-target-directory': 'as-target',
        'v verbose r relative P physical': 'plain',
      },
    },
  },
  install: {
    any: true,
    options: '-bcCdDg:m:o:psS:t:Tv',
    effect: 'changes',
    custom: ({ operands }, call) => classifyTargets(operands.slice(-1), 'replace', call),
  },
  rm: {
    any: true,
    custom: ({ operands }, call) => classifyTargets(operands, 'delete', call),
    changes: {
      do: 'delete',
      by: {
        'r R recursive': 'recursive',
        'f force': 'force',
        'd dir': 'empty-folders',
        'i I interactive': 'maybe',
        'v verbose preserve-root no-preserve-root': 'plain',
      },
    },
  },
  rmdir: {
    any: true,
    custom: ({ operands }, call) => classifyTargets(operands, 'delete', call),
    changes: { do: 'delete-empty', by: { 'p parents': 'parents', 'ignore-fail-on-non-empty': 'force', 'v verbose': 'plain' } },
  },
  unlink: { any: true, custom: ({ operands }, call) => classifyTargets(operands, 'delete', call), changes: { do: 'delete', by: {} } },
  'shred srm wipe': { any: true, options: '-n:s:', custom: ({ operands }, call) => classifyTargets(operands, 'delete', call) },
  'trash trash-put gio rename prename mmv': { any: true, effect: 'destroys' },
  truncate: {
    any: true,
    options: '-s:r:co size= reference= no-create io-blocks',
    custom: ({ operands }, call) => classifyTargets(operands, 'delete', call),
    changes: { do: 'write', by: { 'c no-create': 'only-existing', 's size r reference': 'plain' } },
  },
  fallocate: { any: true, options: '-l:o: length= offset=', effect: 'changes' },
  dd: { any: true, custom: classifyDd },
  chmod: { any: true, custom: classifyMode },
  'chown chgrp': { any: true, custom: classifyOwner },
  'chattr setfacl setfattr': { any: true, effect: 'privileged' },
  'lsattr getfacl getfattr getcap': { any: true, operands: 'name' },
  'tar gtar bsdtar': { any: true, custom: classifyTar },
  'unzip unrar 7z 7za 7zz': { any: true, custom: classifyUnpack },
  'unar rar': { any: true, effect: 'changes' },
  'zipinfo lsar': { any: true, operands: 'content' },
  zip: { any: true, custom: classifyZip },
  'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress pigz': { any: true, custom: classifyCompress },
  'cpio pax': {
    any: true,
    options: '-E:F:H:I:C:M: rsh-command= file= create pass-through',
    custom: ({ options }, { name }) => {
      const isList = isGiven({ options }, 't', 'list') && options.every((one) => /^(?:[itvn]|list)$/.test(one.name));
      return isList && name === 'cpio' ? [] : [effect('changes')];
    },
    on: { 'rsh-command': 'starts', 'o create': 'beyond', 'p pass-through': 'beyond', w: 'beyond' },
  },
  ar: {
    any: true,
    custom: (_, { words, scope }) =>
      /^-?[tp]v?$/.test(words[0]?.value ?? '') && words.length === 2
        ? words.slice(1).flatMap((word) => usePath(word, 'content', scope))
        : [effect('changes', 'an archive')],
  },
  patch: { any: true, effect: 'changes' },
  'sync fsync': { any: true },
  'zfs zpool': {
    any: true,
    sub: { 'status iostat': { any: true, options: '-c:', on: { c: 'runs' } }, 'list get history': { any: true } },
    effect: 'wrecks',
  },
  btrfs: { any: true, custom: classifyVolumes },
  'fdisk parted': {
    any: true,
    custom: ({ options }) => [hasOption({ options }, 'l') ? effect('privileged', 'looks at disks') : effect('wrecks')],
  },
  'lvs vgs pvs lvdisplay vgdisplay pvdisplay smartctl': { any: true, effect: 'privileged' },
  [`mkfs mke2fs mkswap wipefs cfdisk blkdiscard hdparm nvme cryptsetup lvremove vgremove pvremove mdadm
    dmsetup mkfs.ext4 mkfs.ext3 mkfs.ext2 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs`]: { any: true, effect: 'wrecks' },
};

function classifyTargets(targets: readonly Argument[], use: PathUse, { scope, name }: Call): readonly Effect[] {
  const found = targets.flatMap((word) => usePath(word, use, scope));
  return found.length > 0 ? found : [effect(use === 'delete' ? 'destroys' : 'changes', name)];
}

function split(given: Invocation): { readonly sources: readonly Argument[]; readonly target: Argument | undefined } {
  const folder = given.options.find(({ name }) => name === 't' || name === 'target-directory')?.value;
  if (folder !== undefined && folder !== null) return { sources: given.operands, target: folder };
  return { sources: given.operands.slice(0, -1), target: given.operands.at(-1) };
}

function classifyCopy(given: Invocation, { scope }: Call): readonly Effect[] {
  const { sources, target } = split(given);
  if (target === undefined) return [];
  const empties = sources.some(({ value }) => value === '/dev/null') ? [effect('destroys', `empties ${target.text}`)] : [];
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

/** A file copied into a folder keeps its name. */
function landing(sources: readonly Argument[], target: Argument, scope: Call['scope']): readonly Effect[] {
  return sources.flatMap((source) => {
    const name = source.value
      ?.split('/')
      .filter((part) => part !== '')
      .at(-1);
    if (name === undefined || target.value === null) return [];
    if (locate(target.value, scope.cwd, scope.context, target.isGlob).isGuarded) return [];
    return locate(`${target.value}/${name}`, scope.cwd, scope.context, source.isGlob).isGuarded
      ? [effect('plants', `${target.value}/${name}`)]
      : [];
  });
}

function classifyMove(given: Invocation, { scope }: Call): readonly Effect[] {
  const { sources, target } = split(given);
  if (target === undefined) return [];
  const isCareful =
    isGiven(given, 'n', 'no-clobber') && !isGiven(given, 'f', 'force', 'b', 'backup', 'exchange', 'i', 'interactive', 'u', 'update');
  const gone = sources.flatMap((word) => {
    const place = locate(word.value ?? word.start, scope.cwd, scope.context, word.isGlob);
    if (place.isWhole) return [effect('wrecks', `moves ${word.text} away`)];
    if (place.isSecret) return [effect('secrets', `moves ${word.text}`)];
    if (place.isGuarded || (word.value === null && word.isFound !== true)) return [effect('destroys', `moves ${word.text} away`)];
    return place.zone === 'project' || place.zone === 'temporary' ? [] : [effect('destroys', `moves ${word.text} away`)];
  });
  const isLost = target.value === '/dev/null' ? [effect('destroys', 'moves into nothing')] : [];
  return [...gone, ...isLost, ...usePath(target, isCareful ? 'add' : 'replace', scope), ...landing(sources, target, scope)];
}

function classifyLink(given: Invocation, { scope }: Call): readonly Effect[] {
  const { sources, target } = split(given);
  const isCareful = !isGiven(given, 'f', 'force', 'b', 'backup');
  const alias = sources.flatMap((word) => {
    const place = locate(word.value ?? word.start, scope.cwd, scope.context, word.isGlob);
    if (place.isGuarded) return [effect('plants', `another name for ${word.text}`)];
    return place.isSecret ? [effect('secrets', `another name for ${word.text}`)] : [];
  });
  const outward = sources.some((word) => {
    const { zone } = locate(word.value ?? word.start, scope.cwd, scope.context);
    return (
      word.value === null ||
      (word.value.startsWith('/') && zone !== 'project' && zone !== 'temporary') ||
      /(^|\/)\.\.(\/|$)/.test(word.value)
    );
  });
  const made = target === undefined ? [] : usePath(target, isCareful ? 'add' : 'replace', scope);
  return [...made, ...alias, ...(outward ? [effect('changes', 'a link that leaves the project')] : [])];
}

/** A mode for named files is an edit; for a tree or a pattern it is an irreversible bulk change. */
function classifyMode(given: Invocation, { scope, words }: Call): readonly Effect[] {
  const isBulk = words.some(({ value }) => value !== null && (/^-[a-zA-Z]*R/.test(value) || /^--r/.test(value)));
  const operands = words.filter(({ start }) => !start.startsWith('--') && !/^-[cfvR]+$/.test(start));
  const [mode, ...files] = operands;
  if (isGiven(given, 'reference')) return [effect('changes', 'the modes of another file')];
  if (mode === undefined) return [];
  const isSpecial = mode.value === null || /^[ug]*\+.*s|^[0-7]*[2-7][0-7]{3}$/.test(mode.value) || /[+=][rwxXt]*s/.test(mode.value);
  const spread = isBulk || files.some((file) => file.isGlob);
  return [
    ...(isSpecial ? [effect('privileged', 'sets a mode that lends rights')] : []),
    ...files.flatMap((file) =>
      spread || isFoundBeyond(file, scope) ? bulk(file, scope) : [effect('adds'), ...usePath(file, 'edit', scope)],
    ),
  ];
}

/** The results of a search outside the project are many files. */
function isFoundBeyond(file: Argument, { cwd, context }: Call['scope']): boolean {
  return file.isFound === true && !/^(project|temporary)$/.test(locate(file.start, cwd, context).zone);
}

function bulk(file: Argument, scope: Call['scope']): readonly Effect[] {
  const place = locate(file.value ?? file.start, scope.cwd, scope.context, file.isGlob);
  const isInside = place.zone === 'project' || place.zone === 'temporary';
  return [effect(isInside ? 'destroys' : 'wrecks', `changes everything below ${file.text}`)];
}

function classifyOwner({ operands }: Invocation, { scope, words }: Call): readonly Effect[] {
  const isBulk = words.some(({ value }) => value !== null && (/^-[a-zA-Z]*R/.test(value) || /^--r/.test(value)));
  return [effect('privileged', 'another owner'), ...(isBulk ? operands.slice(1).flatMap((file) => bulk(file, scope)) : [])];
}

function classifyDd({ operands }: Invocation, { scope }: Call): readonly Effect[] {
  const found: Effect[] = [];
  for (const word of operands) {
    const text = /^[io]f=/.test(word.text) ? word.text.slice(3) : word.text;
    const value = { ...word, text, start: word.start.slice(3), value: word.value?.slice(3) ?? null };
    if (word.value === 'of=/dev/null') continue;
    if (word.start.startsWith('of=')) {
      const written = usePath(value, 'replace', scope);
      found.push(...(written.length > 0 ? written : [effect('changes', text)]));
    } else if (word.start.startsWith('if=')) found.push(...usePath(value, 'content', scope));
    else if (word.value === null) found.push(effect('unclear', word.text));
  }
  return found;
}

/** `zip` may run a test command, and delete the files it has packed. */
function classifyZip({ operands }: Invocation, { words, classifyScript, scope }: Call): readonly Effect[] {
  const at = words.findIndex(({ start }) => /^(-TT|--unzip-command)/.test(start));
  const command = at < 0 ? null : (/[=]/.test(words[at]?.start ?? '') ? words[at] : words[at + 1])?.value;
  if (looksLikeCommand(command)) classifyScript(command ?? '');
  const isMoved = words.some(({ start }) => /^-[a-zA-Z]*m|^--move|^-d$|^--delete/.test(start));
  return [
    effect('changes', 'an archive'),
    ...(at < 0 ? [] : [effect('starts', 'a command of zip')]),
    ...(isMoved ? [effect('destroys', 'the packed files')] : []),
    ...(isMoved ? operands.slice(1).flatMap((word) => usePath(word, 'delete', scope)) : []),
  ];
}

function classifyUnpack({ operands, options }: Invocation, { name, words, scope }: Call): readonly Effect[] {
  const lists =
    name === 'unzip'
      ? options.length > 0 && options.every(({ name: letter }) => 'lvtZpcqz1'.includes(letter))
      : ['l', 't', 'lb', 'lt'].includes(words[0]?.value ?? '');
  return lists ? operands.flatMap((word) => usePath(word, 'content', scope)) : [effect('changes', 'unpacks over what is there')];
}

function classifyCompress(given: Invocation, { name, scope }: Call): readonly Effect[] {
  if (isGiven(given, 'filelist', 'files', 'files0')) return [effect('changes', 'files that a list names')];
  const looks = isGiven(given, 't', 'list', 'test') || (isGiven(given, 'l') && name !== 'lz4');
  const works = isGiven(given, 'z', 'd', 'k', 'compress', 'decompress', 'uncompress');
  // The second operand of lz4 is its output file.
  const isTarget = name === 'lz4' && given.operands.length > 1 && !isGiven(given, 'm', 'multiple');
  const elsewhere = isTarget || isGiven(given, 'o', 'output-dir-flat', 'output-dir-mirror', 'rm');
  const shows = (isGiven(given, 'c', 'stdout', 'to-stdout') || (looks && !works)) && !elsewhere;
  if (shows) return given.operands.flatMap((word) => usePath(word, 'content', scope));
  return given.operands.length === 0
    ? []
    : [effect('changes', 'compresses in place'), ...given.operands.flatMap((word) => usePath(word, 'replace', scope))];
}

function classifyVolumes({ operands }: Invocation): readonly Effect[] {
  const asks = /^(show|df|usage|list|du)$/.test(operands[1]?.value ?? '');
  return asks ? [] : [effect('wrecks', 'a file system')];
}
