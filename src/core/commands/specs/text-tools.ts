import type { Argument } from '../argument.ts';
import { classifyAwk } from '../custom/awk.ts';
import { classifySed } from '../custom/sed.ts';
import { decodeBase64, decodeHex, filterBy, translate } from '../decode.ts';
import { hasOption, type Invocation } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { claimTexts } from '../scope.ts';
import { type Call, type SpecTable, variants } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';
import { ofLines } from './readers.ts';

/** Filters with an option that writes or starts something, and small languages. */
export const TEXT_TOOLS: SpecTable = {
  sort: {
    options: `-bdfghiMnRrVcCmsuzk:S:t:T:o: ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort
      ignore-nonprinting month-sort numeric-sort random-sort random-source= reverse sort= version-sort batch-size= check? debug
      files0-from= key= merge output= stable buffer-size= field-separator= temporary-directory= parallel= unique zero-terminated
      compress-program=`,
    on: { 'o output': 'replace', 'compress-program': 'starts', 'files0-from': 'list', 'T temporary-directory': 'add' },
    operands: 'content',
    yields: ofLines('r n u V h k t reverse unique numeric-sort version-sort key'),
  },
  // Without `--nonet` only options open addresses, and none of them is listed here.
  xmllint: {
    options: `xpath= format noout nonet nowarning noblanks recover huge c14n pretty= encode= html xmlout nsclean stream pattern= version
      quiet`,
    operands: 'content',
    custom: ({ operands }, { scope }) =>
      operands.flatMap((word) => (/^[a-z]+:\/\//i.test(word.start) ? [effect('network', word.text)] : usePath(word, 'content', scope))),
  },
  // These commands of xmlstarlet print; without `--net` they open no address.
  'xmlstarlet xml': {
    sub: {
      'sel select': {
        options: `-QCRTIDBE:N:tc:v:o:nfm:i:e:a:b quiet comp root text indent xml-decl noblanks encode= template copy-of= value-of= output=
          nl inp-name match= if= elif= else elem= attr= break`,
        custom: ({ operands, options }, { scope }) =>
          options.some(({ value }) => /\bdocument\s*\(/.test(value?.value ?? ''))
            ? [effect('beyond', 'files that a pattern of xmlstarlet names')]
            : operands.flatMap((word) => usePath(word, 'content', scope)),
      },
      'fo format': { options: '-ntoRDHNs:e: noindent indent-tab indent-spaces= omit-decl', operands: 'content' },
      'el elements': { options: '-auv', operands: 'content' },
    },
  },
  javap: { any: true, on: { J: 'runs' }, operands: 'content' },
  'hexyl csvlook csvcut csvsort csvstat csvformat csvjoin csvstack csvjson': { any: true, operands: 'content' },
  diff3: {
    options: '-AeExX3mTaiL:v show-all ed show-overlap overlap-only easy-only merge text initial-tab label= strip-trailing-cr diff-program=',
    on: { 'diff-program': 'starts' },
    operands: 'content',
  },
  'pkg-config pkgconf': {
    options: `cflags cflags-only-I cflags-only-other libs libs-only-l libs-only-L libs-only-other modversion version list-all
      list-package-names exists atleast-version= exact-version= max-version= atleast-pkgconfig-version= variable= print-variables
      print-provides print-requires print-requires-private print-errors silence-errors errors-to-stdout short-errors static validate
      define-variable= keep-system-cflags keep-system-libs path uninstalled digraph`,
    operands: 'text',
  },
  quota: { options: '-F:guPmqsvQwplAi human-readable show-mntpoint hide-device no-wrap quiet verbose', operands: 'text' },
  uniq: {
    options: '-cdDf:is:uzw: count repeated all-repeated? skip-fields= group? ignore-case skip-chars= unique zero-terminated check-chars=',
    digits: true,
    operands: 'content',
    last: 'replace',
    yields: ofLines('u d unique repeated'),
  },
  tr: {
    output: ([from = '', to, ...more], input) =>
      input === null || to === undefined || more.length > 0 ? null : translate(from, to, input),
    options: '-cCdst complement delete squeeze-repeats truncate-set1',
    operands: 'text',
  },
  tee: {
    options: '-aip append ignore-interrupts output-error?',
    custom: classifyTee,
    changes: { do: 'write', by: { 'a append': 'append', 'i p ignore-interrupts output-error': 'plain' } },
  },
  ...variants(
    {
      options: '-diw: decode ignore-garbage wrap= base64 base64url base32 base32hex base16 base2msbf base2lsbf z85',
      operands: 'content',
    },
    {
      base32: {},
      base64: { output: filterBy(/^(?:-d|-D|--decode|-di|-d -A|-A -d)(?: -i)?$/, decodeBase64) },
      basenc: { output: filterBy(/^--base64 (?:-d|--decode)$/, decodeBase64) },
    },
  ),
  // Its options are words with one dash: `-ps` is one option, not a bundle whose last letter takes a value.
  xxd: {
    output: filterBy(/^-r ?-?p$|^-(?:rp|pr|p -r|ps -r|r -ps)$/, decodeHex),
    single: true,
    options: `a autoskip b bits e E i include p ps plain postscript r revert u C capitalize c= cols= g= groupsize= l= len= o= s= seek= n=
      name= R=`,
    operands: 'content',
    last: 'replace',
  },
  sed: {
    options: `-nrEszue:f:l:i:: quiet silent regexp-extended separate null-data unbuffered posix debug sandbox follow-symlinks expression=
      file= line-length= in-place?`,
    custom: classifySedCall,
  },
  'awk gawk mawk nawk': {
    interprets: true,
    options: '-F:v:f: field-separator= assign= sandbox posix re-interval traditional csv characters-as-bytes lint?',
    stops: true,
    custom: classifyAwkCall,
  },
  'jq gojq jaq': {
    lenient: true,
    options: `-naCMrjcSsReL: null-input ascii-output color-output monochrome-output raw-output raw-output0 join-output compact-output
      sort-keys slurp raw-input exit-status tab indent= unbuffered stream stream-errors seq arg== argjson== args jsonargs slurpfile==
      rawfile==`,
    on: { 'slurpfile rawfile': 'content' },
    custom: classifyJqCall,
  },
  'yq xq tomlq': {
    options: `-rcnCMPeo:p:I:jyY raw-output compact-output null-input colors no-colors prettyPrint exit-status output-format= input-format=
      indent= no-doc unwrapScalar?`,
    custom: classifyYqCall,
  },
  split: { any: true, options: 'filter=', on: { filter: 'starts' }, effect: 'changes' },
  csplit: { any: true, effect: 'changes' },
  'iconv dos2unix unix2dos': {
    any: true,
    options: '-f:t:o:cls from-code= to-code= output= list silent verbose',
    on: { 'o output': 'replace', 'n newfile': 'changes' },
    custom: ({ operands, options }, call) => {
      const isShown = hasOption({ options }, 'i info');
      return operands.flatMap((word) => usePath(word, isShown || call.name === 'iconv' ? 'content' : 'edit', call.scope));
    },
  },
};

function classifyTee({ options, operands }: Invocation, { scope }: Call): readonly Effect[] {
  const appends = hasOption({ options }, 'a append');
  return operands.flatMap((word) => usePath(word, appends ? 'add' : 'replace', scope));
}

/** The scripts given by options, else the first operand; null if one is unknown. */
function scriptOf(
  { options, operands }: Invocation,
  names: readonly string[],
): { readonly scripts: readonly Argument[]; readonly files: readonly Argument[] } {
  const given = options.filter(({ name }) => names.includes(name)).flatMap(({ value }) => value ?? []);
  return given.length > 0 ? { scripts: given, files: operands } : { scripts: operands.slice(0, 1), files: operands.slice(1) };
}

function classifySedCall(words: Invocation, call: Call): readonly Effect[] {
  const { scripts, files } = scriptOf(words, ['e', 'expression', 'f', 'file']);
  claimTexts(scripts, call.scope);
  if (hasOption(words, 'f file')) return [effect('runs', 'a script of sed from a file')];
  const inPlace = words.options.find(({ name }) => name === 'i' || name === 'in-place');
  if (inPlace?.value?.start.includes('/') === true || inPlace?.value?.start.includes('*') === true)
    return [effect('changes', 'a copy that sed keeps elsewhere')];
  const found = scripts.flatMap(({ value, text }) =>
    value === null ? [effect('unclear', `the script ${text}`)] : classifySed(value, call),
  );
  return [...found, ...files.flatMap((file) => usePath(file, inPlace === undefined ? 'content' : 'edit', call.scope))];
}

function classifyAwkCall(words: Invocation, call: Call): readonly Effect[] {
  if (hasOption(words, 'f')) return [effect('runs', 'a program of awk from a file')];
  const [program, ...files] = words.operands;
  if (program === undefined) return [];
  claimTexts([program], call.scope);
  const found = program.value === null ? [effect('unclear', `the program ${program.text}`)] : classifyAwk(program.value, call);
  return [...found, ...files.filter((file) => !/^\w+=/.test(file.start)).flatMap((file) => usePath(file, 'content', call.scope))];
}

/** `yq e PROGRAM` is `yq PROGRAM`. */
function classifyYqCall(words: Invocation, call: Call): readonly Effect[] {
  const isVerb = /^(e|ea|eval|eval-all)$/.test(words.operands[0]?.value ?? '');
  const loads = words.operands.some(({ value }) => /\bload(?:_\w+)?\s*\(|\bstrload\s*\(/.test(value ?? ''));
  if (loads) return [effect('beyond', 'files that a program of yq names')];
  return classifyJqCall(isVerb ? { ...words, operands: words.operands.slice(1) } : words, call);
}

function classifyJqCall(words: Invocation, call: Call): readonly Effect[] {
  const [program, ...files] = words.operands;
  if (program === undefined) return [];
  claimTexts([program], call.scope);
  const found = program.value === null ? [effect('unclear', `the program ${program.text}`)] : classifyJq(program.value);
  const isListed = hasOption(words, 'args jsonargs');
  return [...found, ...(isListed ? [] : files.flatMap((file) => usePath(file, 'content', call.scope)))];
}

/** Classifies a jq program: it reads its input, and may read the environment or other files. */
export function classifyJq(program: string): readonly Effect[] {
  const code = program.replace(/"(?:\\.|[^"\\])*("?)/g, (string, end) => (end === '' || string.includes('\\(') ? string : '""'));
  if (/\$ENV\b|(?<![.\w$])env\b|\bstrenv\b|\benvsubst\b/.test(code)) return [effect('secrets', 'the environment')];
  if (/\$__prog_args|(?<![.\w])(include|import|system|exec)\b|(?<![.\w])(?:str)?load\w*/.test(code))
    return [effect('runs', 'a module of jq')];
  return [];
}
