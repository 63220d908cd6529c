import type { Argument } from '../../gate/argument.ts';
import { isGiven } from '../../gate/options.ts';
import type { EffectCall, EffectTable } from '../program-effect.ts';

const TAR_SHORT = 'f:C:b:T:X:I:F:g:K:L:N:V:H:cxtruAdvzjJZakmpPOswBhlMnRSUWi';

/** Programs that edit files in place, pack them, and unpack archives. */
export const CONTENT_EFFECTS: EffectTable = {
  sed: { plan: planSed, isTransparent: true },
  perl: {
    grammar: { any: true, short: 'acfF:i::lnpsSTtuUvwWX0::C::d::D::e:E:I:m:M:x::h', stops: true },
    plan: planPerl,
  },
  tar: {
    grammar: {
      any: true,
      short: TAR_SHORT,
      long: 'file= directory= strip-components= exclude= exclude-from= transform= mode= owner= group= mtime= sort= format= level= listed-incremental= newer= use-compress-program=',
    },
    plan: planTar,
  },
  unzip: { grammar: { any: true, short: 'aAbBcCd:DfFIjKlLMnNoOpP:qStTuUvVWx:X:z' }, plan: planUnzip },
  zip: {
    grammar: {
      any: true,
      short: 'ADFJLSTXbcdefghijklmnoqrstuvwyz0123456789@',
      long: 'exclude= include= password= temp-path=',
    },
    plan: planZip,
  },
  'kill pkill killall killall5 xkill': { plan: planKill },
};

function planSed({ given, word, add }: EffectCall): 'unhandled' | undefined {
  const inPlace = given.options.find(({ name }) => name === 'i' || (name.length > 1 && 'in-place'.startsWith(name)));
  if (inPlace === undefined) return 'unhandled';
  const suffix = inPlace.value;
  if (suffix !== null && (suffix.value === null || /[*/]/.test(suffix.value))) return 'unhandled';
  const isScriptGiven = given.options.some(({ name }) => /^(e|f|expression|file)$/.test(name));
  const files = isScriptGiven ? given.operands : given.operands.slice(1);
  add({
    do: 'write',
    targets: files.map(word),
    how: 'edit',
    onlyExisting: true,
    replacesLink: !isGiven(given, 'follow-symlinks'),
    ...(suffix?.value ? { backup: suffix.value } : {}),
  });
  return undefined;
}

/** `perl -pi -e …` edits its operands; whatever else its code may do is not read. */
function planPerl({ given, word, add }: EffectCall): 'unhandled' | undefined {
  const inPlace = given.options.find(({ name }) => name === 'i');
  const isLoop = isGiven(given, 'p', 'n');
  const code = given.options
    .filter(({ name }) => name === 'e' || name === 'E')
    .map(({ value }) => value?.value ?? null);
  if (inPlace === undefined || !isLoop || code.length === 0) return 'unhandled';
  const suffix = inPlace.value?.value;
  if (code.some((text) => text === null || !isHarmlessPerl(text)) || suffix === null || /[*/]/.test(suffix ?? ''))
    return 'unhandled';
  add({
    do: 'write',
    targets: given.operands.map(word),
    how: 'edit',
    onlyExisting: true,
    replacesLink: true,
    ...(suffix ? { backup: suffix } : {}),
  });
  return undefined;
}

/** Nothing but substitutions, whose second half is no code. */
function isHarmlessPerl(code: string): boolean {
  return (
    /^(\s*(s|tr|y)([/|,#!])(?:(?!\3)[^\\`]|\\.)*\3(?:(?!\3)[^\\`@{}]|\\.)*\3[gimsx]*\s*;?)+$/s.test(code) &&
    !/\(\?\??\{/.test(code)
  );
}

function planTar(call: EffectCall): 'unhandled' | undefined {
  const { add, word } = call;
  const read = readTar(call);
  if (read === null) return 'unhandled';
  const { letters, archive, folder, given, rest } = read;
  if (/t/.test(letters) || isGiven(given, 'list')) return undefined;
  if (
    isGiven(
      given,
      'I',
      'F',
      'g',
      'T',
      'use-compress-program',
      'to-command',
      'checkpoint-action',
      'info-script',
      'listed-incremental',
      'absolute-names',
      'P',
      'transform',
      'one-top-level',
      'remove-files',
      'unlink-first',
      'U',
      'recursive-unlink',
      'index-file',
    )
  )
    return 'unhandled';
  if (/[xO]/.test(letters) || isGiven(given, 'extract', 'get')) {
    if (/O/.test(letters) || isGiven(given, 'to-stdout')) return undefined;
    if (archive === null || archive.value === '-') add({ do: 'unknown', reason: 'what tar unpacks from its input' });
    else {
      const strip = Number(given.options.find(({ name }) => name.startsWith('strip'))?.value?.value ?? '0');
      const isAll = rest.length === 0 && !isGiven(given, 'exclude', 'X', 'exclude-from', 'wildcards');
      add({
        do: 'unpack',
        how: 'tar',
        archive: word(archive),
        into: folder === null ? null : word(folder),
        strip: Number.isInteger(strip) ? strip : 0,
        careful: isGiven(given, 'k', 'keep-old-files', 'skip-old-files'),
        all: isAll,
      });
    }
    return undefined;
  }
  if (/[cruA]/.test(letters) || isGiven(given, 'create', 'append', 'update')) {
    if (archive !== null && archive.value !== '-')
      add({
        do: 'write',
        targets: [word(archive)],
        how: /c/.test(letters) || isGiven(given, 'create') ? 'replace' : 'edit',
      });
    return undefined;
  }
  return 'unhandled';
}

/** The letters of `tar`, with or without a dash, and what they take. */
function readTar({ words, given }: EffectCall): {
  readonly letters: string;
  readonly archive: Argument | null;
  readonly folder: Argument | null;
  readonly given: EffectCall['given'];
  readonly rest: readonly Argument[];
} | null {
  const [first] = words;
  const isOld = first?.value !== undefined && first.value !== null && /^[A-Za-z]+$/.test(first.value);
  let rest = given.operands;
  let archive = given.options.findLast(({ name }) => name === 'f' || name === 'file')?.value ?? null;
  const folder = given.options.findLast(({ name }) => name === 'C' || name === 'directory')?.value ?? null;
  let letters = given.options
    .filter(({ name }) => name.length === 1)
    .map(({ name }) => name)
    .join('');
  if (isOld) {
    const bundle = first.value ?? '';
    if (/[bCTXIFgKLNVH]/.test(bundle)) return null;
    letters += bundle;
    rest = rest.slice(1);
    if (bundle.includes('f')) {
      archive = rest[0] ?? null;
      rest = rest.slice(1);
    }
  }
  if (given.options.filter(({ name }) => name === 'C' || name === 'directory').length > 1) return null;
  return { letters, archive, folder, given, rest };
}

function planUnzip({ given, word, add }: EffectCall): 'unhandled' | undefined {
  const [archive, ...members] = given.operands;
  if (archive === undefined || isGiven(given, 'l', 'v', 't', 'Z', 'p', 'c', 'z')) return undefined;
  const folder = given.options.find(({ name }) => name === 'd')?.value ?? null;
  if (isGiven(given, 'j', 'f', 'u', 'L', 'B')) return 'unhandled';
  if (folder !== null) add({ do: 'make-folder', targets: [word(folder)], parents: true });
  add({
    do: 'unpack',
    how: 'zip',
    archive: word(archive),
    into: folder === null ? null : word(folder),
    strip: 0,
    careful: !isGiven(given, 'o'),
    all: members.length === 0 && !isGiven(given, 'x'),
  });
  return undefined;
}

function planZip({ given, word, add }: EffectCall): 'unhandled' | undefined {
  const [archive] = given.operands;
  if (
    archive === undefined ||
    isGiven(given, 'm', 'move', 'T', 'TT', 'test', 'O', 'output-file', 'out', 'b', 'temp-path', 's', 'n')
  )
    return 'unhandled';
  const target = word(archive);
  const path = target.path === null || /\.[^./]+$/.test(target.path) ? target.path : `${target.path}.zip`;
  if (path !== '-') add({ do: 'write', targets: [{ text: target.text, path }], how: 'replace' });
  return undefined;
}

function planKill({ name, words, given, add }: EffectCall): void {
  if (words.some(({ value }) => /^-([lL]|-list|-table|0)$/.test(value ?? ''))) return;
  const named = given.operands.map(({ text }) => text).join(', ');
  add({ do: 'note', text: name === 'kill' ? `signals the process ${named}` : `ends processes that match: ${named}` });
}
