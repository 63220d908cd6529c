import { parseShell } from '../../shell-syntax/syntax.ts';
import type { Argument } from '../argument.ts';
import { find } from '../findings.ts';
import type { GivenWords } from '../options.ts';
import { usePath } from '../path-use.ts';
import type { Call, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';

const FETCHES = /\b(curl|wget|fetch|aria2c|nc|ncat|socat|lynx|http|https)\b/;
const DECODERS: ReadonlySet<string> = new Set([
  'base64',
  'base32',
  'basenc',
  'rev',
  'xxd',
  'openssl',
  'tr',
  'gunzip',
  'gzip',
  'zcat',
  'uudecode',
  'hexdump',
  'od',
]);

/** Programs that take a script: as a word, from a file, or from standard input. */
export const SHELLS: RuleTable = {
  'bash sh dash zsh ksh ash mksh rbash fish csh tcsh': {
    stops: true,
    short: 'c:eufvxnilsrhbmpaBCEHPTO:o:',
    long: 'login norc noprofile posix restricted verbose rcfile= init-file= debugger',
    on: { 'rcfile init-file': 'hides', n: 'reads', 'i l login': 'runs' },
    judge: judgeShell,
  },
  eval: {
    stops: true,
    any: true,
    judge: ({ operands }, call) => [find('runs', 'text that is read as a command'), ...judgeText(operands, call)],
  },
  'source .': {
    stops: true,
    judge: ({ operands }, call) => {
      const [file] = operands;
      if (file !== undefined && judgeSubstituted(file, call)) return [];
      return [
        operands.some((word) => word.hasOutput) ? foreign(operands) : find('runs', `the script ${file?.text ?? ''}`),
      ];
    },
  },
  trap: { short: 'lp', judge: judgeTrap },
};

/** A script that is the output of a command is known by nobody; one that is fetched least of all. */
function foreign(words: readonly Argument[]): Finding {
  return find(
    words.some((word) => FETCHES.test(word.text)) ? 'remote code' : 'unclear',
    'a script that another command prints',
  );
}

/** `<(echo ls)` is a script that the text tells. */
function judgeSubstituted({ text }: Argument, call: Call): boolean {
  if (!/^<\(.*\)$/s.test(text)) return false;
  const script = call.scope.outputOf(parseShell(text.slice(2, -1)), call.scope);
  if (script === null) return false;
  const isDecoded = [...DECODERS].some((name) => new RegExp(`\\b${name}\\b`).test(text));
  call.judgeScript(script, { isDisguised: isDecoded || call.scope.isDisguised });
  return true;
}

function judgeShell({ options, operands }: GivenWords, call: Call): readonly Finding[] {
  const script = options.find(({ name }) => name === 'c');
  if (script !== undefined) {
    const positional = operands.slice(1).map((word) => word.value);
    return script.value === null
      ? [find('unclear', 'a script that is missing')]
      : judgeText([script.value], call, positional);
  }
  const [file] = operands;
  const [only, checked, ...others] = call.words;
  if (only?.value === '-n' && checked !== undefined && others.length === 0 && !/^[-+]/.test(checked.start))
    return usePath(checked, 'content', call.scope);
  const isStream = file === undefined || ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'].includes(file.value ?? '');
  if (!isStream && judgeSubstituted(file, call)) return [];
  if (!isStream) return [file.hasOutput ? foreign([file]) : find('runs', `the script ${file.text}`)];
  return judgeInput(call);
}

/** Judges words as the text of a script. */
function judgeText(
  words: readonly Argument[],
  call: Call,
  positional?: readonly (string | null)[],
): readonly Finding[] {
  const values = words.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length < words.length) return [foreign(words)];
  const isDisguised = call.scope.isDisguised || words.some((word) => word.isDisguised);
  call.judgeScript(values.join(' '), { isDisguised, ...(positional === undefined ? {} : { positional }) });
  return [];
}

function judgeInput(call: Call): readonly Finding[] {
  const { text, programs, isGiven } = call.input;
  if (text !== null) {
    const isDecoded = programs.some((name) => DECODERS.has(name)) || call.scope.isDisguised || call.input.isEscaped;
    call.judgeScript(text, { isDisguised: isDecoded });
    return isDecoded ? [find('hides', 'a script that is decoded first')] : [];
  }
  if (call.input.isRemote === true || programs.some((name) => FETCHES.test(name))) return [find('remote code')];
  if (programs.some((name) => DECODERS.has(name))) return [find('hides', 'a script that is decoded first')];
  return [
    isGiven ? find('unclear', 'a script from standard input') : find('runs', 'a shell that waits for what is typed'),
  ];
}

function judgeTrap({ options, operands }: GivenWords, call: Call): readonly Finding[] {
  const [script, ...signals] = operands;
  if (options.length > 0 || script === undefined || signals.length === 0 || script.value === '-' || script.value === '')
    return [];
  if (script.value === null) return [find('unclear', 'what a trap runs')];
  call.judgeScript(script.value);
  return [find('changes', 'sets a trap')];
}
