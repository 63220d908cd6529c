import type { Argument } from '../argument.ts';
import { find } from '../findings.ts';
import { judgeAwk } from '../grammars/awk.ts';
import { judgeJq } from '../grammars/jq.ts';
import { judgeSed } from '../grammars/sed.ts';
import type { GivenWords } from '../options.ts';
import { usePath } from '../path-use.ts';
import type { Call, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';

/** Filters with an option that writes or starts something, and the little languages. */
export const TEXT_TOOLS: RuleTable = {
  sort: {
    short: 'bdfghiMnRrVcCmsuzk:S:t:T:o:',
    long: 'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort random-sort random-source= reverse sort= version-sort batch-size= check? debug files0-from= key= merge output= stable buffer-size= field-separator= temporary-directory= parallel= unique zero-terminated compress-program=',
    on: {
      'o output': 'replace',
      'compress-program': 'starts',
      'files0-from': 'content',
      'T temporary-directory': 'add',
    },
    operands: 'content',
  },
  uniq: {
    short: 'cdDf:is:uzw:',
    digits: true,
    long: 'count repeated all-repeated? skip-fields= group? ignore-case skip-chars= unique zero-terminated check-chars=',
    operands: 'content',
    last: 'replace',
  },
  tr: { short: 'cCdst', long: 'complement delete squeeze-repeats truncate-set1', operands: 'text' },
  tee: { short: 'aip', long: 'append ignore-interrupts output-error?', judge: judgeTee },
  'base64 base32 basenc': {
    short: 'diw:',
    long: 'decode ignore-garbage wrap= base64 base64url base32 base32hex base16 base2msbf base2lsbf z85',
    operands: 'content',
  },
  // Its options are words with one dash: `-ps` is one of them, and no bundle whose last letter takes a value.
  xxd: {
    single: true,
    long: 'a autoskip b bits e E i include p ps plain postscript r revert u C capitalize c= cols= g= groupsize= l= len= o= s= seek= n= name= R=',
    operands: 'content',
    last: 'replace',
  },
  sed: {
    short: 'nrEszue:f:l:i::',
    long: 'quiet silent regexp-extended separate null-data unbuffered posix debug sandbox follow-symlinks expression= file= line-length= in-place?',
    judge: judgeSedCall,
  },
  'awk gawk mawk nawk': {
    short: 'F:v:f:',
    stops: true,
    long: 'field-separator= assign= sandbox posix re-interval traditional csv characters-as-bytes lint?',
    judge: judgeAwkCall,
  },
  'jq gojq jaq': {
    short: 'naCMrjcSsReL:',
    long: 'null-input ascii-output color-output monochrome-output raw-output raw-output0 join-output compact-output sort-keys slurp raw-input exit-status tab indent= unbuffered stream seq arg args jsonargs argjson',
    judge: judgeJqCall,
  },
  yq: {
    short: 'rcnCMPeo:p:I:jyY',
    long: 'raw-output compact-output null-input colors no-colors prettyPrint exit-status output-format= input-format= indent= no-doc unwrapScalar?',
    judge: judgeYqCall,
  },
  split: { any: true, long: 'filter=', on: { filter: 'starts' }, effect: 'changes' },
  csplit: { any: true, effect: 'changes' },
  'iconv dos2unix unix2dos': {
    any: true,
    short: 'f:t:o:cls',
    long: 'from-code= to-code= output= list silent verbose',
    on: { 'o output': 'replace', 'n newfile': 'changes' },
    judge: ({ operands }, call) =>
      operands.flatMap((word) => usePath(word, call.name === 'iconv' ? 'content' : 'edit', call.scope)),
  },
};

function judgeTee({ options, operands }: GivenWords, { scope }: Call): readonly Finding[] {
  const appends = options.some(({ name }) => name === 'a' || name === 'append');
  return operands.flatMap((word) => usePath(word, appends ? 'add' : 'replace', scope));
}

/** Scripts given by options, else the first operand; null where one is not known. */
function scriptOf(
  { options, operands }: GivenWords,
  names: readonly string[],
): { readonly scripts: readonly Argument[]; readonly files: readonly Argument[] } {
  const given = options.filter(({ name }) => names.includes(name)).flatMap(({ value }) => value ?? []);
  return given.length > 0
    ? { scripts: given, files: operands }
    : { scripts: operands.slice(0, 1), files: operands.slice(1) };
}

function judgeSedCall(words: GivenWords, call: Call): readonly Finding[] {
  const { scripts, files } = scriptOf(words, ['e', 'expression', 'f', 'file']);
  if (words.options.some(({ name }) => name === 'f' || name === 'file'))
    return [find('runs', 'a script of sed from a file')];
  const inPlace = words.options.find(({ name }) => name === 'i' || name === 'in-place');
  if (inPlace?.value?.start.includes('/') === true || inPlace?.value?.start.includes('*') === true)
    return [find('changes', 'a copy that sed keeps elsewhere')];
  const found = scripts.flatMap(({ value, text }) =>
    value === null ? [find('unclear', `the script ${text}`)] : judgeSed(value, call),
  );
  return [...found, ...files.flatMap((file) => usePath(file, inPlace === undefined ? 'content' : 'edit', call.scope))];
}

function judgeAwkCall(words: GivenWords, call: Call): readonly Finding[] {
  if (words.options.some(({ name }) => name === 'f')) return [find('runs', 'a program of awk from a file')];
  const [program, ...files] = words.operands;
  if (program === undefined) return [];
  const found =
    program.value === null ? [find('unclear', `the program ${program.text}`)] : judgeAwk(program.value, call);
  return [
    ...found,
    ...files.filter((file) => !/^\w+=/.test(file.start)).flatMap((file) => usePath(file, 'content', call.scope)),
  ];
}

/** `yq e PROGRAM` is `yq PROGRAM`. */
function judgeYqCall(words: GivenWords, call: Call): readonly Finding[] {
  const isVerb = /^(e|ea|eval|eval-all)$/.test(words.operands[0]?.value ?? '');
  return judgeJqCall(isVerb ? { ...words, operands: words.operands.slice(1) } : words, call);
}

/** `--arg NAME VALUE` takes two words, which stand among the operands here. */
function judgeJqCall(words: GivenWords, call: Call): readonly Finding[] {
  const pairs = words.options.filter(({ name }) => name === 'arg' || name === 'argjson').length;
  const named = call.words.findIndex(({ value }) => value === '--arg' || value === '--argjson');
  const isLate = named > 0 && call.words.slice(0, named).some((word) => !word.start.startsWith('-'));
  const operands = isLate
    ? words.operands.filter((_, at) => at === 0 || at > pairs * 2)
    : words.operands.slice(pairs * 2);
  const [program, ...files] = operands;
  if (program === undefined) return [];
  const found = program.value === null ? [find('unclear', `the program ${program.text}`)] : judgeJq(program.value);
  const isListed = words.options.some(({ name }) => name === 'args' || name === 'jsonargs');
  return [...found, ...(isListed ? [] : files.flatMap((file) => usePath(file, 'content', call.scope)))];
}
