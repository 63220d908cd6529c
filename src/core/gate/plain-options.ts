import { spread } from './program.ts';

/*
 * A rule for a program of `ordinary-use.ts` covers what such a program is for, and many of them have options that write elsewhere, start something
 * or read lists of what to do. Only calls whose every option stands here are covered: any other is asked about though there is the rule.
 */

/** Letters, then whole names: those that end with an equals sign may have a value. */
const PLAIN: ReadonlyMap<string, string> = spread({
  touch: 'acmhdtr no-create no-dereference date= time= reference=',
  'mkdir mkfifo': 'pmv parents mode= verbose',
  tee: 'aip append ignore-interrupts',
  'dos2unix unix2dos': 'kqfs keepdate quiet force safe',
  rustfmt: 'vq edition= check verbose quiet',
  rustc: 'gOv edition= crate-type= crate-name= test',
  'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress pigz':
    'kdzvqnNtlrce0123456789Tpm keep decompress uncompress compress test verbose quiet list fast best stdout to-stdout no-name name recursive threads= rsyncable extreme ultra',
  gofmt: 'wdlse',
  'clang-format': 'in style= dry-run Werror sort-includes verbose',
  shfmt: 'wldsicbnrkp',
  cp: 'aRrpdvufinxHLPTt archive recursive verbose preserve= no-clobber update= force interactive no-dereference dereference target-directory= no-target-directory reflink= one-file-system',
  mv: 'finvuTt force interactive no-clobber verbose update= target-directory= no-target-directory',
  ln: 'sfnvrTtiP symbolic force no-dereference verbose relative target-directory= no-target-directory interactive',
  chmod: 'cfvrwxX verbose changes quiet silent',
  rsync:
    'avrzhlptgoDuncixqmPHAXSWOJC archive verbose recursive compress human-readable links perms times group owner update dry-run checksum itemize-changes quiet progress partial stats info= exclude= include= ignore-existing existing size-only no-owner no-group no-perms no-times whole-file sparse hard-links bwlimit= max-size= min-size= one-file-system numeric-ids prune-empty-dirs',
  sed: 'nrEsuze quiet silent regexp-extended separate null-data unbuffered posix debug sandbox expression=',
});

const SED_IN_PLACE = /^(?:-[nrEsuz]*i|--in-place(?:=(?=.))?)[\w.~-]*$/;

/** Whether every option behind the words of a rule is known to do nothing more than the program is for. Of other programs nothing is said here. */
export function hasPlainOptions(rule: readonly string[], words: readonly (string | null)[]): boolean {
  const [program = ''] = rule;
  const plain = PLAIN.get(program)?.split(' ');
  if (plain === undefined) return true;
  const rest = words.slice(rule.length);
  const end = rest.indexOf('--');
  return (end < 0 ? rest : rest.slice(0, end)).every(
    (word) => word !== null && (/^(?!-)|^-$/.test(word) || isPlain(word, plain, program)),
  );
}

function isPlain(word: string, [letters = '', ...names]: readonly string[], program: string): boolean {
  if (program === 'sed' && SED_IN_PLACE.test(word)) return true;
  if (!word.startsWith('--')) return [...word.slice(1).replace(/(?<=.)\d+$/, '')].every((one) => letters.includes(one));
  const [name = '', value] = word.slice(2).split(/=(.*)/s);
  return names.includes(`${name}=`) || (value === undefined && names.includes(name));
}
