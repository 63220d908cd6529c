import { joinedRegExp } from '../../text/joined-regexp.ts';
import type { Argument } from '../argument.ts';
import { looksLikeCommand } from '../effects.ts';
import type { Invocation } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import type { Call } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

const STARTS_BY_TAR = /^--(to-command|checkpoint-action|use-compress-program|rsh-command|info-script|new-volume-script|rmt-command)/;
const NEVER_PLAIN = /^--(to-command|checkpoint-action|rsh-command|info-script|new-volume-script|rmt-command)/;
const COMPRESSOR = /^(gzip|pigz|zstd|zstdmt|xz|pixz|bzip2|pbzip2|lbzip2|lz4|lzip|lzop|brotli)(\s+-[\w-]+(=\w+)?)*$/;

function startedByTar({ value }: Argument, next: Argument | undefined): readonly string[] {
  const attached = /^--(?:[a-z-]+)=(?:exec=)?(.*)$/s.exec(value ?? '');
  if (attached !== null && STARTS_BY_TAR.test(value ?? '')) return [attached[1] ?? ''];
  if (STARTS_BY_TAR.test(value ?? '') || /^-[a-zA-Z]*[IF]$/.test(value ?? '')) return next?.value ? [next.value] : ['?'];
  return [];
}

/** Long options of tar that pack, list or unpack. */
const KNOWN_OPTION = joinedRegExp(
  '',
  '^--(list|diff|compare|verbose|file|gzip|xz|bzip2|zstd|create|extract|exclude|directory|strip-components|wildcards',
  String.raw`|to-stdout|use-compress-program|files-from|numeric-owner|sort|mtime|owner|group|auto-compress)\b`,
);

/** `tar` lists, packs or unpacks; any other option needs an approval. */
export function classifyTar(_: Invocation, { words, scope, classifyScript }: Call): readonly Effect[] {
  const [first] = words;
  const bundle = first?.value ?? '';
  const started = words.flatMap((word, at) => startedByTar(word, words[at + 1]));
  for (const command of started) if (looksLikeCommand(command)) classifyScript(command);
  const isPlain = started.length > 0 && started.every((command) => COMPRESSOR.test(command));
  const letters = words
    .filter(({ start }, at) => /^-[A-Za-z]/.test(start) || (at === 0 && /^[A-Za-z]+$/.test(bundle)))
    .map(({ start }) => start)
    .join('');
  const long = words.filter(({ start }) => start.startsWith('--')).map(({ start }) => start);
  if (long.some((one) => (isPlain ? NEVER_PLAIN : STARTS_BY_TAR).test(one)) || (isPlain ? /F/ : /[IF]/).test(letters))
    return [effect('starts', 'an option of tar that starts a program')];
  if (words.some(({ start }) => /^(--file=|-f)?[\w.@-]+:/.test(start) && !/^[A-Z]:/.test(start)))
    return [effect('network', 'an archive on another machine')];
  const strange = long.find((one) => !KNOWN_OPTION.test(one));
  if (strange !== undefined) return [effect('changes', `the option ${strange} of tar`)];
  if (/T/.test(letters) || long.some((one) => one.startsWith('--files-from')))
    return [effect('changes', 'a list of words that tar reads'), effect('beyond', 'a list of words that tar reads')];
  const lists = /[td]/.test(letters) || long.includes('--list') || long.includes('--diff') || long.includes('--compare');
  if (lists && !/[xcruA]/.test(letters))
    return words
      .filter(({ start }) => !start.startsWith('-'))
      .slice(/^[A-Za-z]+$/.test(bundle) ? 1 : 0)
      .flatMap((word) => usePath(word, 'content', scope));
  if (/x/.test(letters) && /O/.test(letters)) return [];
  if (isPrinted(words, letters)) return packed(words, scope);
  return [effect('changes', 'packs or unpacks over what is there'), ...(letters.includes('P') ? [effect('wrecks', 'absolute names')] : [])];
}

/** `tar czf - src`: the archive is printed, and no file is written. */
function isPrinted(words: readonly Argument[], letters: string): boolean {
  return /^-?[cvzjJh]*f$/.test(letters) && /c/.test(letters) && words[1]?.value === '-' && /f$/.test(words[0]?.start ?? '');
}

/** An archive prints the packed files as they are. A whole project or home may contain a secret. */
function packed(words: readonly Argument[], scope: Call['scope']): readonly Effect[] {
  return words.slice(2).flatMap((word) => {
    if (word.start.startsWith('-')) return [effect('changes', `the option ${word.text} of tar`)];
    const place = locate(word.value ?? word.start, scope.cwd, scope.context, word.isGlob);
    const isTold = word.value !== null && !word.isGlob && !place.isWhole && place.zone === 'project';
    return isTold ? usePath(word, 'content', scope) : [effect('secrets', `whatever lies in ${word.text}`)];
  });
}
