import type { Argument } from '../../gate/argument.ts';
import { isGiven } from '../../gate/options.ts';
import type { PathWord, Transfer } from '../plan.ts';
import type { EffectCall, EffectTable } from '../program-effect.ts';

/** Programs that make, move, change and delete files. */
export const FILE_EFFECTS: EffectTable = {
  rm: { plan: planRemove },
  rmdir: {
    plan: ({ given, word, add }) =>
      add({
        do: 'delete',
        targets: given.operands.map(word),
        recursive: false,
        folders: 'only-empty',
        parents: isGiven(given, 'p', 'parents'),
        force: isGiven(given, 'ignore-fail-on-non-empty'),
      }),
  },
  unlink: {
    plan: ({ given, word, add }) =>
      add({ do: 'delete', targets: given.operands.map(word), recursive: false, folders: 'never' }),
  },
  'shred srm wipe': { plan: planShred },
  truncate: {
    plan: ({ given, word, add }) =>
      add({
        do: 'write',
        targets: given.operands.map(word),
        how: 'replace',
        onlyExisting: isGiven(given, 'c', 'no-create'),
      }),
  },
  dd: { plan: planDd },
  tee: {
    plan: ({ given, word, add }) =>
      add({ do: 'write', targets: given.operands.map(word), how: isGiven(given, 'a', 'append') ? 'add' : 'replace' }),
  },
  touch: {
    plan: ({ given, word, add }) =>
      add({
        do: 'touch',
        targets: given.operands.map(word),
        onlyExisting: isGiven(given, 'c', 'no-create', 'h', 'no-dereference'),
        noFollow: isGiven(given, 'h', 'no-dereference'),
      }),
  },
  mkdir: {
    plan: ({ given, word, add }) =>
      add({ do: 'make-folder', targets: given.operands.map(word), parents: isGiven(given, 'p', 'parents') }),
  },
  'mkfifo mknod': {
    grammar: { any: true, short: 'm:Z', long: 'mode=' },
    plan: ({ name, given, word, add }) =>
      add({
        do: 'write',
        targets: (name === 'mknod' ? given.operands.slice(0, 1) : given.operands).map(word),
        how: 'add',
        onlyMissing: true,
      }),
  },
  chmod: { grammar: { any: true, long: 'reference=' }, plan: planMode },
  'chown chgrp': { grammar: { any: true, long: 'reference= from=' }, plan: planOwner },
  cp: { plan: planCopy },
  mv: { plan: planMove },
  ln: { plan: planLink },
  install: {
    grammar: {
      any: true,
      short: 'bcCdDg:m:o:psS:t:Tv',
      long: 'backup? compare directory group= mode= owner= preserve-timestamps strip strip-program= suffix= target-directory= no-target-directory verbose',
    },
    plan: planInstall,
  },
  rsync: {
    grammar: {
      any: true,
      short: 'vqcarRubldLkKHpEAXogDtSnWxe:B:zFhf:T:iy0468CP',
      long: 'exclude= include= exclude-from= include-from= filter= files-from= rsh= bwlimit= timeout= max-size= min-size= backup-dir= suffix= compare-dest= copy-dest= link-dest= log-file= out-format= info= debug= chmod= chown= port= password-file= temp-dir= partial-dir= max-delete= modify-window= rsync-path= block-size= skip-compress= compress-level= usermap= groupmap= iconv=',
    },
    plan: planSync,
  },
  'gzip gunzip bzip2 bunzip2 xz unxz': { plan: planCompress },
};

function planRemove({ given, word, add, mayNot }: EffectCall): void {
  if (isGiven(given, 'i', 'I', 'interactive')) mayNot();
  const recursive = isGiven(given, 'r', 'R', 'recursive');
  add({
    do: 'delete',
    targets: given.operands.map(word),
    recursive,
    folders: recursive || isGiven(given, 'd', 'dir') ? 'empty' : 'never',
    force: isGiven(given, 'f', 'force'),
  });
}

function planShred({ name, given, word, add }: EffectCall): void {
  const targets = given.operands.map(word);
  if (name === 'shred') add({ do: 'write', targets, how: 'replace', onlyExisting: true });
  if (name !== 'shred' || given.options.some((option) => option.name === 'u' || /^rem/.test(option.name)))
    add({ do: 'delete', targets, recursive: isGiven(given, 'r', 'R', 'recursive'), folders: 'empty' });
}

function planDd({ words, word, add }: EffectCall): void {
  const target = words.findLast(({ start }) => start.startsWith('of='));
  if (target === undefined) {
    if (words.some(({ value }) => value === null)) add({ do: 'unknown', reason: 'where dd writes' });
    return;
  }
  const isKept = words.some(({ value }) => value !== null && /^conv=(.*,)?notrunc(,|$)/.test(value));
  add({ do: 'write', targets: [word(behind(target, 3))], how: isKept ? 'edit' : 'replace' });
}

/** What stands in a word behind its first characters, which never hold a pattern. */
function behind({ pattern: _, ...word }: Argument, from: number): Argument {
  return {
    ...word,
    value: word.value === null ? null : word.value.slice(from),
    start: word.start.slice(from),
    isGlob: false,
  };
}

/** `-x` is a mode, and no option. */
function planMode({ given, words, word, add }: EffectCall): void {
  const isOption = ({ start }: Argument): boolean => start.startsWith('--') || /^-[cfvR]+$/.test(start);
  const operands = words.filter((one) => !isOption(one));
  const copies = isGiven(given, 'reference');
  const [first, ...rest] = operands;
  const mode = copies || first?.value === undefined || first.value === null ? '' : first.value;
  add({
    do: 'attributes',
    targets: (copies ? operands : rest).map(word),
    recursive: words.some((one) => isOption(one) && /^-[a-zA-Z]*R|^--r/.test(one.start) && !/^--ref/.test(one.start)),
    noFollow: false,
    ...(mode === '' ? {} : { mode }),
  });
}

function planOwner({ given, word, add }: EffectCall): void {
  const recursive = isGiven(given, 'R', 'recursive');
  const noFollow = isGiven(given, 'h', 'no-dereference') || (recursive && !isGiven(given, 'L', 'H'));
  const targets = isGiven(given, 'reference') ? given.operands : given.operands.slice(1);
  if (recursive && isGiven(given, 'L'))
    add({
      do: 'unknown',
      reason: `what the links lead to that are met below ${targets.map(({ text }) => text).join(', ')}`,
    });
  add({ do: 'attributes', targets: targets.map(word), recursive, noFollow });
}

/** Sources and target of a call in the manner of `cp`. */
function split({ given, word }: EffectCall): Pick<Transfer, 'sources' | 'target' | 'intoFolder' | 'asTarget'> | null {
  const folder = given.options.find(
    ({ name }) => name === 't' || (name.length > 2 && 'target-directory'.startsWith(name)),
  );
  if (folder?.value !== undefined && folder.value !== null)
    return { sources: given.operands.map(word), target: word(folder.value), intoFolder: true };
  const last = given.operands.at(-1);
  if (last === undefined) return null;
  return {
    sources: given.operands.slice(0, -1).map(word),
    target: word(last),
    ...(isGiven(given, 'T', 'no-target-directory') ? { asTarget: true } : {}),
  };
}

function carefulness({ given }: EffectCall): Pick<Transfer, 'careful' | 'unsure' | 'backup'> {
  return {
    ...(isGiven(given, 'n', 'no-clobber') ? { careful: true } : {}),
    ...(isGiven(given, 'u', 'update', 'i', 'interactive') ? { unsure: true } : {}),
    ...(isGiven(given, 'b', 'backup', 'S', 'suffix') ? { backup: true } : {}),
  };
}

function planCopy(call: EffectCall): void {
  const { given, add } = call;
  const ends = split(call);
  if (ends === null) return;
  const recursive = isGiven(given, 'r', 'R', 'recursive', 'a', 'archive');
  const { options } = given;
  const last = options.findLast(({ name }) => /^[aLPHd]$|^(archive|dereference|no-dereference)$/.test(name))?.name;
  const named: Readonly<Record<string, Transfer['follows']>> = { L: 'all', dereference: 'all', H: 'named' };
  const follows = last === undefined ? (recursive ? 'none' : 'all') : (named[last] ?? 'none');
  add({
    do: 'copy',
    ...ends,
    ...carefulness(call),
    recursive,
    follows,
    fresh: isGiven(given, 'remove-destination', 's', 'symbolic-link', 'l', 'link'),
    parents: isGiven(given, 'parents'),
  });
  if (isGiven(given, 'attributes-only')) add({ do: 'unknown', reason: 'which attributes cp takes over' });
}

function planMove(call: EffectCall): void {
  const ends = split(call);
  if (ends === null) return;
  if (isGiven(call.given, 'exchange')) call.add({ do: 'unknown', reason: 'mv exchanges two files' });
  call.add({ do: 'move', ...ends, ...carefulness(call) });
}

function planLink(call: EffectCall): void {
  const { given, word, add } = call;
  const [only, ...more] = given.operands;
  const into = given.options.some(({ name }) => name === 't' || name === 'target-directory');
  const ends =
    only !== undefined && more.length === 0 && !into
      ? { sources: [word(only)], target: { text: '.', path: '.' }, intoFolder: true }
      : split(call);
  if (ends === null) return;
  add({
    do: 'link',
    ...ends,
    ...(isGiven(given, 'b', 'backup') ? { backup: true } : {}),
    ...(isGiven(given, 'i', 'interactive') ? { unsure: true } : {}),
    force: isGiven(given, 'f', 'force'),
    noFollow: isGiven(given, 'n', 'no-dereference'),
    isSymbolic: isGiven(given, 's', 'symbolic'),
  });
}

function planInstall(call: EffectCall): void {
  const { given, word, add } = call;
  if (isGiven(given, 'd', 'directory')) {
    add({ do: 'make-folder', targets: given.operands.map(word), parents: true });
    return;
  }
  const ends = split(call);
  if (ends === null) return;
  if (isGiven(given, 'strip-program')) add({ do: 'unknown', reason: 'the program that install starts' });
  const makesWay = given.options.some(({ name }) => name === 'D');
  add({ do: 'copy', ...ends, ...carefulness(call), follows: 'all', fresh: true, ...(makesWay ? { makesWay } : {}) });
}

function isRemotePath({ path, text }: PathWord): boolean {
  return /^[\w.@-]+:|^\w+:\/\/|^\[/.test(path ?? text);
}

/** Options of rsync that leave files out, that look at more than size and time, and that name other places. */
const FILTERS =
  'f F C filter exclude include exclude-from include-from files-from max-size min-size cvs-exclude max-delete'.split(
    ' ',
  );
const CHOOSY = 'u update existing ignore-existing compare-dest ignore-times c checksum I size-only W'.split(' ');
const OTHERS = 'R relative backup-dir temp-dir log-file partial-dir link-dest copy-dest K k copy-links'.split(' ');

function planSync(call: EffectCall): void {
  const { given, add } = call;
  const dry = isGiven(given, 'n', 'dry-run', 'list-only');
  for (const one of given.operands.map(call.word)) if (isRemotePath(one)) add({ do: 'host', name: hostOf(one) });
  const ends = split(call);
  if (dry || ends === null || ends.sources.length === 0) return;
  const isFromAfar = ends.sources.some(isRemotePath);
  if (isFromAfar && !isRemotePath(ends.target))
    add({ do: 'unknown', reason: `what rsync puts into ${ends.target.text} from another machine` });
  if (isGiven(given, 'remove-source-files'))
    add({ do: 'unknown', reason: 'rsync deletes the sources that it has sent' });
  if (isGiven(given, 'rsh', 'e', 'rsync-path')) add({ do: 'unknown', reason: 'a program that rsync starts' });
  if (!isFromAfar && !isRemotePath(ends.target)) planLocalSync(call, ends);
}

function planLocalSync(call: EffectCall, ends: Pick<Transfer, 'sources' | 'target'>): void {
  const { given, add } = call;
  const has = (names: readonly string[]): boolean => given.options.some(({ name }) => names.includes(name));
  if (has(OTHERS)) add({ do: 'unknown', reason: 'an option of rsync that names other places' });
  if (has(FILTERS)) call.mayNot();
  add({
    do: 'copy',
    ...ends,
    recursive: isGiven(given, 'a', 'archive', 'r', 'recursive'),
    follows: isGiven(given, 'L', 'copy-links') ? 'all' : 'none',
    skipsLinks: !isGiven(given, 'a', 'archive', 'l', 'links', 'L', 'copy-links'),
    fresh: true,
    quick: !has(CHOOSY),
    unsure: has(CHOOSY),
    mirrors: given.options.some(({ name }) => /^del(ete.*)?$/.test(name)),
    backup: isGiven(given, 'b', 'backup'),
    makesLast: true,
  });
}

/** The machine of `user@host:path` or of an address. */
function hostOf({ path, text }: PathWord): string {
  const written = path ?? text;
  const address = /^\w+:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:]+)/.exec(written)?.[1];
  return address ?? /^(?:[^@/]*@)?(\[[^\]]*\]|[^:/]+):/.exec(written)?.[1] ?? written;
}

const ENDINGS: Readonly<Record<string, string>> = {
  gzip: '.gz',
  gunzip: '.gz',
  bzip2: '.bz2',
  bunzip2: '.bz2',
  xz: '.xz',
  unxz: '.xz',
};

function planCompress({ name, given, word, add }: EffectCall): 'unhandled' | undefined {
  if (isGiven(given, 'c', 'stdout', 'to-stdout', 't', 'test', 'list') || given.options.some((one) => one.name === 'l'))
    return undefined;
  if (isGiven(given, 'r', 'recursive', 'S', 'suffix', 'N', 'name') || given.operands.length === 0) return 'unhandled';
  add({
    do: 'pack',
    targets: given.operands.map(word),
    ending: ENDINGS[name] ?? '.gz',
    unpacks:
      name.startsWith('gun') ||
      name.startsWith('bun') ||
      name.startsWith('un') ||
      isGiven(given, 'd', 'decompress', 'uncompress'),
    keeps: isGiven(given, 'k', 'keep'),
    force: isGiven(given, 'f', 'force'),
  });
  return undefined;
}
