import type { EffectKind } from '../../../protocol/tool.ts';
import { readPattern } from '../../text/glob.ts';
import { type Argument, literal, unknown } from '../argument.ts';
import { effectsOf, looksLikeCommand } from '../effects.ts';
import { pathTextsOf, scriptAt } from '../path-use.ts';
import { locate } from '../place.ts';
import { namePath, type Scope } from '../scope.ts';
import { type Call, readCall, subcommandsOf, subSpec } from '../spec.ts';
import { type Effect, effect, type Part, runsUnseen } from '../verdict.ts';
import { findProgram, findSpec, specNames, systemProgram } from './find-program.ts';
import { protectSelf } from './self-protection.ts';

/** Classifies a call of a program by the tables, and by its effects on aish itself. */
export function classifyProgram(call: Call, program: Argument): readonly Effect[] {
  const found = classifyByTables(call, program);
  classifyHanded(call, found);
  return [
    ...found,
    ...classifyFetchedWord(call, found),
    ...classifySentInput(call, found),
    ...classifyOutput(call, found),
    ...protectSelf(call, found),
    ...classifyUnclaimed(call, found),
  ];
}

/** Credentials piped to a network program are sent, unless they are used to sign in. */
function classifySentInput({ name, words, input }: Call, found: readonly Effect[]): readonly Effect[] {
  if (findProgram(name)?.signsIn !== undefined && words.slice(0, 2).some(({ value }) => value === 'login')) return [];
  const connects = found.some((one) => one.class === 'network');
  const isSaid = found.some(({ kind }) => kind === 'leaks');
  return input.isSecret && connects && !isSaid ? [effect('leaks', 'credentials')] : [];
}

/** An option by which many programs name what they write. */
const OUTPUT = /^(?:-[od]|--?out(?:put|file|dir|-file|-dir|-document|-path)?|--output-(?:file|dir|document)|-C)(?:=(.*)|$)/s;

/** A program that writes where an option says, to a file that acts later. */
function classifyOutput({ words, scope }: Call, found: readonly Effect[]): readonly Effect[] {
  if (found.every((one) => one.class === 'read-only') || found.some(({ kind }) => kind === 'plants')) return [];
  const target = words.flatMap((word, at) => {
    const [option, attached] = OUTPUT.exec(word.value ?? '') ?? [];
    return option === undefined ? [] : (attached ?? words[at + 1]?.value ?? []);
  });
  const planted = target.find((path) => locate(path, scope.cwd, scope.context).isGuarded);
  return planted === undefined ? [] : [effect('plants', planted)];
}

/** `make -f <(curl …)`, `curl … | awk -f -`: a program runs code that another program fetches. */
function classifyFetchedWord({ words, input }: Call, found: readonly Effect[]): readonly Effect[] {
  const word = words.find(
    ({ text, value, isRemote }) =>
      (isRemote === true && text.includes('<(')) || (input.isRemote === true && STANDARD_INPUT.test(value ?? '')),
  );
  return word !== undefined && found.some(runsUnseen) ? [effect('remote code', word.text)] : [];
}

const STANDARD_INPUT = /^-$|^(?:-f)?\/dev\/(?:stdin|fd\/0)$|^(?:-f)?\/proc\/self\/fd\/0$/;

/** A program missing from all tables counts as unclassified code. */
function classifyByTables(call: Call, program: Argument): readonly Effect[] {
  if (program.isGlob) return classifyPattern(call, program);
  if (call.name.includes('/')) return classifyPath(call);
  const rule = findSpec(call.name);
  if (showsItself(call.name, call.words)) return [];
  if (rule === undefined) return [effect('runs', `${call.name} is not known`), ...leaks(call)];
  const found = effectsOf(rule, call);
  return [...found, ...elsewhere(found, call), ...leaks(call)];
}

/** Tasks and git's records belong to the project only if the line runs in the project. */
function elsewhere(found: readonly Effect[], { scope }: Call): readonly Effect[] {
  const zone = scope.cwd === null ? 'unknown' : locate(scope.cwd, null, scope.context).zone;
  if (zone === 'project') return [];
  const own = found.filter(({ because }) => because === 'program' || because === 'task').map(({ kind }) => kind);
  const isStranger = own.includes('task') || (own.includes('adds') && zone !== 'temporary');
  return isStranger ? [effect('runs', 'outside the project')] : [];
}

const MOST_MATCHES = 12;

/** A pattern as a program name hides which program runs: it is denied if any match does harm, or if it matches every name. */
function classifyPattern(call: Call, program: Argument): readonly Effect[] {
  const unclear = effect('unclear', { because: 'unknown-command', detail: program.text });
  const pattern = call.name.slice(call.name.lastIndexOf('/') + 1);
  const names = namesLike(pattern, call.scope);
  const fits =
    names.length > MOST_MATCHES
      ? []
      : names.flatMap((name) => {
          const rule = findSpec(name);
          return rule === undefined ? [] : effectsOf(rule, { ...call, name });
        });
  const isHidden =
    names.length > MOST_MATCHES || call.scope.patterns.size > MOST_PATTERNS || fits.some((one) => one.class === 'destructive');
  return isHidden ? [effect('hides', `a program behind the pattern ${program.text}`), ...fits] : [unclear];
}

/** More patterns for programs in one line count as hiding. */
const MOST_PATTERNS = 32;

/** The program names that match a pattern, at most one more than will be classified. */
function namesLike(pattern: string, { patterns }: Scope): readonly string[] {
  const known = patterns.get(pattern);
  if (known !== undefined || patterns.size > MOST_PATTERNS) return known ?? [];
  const names: string[] = [];
  const matches = readPattern(pattern);
  for (const name of specNames()) if (names.length <= MOST_MATCHES && matches(name)) names.push(name);
  patterns.set(pattern, names);
  return names;
}

/** A program given by path: system programs are known by name; any other is code that the line does not show. */
function classifyPath(call: Call): readonly Effect[] {
  const name = systemProgram(call.name);
  const rule = name === undefined ? undefined : findSpec(name);
  if (/\/ld(-[\w.-]+)?\.so(\.\d+)*$/.test(call.name)) {
    call.classifyCommand(call.words.filter(({ start }) => !start.startsWith('--')));
    return [effect('hides', 'a program that its loader starts')];
  }
  if (name === undefined || rule === undefined)
    return [effect('runs', { ...scriptAt({ value: call.name, text: call.name }, call.scope), because: 'path' })];
  const found = effectsOf(rule, { ...call, name });
  return [...found, ...elsewhere(found, call), ...leaks(call)];
}

/** A credential among the words of any program. */
function leaks({ words, name }: Call): readonly Effect[] {
  if (findSpec(name)?.prints === 'status') return [];
  const secret = words.find((word) => word.isSecret);
  return secret === undefined ? [] : [effect('secrets', secret.text)];
}

/** The words of a call without the program's own options: `git -C there push` is `push`. */
export function globalOperands(name: string, words: readonly Argument[]): readonly (string | null)[] {
  const rule = findSpec(name);
  return rule === undefined ? [] : readCall(rule, words).operands.map((word) => word.value);
}

/** Options by which an unknown program receives a command as text. */
const HANDS = /^(-[cCex]|--?(command|cmd|exec|execute|run|shell|hook|script))$/;
const ATTACHED = /^--?(?:command|cmd|exec|execute|run|shell|hook)=(.+)$/s;

/** A name shared by subcommands and programs proves nothing. */
const COMMON = /^(install|git|at|find|tar|zip|cp|mv|ln|cat|echo|exec|env|command|touch|kill|cd|node|npm|php|aws|docker)$/;

/** Effects of a program that starts another program. */
const RUNS: ReadonlySet<EffectKind> = new Set(['runs', 'network', 'privileged', 'secrets']);

/** Effects of a program that starts nothing. */
const HARMLESS: ReadonlySet<EffectKind> = new Set(['reads', 'adds', 'task']);

/**
 * Classifies a command given to a program that is only known to run something: after two dashes, after an option that announces a command,
 * or after the verb of a runner. Other words are ignored, because the program needs an approval anyway.
 */
function classifyHanded(call: Call, found: readonly Effect[]): void {
  const { words, name } = call;
  const isRunner = findProgram(name)?.startsCommands === true && !found.every(({ kind }) => HARMLESS.has(kind));
  if (!isRunner && !found.some(({ kind }) => RUNS.has(kind))) return;
  for (const [at, { value }] of words.entries()) {
    const before = words[at - 1]?.value ?? '';
    const attached = ATTACHED.exec(value ?? '')?.[1];
    if (looksLikeCommand(attached)) call.classifyScript(attached ?? '');
    if (value === null || !looksLikeCommand(value)) continue;
    const isText = /\s/.test(value);
    if (isText && (HANDS.test(before) || isRunner)) call.classifyScript(value);
    // The remote shell of a transfer has its own words within the value of its option.
    if (name === 'rsync' && before === '-e' && !isText) continue;
    const isHanded = before === '--' || (HANDS.test(before) && !before.startsWith('-C')) || (isRunner && at > 0);
    if (!isText && isHanded && !(isRunner && before !== '--' && !HANDS.test(before) && COMMON.test(value))) {
      call.classifyCommand(words.slice(at));
      return;
    }
  }
}

/** Whether a program only prints its version, help or settings and ends. */
function showsItself(name: string, words: readonly Argument[]): boolean {
  const shows = findProgram(name)?.shows;
  if (shows === undefined && findSpec(name) === undefined) return false;
  const values = words.flatMap(({ value }) => value ?? []);
  if (values.length === 0 || values.length < words.length) return false;
  if (values.length > 1 && values.includes('--version'))
    return values.length === 2 && values.every((value) => /^(--version|--verbose|-v+)$/.test(value));
  const [first = '', second] = values;
  if (second === undefined && (first === '--version' || first === '--help')) return true;
  if (showsHelp(name, values)) return true;
  return shows?.split(' ').some((word) => word !== '' && fits(word, values)) === true;
}

/** Verbs followed by a command, which gets the options after it. */
const HANDS_ON = /^(run|r|exec|x|shell|develop|environment|foreach|test|t|bench|debug|attach|watch|tool|sh|ssh|plugin|alias)$/;

/** `docker compose up --help`: words without a dash are verbs, or names that are ignored. */
function showsHelp(name: string, values: readonly string[]): boolean {
  const spec = findProgram(name);
  const verbs = values.slice(0, -1);
  if (spec?.helps === undefined || values.at(-1) !== '--help') return false;
  // For a program family, verbs of relatives may be scripts of the project.
  const verb = spec.isOfKind === true && spec.sub !== undefined ? subSpec(spec, verbs[0] ?? '') : subcommandsOf(spec).get(verbs[0] ?? '');
  if (verb === undefined) return false;
  if (spec.helps.split(' ').includes(verbs[0] ?? '')) return false;
  return verbs.every((verb, at) => /^[a-z][\w-]*$/.test(verb) && (at === verbs.length - 1 || !HANDS_ON.test(verb)));
}

/** `--print=` matches `--print=x` and `--print x`, `--help-*` matches `--help-modules`. */
function fits(word: string, [first = '', second, ...more]: readonly string[]): boolean {
  if (more.length > 0) return false;
  if (word.endsWith('=')) return second === undefined ? first.startsWith(word) : `${first}=` === word;
  return second === undefined && (word.endsWith('*') ? first.startsWith(word.slice(0, -1)) : first === word);
}

/**
 * Classifies words that no table accounts for: an unknown option, a value attached to it, an unexpected operand. Each may name a file that
 * the program opens and prints, if only in an error message.
 */
function classifyUnclaimed({ name, words, scope }: Call, found: readonly Effect[]): readonly Effect[] {
  if (findSpec(name)?.opensNothing === true) return [];
  if (found.some((one) => one.class !== 'read-only' || one.kind === 'secrets')) return [];
  const secret = words.find((word) => !scope.claims.has(word.text) && mayRead(word, scope));
  return secret === undefined ? [] : [effect('secrets', { because: 'path', path: null, detail: secret.text })];
}

/** Whether a word names a secret. The caller, who can read the disk, checks other paths. */
function mayRead(word: Argument, scope: Scope): boolean {
  const { cwd, context } = scope;
  const text = word.value ?? word.start;
  const readings = /\s/.test(text) ? [text] : pathTextsOf(word);
  return readings.some((one) => {
    const place = locate(one, cwd, context, word.isGlob);
    if (place.path !== null && one !== '') namePath(scope, place.path, true);
    // A bare word is often a name of something other than a file.
    return place.isSecret && /[./~]/.test(one);
  });
}

/** The git subcommand of a part and its operands, without options; none for another program. */
function gitOperands(words: Part['words']): readonly string[] {
  const [program] = words;
  if (program !== 'git' && program?.endsWith('/git') !== true) return [];
  const given = words.slice(1).map((word) => (word === null ? unknown('a word') : literal(word)));
  return globalOperands('git', given).flatMap((word) => (word === null || word.startsWith('-') ? [] : [word]));
}

/** Pushing everything to a remote that the line itself has added. */
export function classifyNewRemote(parts: readonly Part[]): readonly Effect[] {
  const added = new Set<string>();
  for (const { words } of parts) {
    const [verb, first, second] = gitOperands(words);
    if (verb === 'remote' && /^(add|set-url)$/.test(first ?? '') && second !== undefined) added.add(second);
    if (verb === 'push' && added.has(first ?? '') && words.some((word) => /^(--all|--mirror|--branches)$/.test(word ?? '')))
      return [effect('leaks', 'the whole history, to a remote that the line has added')];
  }
  return [];
}

/** Scripts of a repository that the line itself has cloned, once it runs inside; its declared tasks need an approval. */
export function classifyCloned(parts: readonly Part[]): readonly Effect[] {
  const cloned = new Set<string>();
  let isInside = false;
  for (const { words, effects } of parts) {
    const [verb, ...sources] = gitOperands(words);
    if (cloned.size === 0 && verb !== 'clone') continue;
    const known = words.flatMap((word) => (word === null || word.startsWith('-') ? [] : [word.replace(/^\.\//, '')]));
    const runs = effects.some(runsUnseen);
    const isBelow = known.some((word) => [...cloned].some((folder) => word.startsWith(`${folder}/`)));
    if (runs && (isInside || isBelow)) return [effect('remote code', 'what was cloned')];
    if (verb === 'clone') for (const word of sources) cloned.add((word.split('/').at(-1) ?? '').replace(/\.git$/, ''));
    if ((known[0] === 'cd' || known[0] === 'pushd') && cloned.has((known[1] ?? '').replace(/\/$/, ''))) isInside = true;
  }
  return [];
}
