import { type Argument, literal } from '../argument.ts';
import { classifyArithmetic, classifyName, isHijackingName, keptByLine, substitutionOf } from '../assignments.ts';
import { echo, formatPrintf } from '../decode.ts';
import type { Invocation } from '../parse.ts';
import { hasOption } from '../parse.ts';
import { normalize } from '../place.ts';
import { arrayOf, isSecretName, isSeveral, setArray, variableOf } from '../scope.ts';
import type { Call, CommandSpec, SpecTable } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

const NAME = /^[A-Za-z_]\w*$/;

/** Sets the variables that its operands name. The shell evaluates a subscript in a name. */
function sets(kind: 'reads' | 'changes' | 'keeps'): CommandSpec['custom'] {
  return ({ operands }, call) =>
    operands.flatMap((word) => {
      const name = /^[^=+]*/.exec(word.start)?.[0] ?? '';
      if (word.value === null && !word.start.includes('=')) return [effect('unclear', `the name of a variable, ${word.text}`)];
      if (!NAME.test(name)) return classifySubscript(word, call);
      const equals = word.start.indexOf('=');
      const value = equals < 0 || word.value === null ? null : word.value.slice(equals + 1);
      call.scope.variables.set(name, value);
      if (kind === 'reads') return isHijackingName(name) ? [effect('hides', { because: 'assignment', detail: name })] : [];
      return kind === 'keeps' ? keptByLine(name, classifyName(name, false, value)) : classifyName(name, false, value);
    });
}

/** The shell evaluates a subscript and runs substitutions in it. If the word does nothing else, its effect is known. */
function classifySubscript(word: Argument, call: Call): readonly Effect[] {
  const substituted = substitutionOf(word.value ?? '');
  if (substituted === null) return [effect('unclear', `the name of a variable, ${word.text}`)];
  call.classifyScript(substituted);
  return [effect('hides', `a command in the subscript ${word.text}`)];
}

/** Words as the operands of a shell command that sets them. */
function setting(operands: readonly Argument[]): Invocation {
  return { options: [], operands, strange: [], opaque: [] };
}

/** Shell builtins. */
export const BUILTINS: SpecTable = {
  'true false : break continue': { any: true },
  times: { any: true },
  shift: { any: true, custom: classifyShift },
  wait: { options: '-fnp:', on: { p: 'unclear' } },
  'suspend logout': { any: true, effect: 'changes' },
  'return exit': { any: true },
  'pwd caller dirs type help': { any: true },
  jobs: { any: true, on: { x: 'runs' } },
  hash: { any: true, on: { p: 'hides' } },
  compgen: {
    any: true,
    options: '-W:C:F:A:G:P:S:X:o:',
    on: { 'W C F': 'runs' },
    custom: ({ options }, call) => classifyCompleted(options, call),
  },
  echo: { output: echo, any: true, operands: 'text' },
  test: { any: true, custom: classifyTestBuiltin },
  '[': { any: true, custom: classifyTestBuiltin },
  printf: {
    output: ([format = '', ...rest]) => (format.startsWith('-') ? null : formatPrintf(format, rest)),
    stops: true,
    options: '-v:',
    custom: classifyPrintf,
  },
  'cd pushd': { any: true, custom: classifyCd },
  popd: { any: true, custom: (_, { scope }) => forgetPlace(scope) },
  read: { any: true, options: '-rsea:d:i:n:N:p:t:u:', custom: classifyRead },
  'mapfile readarray': { any: true, options: '-td:n:O:s:u:c:C:', on: { C: 'runs', O: 'unclear' }, custom: classifyMapfile },
  'export declare typeset local readonly': { any: true, custom: classifyDeclare },
  unset: { options: '-fvn', custom: sets('changes') },
  let: {
    custom: ({ operands }, call) =>
      operands.some(({ value }) => substitutionOf(value ?? '') !== null)
        ? operands.flatMap((word) => classifySubscript(word, call))
        : [effect('unclear', 'let evaluates what it is given')],
  },
  'set shopt': { any: true, custom: classifySet },
  getopts: { custom: ({ operands }, call) => sets('reads')?.(setting(operands.slice(1, 2)), call) ?? [] },
  'ulimit umask': { any: true, custom: ({ operands }) => (operands.length === 0 ? [] : [effect('changes', 'another limit')]) },
  alias: {
    any: true,
    custom: ({ operands }) => (operands.some((word) => word.start.includes('=')) ? [effect('hides', 'redefines a name')] : []),
  },
  complete: {
    any: true,
    options: '-W:C:F:A:G:P:S:X:o:',
    effect: 'changes',
    custom: ({ options }, call) => [effect('changes', 'how words are completed'), ...classifyCompleted(options, call)],
  },
  enable: { any: true, options: '-f:', on: { f: 'hides' }, effect: 'changes' },
  bind: { any: true, options: '-m:f:q:u:r:x:', on: { x: 'runs' }, effect: 'changes' },
  'unalias compopt disown bg fc fg': { any: true, effect: 'changes' },
  kill: { any: true, custom: classifyKill },
};

/** Expands a list of words, and runs a command. */
function classifyCompleted(options: Invocation['options'], call: Call): readonly Effect[] {
  for (const { name, value } of options) {
    if (value?.value === null || value?.value === undefined) continue;
    if (name === 'C') call.classifyScript(value.value);
    else if (name === 'W' && /[$`]/.test(value.value)) call.classifyScript(`: "${value.value}"`);
  }
  return [];
}

function forgetPlace(scope: Call['scope']): readonly Effect[] {
  scope.cwd = null;
  return [];
}

/** Longer paths are not followed, because each command within takes time proportional to the length. */
const LONGEST_PATH = 1024;

function classifyCd({ operands, options }: Invocation, { scope }: Call): readonly Effect[] {
  const [to] = operands;
  // bash stays in the folder, and zsh goes to another one.
  if (operands.length > 1) scope.cwd = null;
  else if (to === undefined) scope.cwd = options.length > 0 ? null : scope.context.home;
  else if (to.value === null || to.value === '-' || to.value === '' || to.isGlob || /^[+-]\d+$/.test(to.value)) scope.cwd = null;
  else if (to.value.startsWith('/')) scope.cwd = normalize(to.value);
  else if (scope.cwd !== null) scope.cwd = normalize(`${scope.cwd}/${to.value}`);
  if (scope.cwd !== null && scope.cwd.length > LONGEST_PATH) scope.cwd = null;
  return [];
}

function classifyPrintf({ options, operands }: Invocation, call: Call): readonly Effect[] {
  const target = options.find(({ name }) => name === 'v')?.value;
  const secret = operands.some((word) => word.isSecret) ? [effect('secrets')] : [];
  if (target === undefined) return secret;
  const found = sets('keeps')?.(setting(target === null ? [] : [target]), call) ?? [];
  const values = operands.flatMap(({ value }) => value ?? []);
  const [format, ...rest] = values;
  if (typeof target?.value === 'string' && format !== undefined && values.length === operands.length)
    call.scope.variables.set(target.value, formatPrintf(format, rest));
  return [...secret, ...found];
}

/** Text that was read may contain file names. */
function keepFeed(names: readonly Argument[], { scope, input }: Call): void {
  const given = names.length > 0 ? names.flatMap(({ value }) => value ?? []) : ['REPLY'];
  for (const name of given) {
    if (input.feed === undefined) scope.fed.delete(name);
    else scope.fed.set(name, input.feed);
  }
}

/** The input is known if the line shows it. The last name gets the rest of the line. */
function classifyRead({ operands, options }: Invocation, call: Call): readonly Effect[] {
  const list = options.flatMap(({ name, value }) => (name === 'a' && value) || []);
  const found = sets('reads')?.(setting([...operands, ...list]), call) ?? [];
  keepFeed([...operands, ...list], call);
  const line = call.input.text?.split('\n')[0]?.trim();
  const isPlain = options.every(({ name }) => name === 'r' || name === 'a') && !call.scope.variables.has('IFS');
  const { kind } = call.input;
  if (isPlain && kind != null) for (const { value } of operands) if (value !== null) call.scope.variables.setKind(value, kind);
  if (line === undefined || !isPlain) return found;
  const words = line.split(/[ \t]+/);
  for (const [at, { value }] of operands.entries()) {
    const isLast = at === operands.length - 1;
    if (value !== null) call.scope.variables.set(value, isLast ? words.slice(at).join(' ') : (words[at] ?? ''));
  }
  for (const { value } of list) if (value !== null) setArray(call.scope, value, words);
  return found;
}

function classifyMapfile({ operands, options }: Invocation, call: Call): readonly Effect[] {
  const found = sets('reads')?.(setting(operands), call) ?? [];
  keepFeed(operands.length > 0 ? operands : [literal('MAPFILE')], call);
  const name = operands[0]?.value;
  const isPlain = options.every((option) => option.name === 't');
  if (name !== null && name !== undefined && isPlain && call.input.text !== null)
    setArray(call.scope, name, call.input.text.replace(/\n$/, '').split('\n').slice(0, 1000));
  return found;
}

/** `[ -v a[…] ]` evaluates a subscript. */
function classifyTestBuiltin({ options, operands }: Invocation, call: Call): readonly Effect[] {
  const looksAtVariable = hasOption({ options }, 'v R') || operands.some(({ value }) => value === '-v');
  if (!looksAtVariable) return [];
  const run = operands.filter(({ value }) => substitutionOf(value ?? '') !== null);
  if (run.length > 0) return run.flatMap((word) => classifySubscript(word, call));
  return operands.some((word) => word.value === null || /[[$`]/.test(word.value))
    ? [effect('unclear', 'a variable by an unknown name')]
    : [];
}

function classifyDeclare({ options, operands }: Invocation, call: Call): readonly Effect[] {
  const prints = hasOption({ options }, 'p');
  if (operands.length === 0) return options.some(({ name }) => 'fF'.includes(name)) ? [] : [effect('secrets', 'all variables')];
  if (prints && call.name !== 'export')
    return operands.flatMap((word) =>
      word.start.includes('=') ? [effect('changes')] : isSecretName(word.start) ? [effect('secrets', word.text)] : [],
    );
  const has = (...names: readonly string[]) => options.some(({ name }) => names.includes(name));
  if (has('n')) return operands.flatMap((word) => refer(word, call));
  for (const word of operands) classifyArray(word, call);
  if (has('A')) for (const { start } of operands) declareMap(start, call.scope);
  const isPassedOn = call.name === 'export' || call.name === 'readonly' || options.some(({ name }) => !'aAglu'.includes(name));
  const found = sets(isPassedOn ? 'changes' : 'keeps')?.(setting(operands), call) ?? [];
  if (has('i')) return [...found, ...operands.flatMap((word) => evaluate(word, call))];
  if (has('f')) return [effect('changes', `${call.name} changes what a name means`)];
  if (has('l', 'u')) for (const word of operands) changeCase(word, has('u'), call.scope);
  return found;
}

/** `declare -a 'a=($(ls))'`: the shell expands the quoted value of an array again. */
function classifyArray({ value, text }: Argument, { classifyScript }: Call): void {
  if (value !== null && /^['"]/.test(text) && /^\w+\+?=\(/.test(value)) classifyScript(value);
}

/** An existing array stays an array. */
function declareMap(start: string, scope: Call['scope']): void {
  const [name = ''] = start.split(/[=+]/);
  if (arrayOf(scope, name) === undefined) scope.maps.set(name, true);
}

/** A name reference reads and sets the other variable. */
function refer(word: Argument, { scope }: Call): readonly Effect[] {
  const [, name, target] = /^([A-Za-z_]\w*)=([A-Za-z_]\w*)$/.exec(word.value ?? '') ?? [];
  if (name === undefined || target === undefined) return [effect('unclear', `another name for a variable, ${word.text}`)];
  scope.variables.set(name, variableOf(scope, target));
  return [
    isHijackingName(target) ? effect('hides', `another name for ${target}`) : effect('changes', { because: 'assignment', detail: name }),
  ];
}

/** The shell evaluates an integer variable on assignment. */
function evaluate(word: Argument, call: Call): readonly Effect[] {
  const equals = word.start.indexOf('=');
  if (equals < 0) return [];
  const text = word.value?.slice(equals + 1);
  if (text !== undefined && substitutionOf(text) !== null) return classifySubscript(word, call);
  return text === undefined ? [effect('unclear', `${word.text} is evaluated`)] : classifyArithmetic(text, call.scope);
}

function changeCase(word: Argument, isUpper: boolean, scope: Call['scope']): void {
  const [name = ''] = word.start.split('=');
  const value = scope.variables.get(name);
  if (value !== undefined && value !== null) scope.variables.set(name, isUpper ? value.toUpperCase() : value.toLowerCase());
}

/** `set` alone prints every variable. Options that make the shell stricter or more verbose change nothing else. */
function classifySet(_: Invocation, { name, words, scope }: Call): readonly Effect[] {
  if (name === 'shopt')
    return words.every(({ value }) => value !== null && /^-[pq]*$/.test(value)) || words[0]?.start[0] !== '-'
      ? []
      : [effect('changes', 'another option of the shell')];
  if (words.length === 0) return [effect('secrets', 'all variables')];
  if (words[0]?.value === '--') {
    scope.positional = words.slice(1);
    return [];
  }
  const isStrict = words.every(({ value }) => value !== null && /^([-+][eux]+|[-+][eux]*o|pipefail|errexit|nounset|xtrace)$/.test(value));
  return isStrict ? [] : [effect('changes', 'another option of the shell')];
}

/** Moves the parameters down by one. */
function classifyShift(_: Invocation, { words, scope }: Call): readonly Effect[] {
  const count = words.length === 0 ? 1 : Number(words[0]?.value ?? Number.NaN);
  const { positional } = scope;
  const isKnown = positional !== null && Number.isInteger(count) && count >= 0 && count <= positional.length;
  scope.positional = isKnown && !positional.slice(0, count).some(isSeveral) ? positional.slice(count) : null;
  return [];
}

function classifyKill(_: Invocation, { words }: Call): readonly Effect[] {
  const [first] = words;
  if (first?.value === '-l' || first?.value === '-L' || first?.value === '-0') return [];
  const isAll = words.slice(1).some(({ value }) => value === '-1') || (words.length === 2 && words[1]?.value === '1');
  return [isAll ? effect('wrecks', 'every process') : effect('destroys', 'ends a process')];
}
