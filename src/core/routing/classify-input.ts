import { findOpenPart, mayOpenBrace } from '../commands/open-line.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import { classifyCall, explainCall, explainSentence } from './call-shape.ts';
import { classifySet, isSurelyFish, toBashForms } from './fish-forms.ts';
import { type Grammar, grammarOf, makesOnly, UNKNOWN_GRAMMAR } from './grammar.ts';
import { type Lexed, lex, type WordToken } from './lexer.ts';
import { SPACED_ASSIGNMENT } from './paste.ts';
import { isRequest } from './sentence-mark.ts';
import type { ShellFacts } from './shell-facts.ts';
import { CALL, type Reason, SENTENCE, type SimpleCommand, type Statements, sentenceBy, type Verdict } from './statement.ts';
import { parseStatements } from './statements.ts';
import { classifyStructure, classifySyntaxError, findMention, isForeign, isWholeBlock } from './structure.ts';
import { LAYOUT_COUNT, meantCommands, onOtherLayout, plainWidth } from './typo.ts';
import {
  ENGLISH_NAMES,
  FOREIGN_FUNCTION_WORDS,
  FOREIGN_REPLIES,
  IMPERATIVES,
  isEnglish,
  isOtherScript,
  REPLIES,
  shapeOf,
  speechOf,
} from './words.ts';

/** A verdict with its reason. */
interface Classified extends Verdict {
  readonly because: Reason;
}

/**
 * Classifies whether an input without a prefix is for the shell, with the reason. If it is `closed`, the first line alone does not decide:
 * it may be what `classifyContinued` closed to see whether it is a block.
 */
export function classifyInput(input: string, facts: ShellFacts, { closed = false } = {}): Classified {
  const plain = plainWidth(input);
  if (facts.shell === 'fish' && isSurelyFish(plain)) return { isCall: true, because: { code: 'syntax' } };
  const text = facts.shell === 'fish' ? toBashForms(plain) : plain;
  if (/^\s*\^[^\s^][^^\n]*\^/.test(text)) return { isCall: true, because: { code: 'history-form' } };
  if (/^\s*#![^\n]*\b(ba|z|da|k)?sh\b/.test(text) || SPACED_ASSIGNMENT.test(text.trim()))
    return { isCall: true, because: { code: 'syntax' } };
  const known = withDefinitions(plain, facts);
  const lexed = lex(text, known.shell);
  const statements = parseStatements(lexed, known.shell);
  const { isCall, because } = classifyLine(text, lexed, statements, known, closed);
  if (isCall) return { isCall, because: because ?? explainCall(statements, known) };
  return { isCall, because: explainSentence(statements, known, because) };
}

/** `NAME() {` and `function NAME {`. */
const DEFINITION = /(?<![\w-])(?:function[ \t]+([\w-]{1,60})[ \t]{0,9}(?:\(\))?|([\w-]{1,60})[ \t]{0,9}\(\))[ \t\n]{0,9}\{/g;

/** `function NAME` of fish. */
const FISH_DEFINITION = /(?:^|[\n;])[ \t]*function[ \t]+([\w-]{1,60})/g;

/** The facts for a line that defines functions, which it may call itself. */
function withDefinitions(text: string, facts: ShellFacts): ShellFacts {
  if (facts.shell !== 'fish' && !text.includes('{')) return facts;
  const found = text.matchAll(facts.shell === 'fish' ? FISH_DEFINITION : DEFINITION);
  const names = new Set(Array.from(found, ([, keyword, bare]) => keyword ?? bare ?? ''));
  return names.size === 0 ? facts : { ...facts, knows: (word) => names.has(word) || facts.knows(word) };
}

function classifyLine(text: string, lexed: Lexed, statements: Statements, facts: ShellFacts, closed: boolean): Verdict {
  if (isForeign(statements, facts)) return SENTENCE;
  const verdict = classifyStatements(text, statements, facts);
  if (verdict.isCall) return verdict;
  if (isWholeBlock(lexed.tokens, facts)) return { isCall: true, because: { code: 'syntax' } };
  const structure = statements.valid ? classifyStructure(text, statements, facts) : classifySyntaxError(lexed.tokens, facts);
  return structure ?? (closed ? null : classifyContinued(text, facts)) ?? verdict;
}

/** An unfinished command, or block of zsh, stays a command whatever the next line contains: it never becomes part of a message. */
function classifyContinued(text: string, facts: ShellFacts): Verdict | null {
  const isBlock = facts.shell === 'zsh' && mayOpenBrace(text) && classifyInput(`${text}\n: }`, facts, { closed: true }).isCall;
  if (isBlock) return { isCall: true, because: { code: 'syntax' } };
  const end = text.indexOf('\n');
  const begun = text.slice(0, end);
  // Other languages open blocks in the same way.
  if (end < 0 || begun.trim() === '' || begun.trimEnd().endsWith('{') || !/^(block|operator)$/.test(findOpenPart(begun) ?? '')) return null;
  return classifyInput(begun, facts).isCall ? { isCall: true, because: { code: 'continued' } } : null;
}

function classifyStatements(text: string, statements: Statements, facts: ShellFacts): Verdict {
  if (!statements.valid) return classifyInvalid(text, facts);
  if (statements.commands.length === 0 && !statements.compound) return statements.open ? SENTENCE : CALL;
  const single = statements.commands.length === 1 && !statements.compound && !statements.open;
  let call = CALL;
  for (const [index, command] of statements.commands.entries()) {
    const verdict = classifySimple(command, facts, {
      first: index === 0 && (!statements.compound || statements.open),
      single,
      text,
      compound: statements.compound && !statements.open,
    });
    const isNamed = !verdict.isCall && namesBeside(command, statements.commands, facts);
    if (!verdict.isCall && !isNamed) return index === 0 ? (classifyLayouts(text, facts) ?? verdict) : verdict;
    if (index === 0 && verdict.isCall) call = verdict;
  }
  return call;
}

/**
 * `cd .. && touch outside`: next to a call with operands that no sentence has, one word of everyday English counts as a name if the command
 * is harmless, because it only reads, or only creates missing files.
 */
function namesBeside(command: SimpleCommand, all: readonly SimpleCommand[], facts: ShellFacts): boolean {
  const [name, word, ...more] = command.words;
  if (name === undefined || word === undefined || more.length > 0 || !facts.knows(name.value)) return false;
  const grammar = grammarOf(name.value);
  const isHarmless = grammar !== null && (makesOnly(grammar) || (grammar.takes === 'paths' && !grammar.changes));
  if (!isHarmless || shapeOf(word) !== 'plain' || !['none', 'search'].includes(speechOf(word.raw))) return false;
  return all.some((other) => other !== command && isSurely(other, facts));
}

/** A call with an option, a path or a glob. */
function isSurely(command: SimpleCommand, facts: ShellFacts): boolean {
  const hasProof = command.words.some((word, at) => at > 0 && /^(option|path|glob)$/.test(shapeOf(word)));
  return hasProof && classifySimple(command, facts, { first: false, single: false }).isCall;
}

/** A line that the shell could not parse is no call, unless it was typed with the wrong keyboard layout. */
function classifyInvalid(text: string, facts: ShellFacts): Verdict {
  return classifyLayouts(text, facts) ?? SENTENCE;
}

/** Longer than any name in the tables, even with a typo or a missing space. */
const LONGEST_NAME = 64;

/** Classifies the text that the same keys produce on the layout the user had in mind. */
function classifyLayouts(text: string, facts: ShellFacts): Verdict | null {
  const first = text.trim().split(/\s+/)[0] ?? '';
  const other = isOtherScript(first);
  if (!other && (isEnglish(first) || facts.knows(first) || grammarOf(first.toLowerCase()) !== null)) return null;
  if (first.length > LONGEST_NAME) return null;
  for (let index = other ? 0 : LAYOUT_COUNT - 1; index < LAYOUT_COUNT; index++) {
    const name = onOtherLayout(first, index);
    const word = /^[\w.-]+/.exec(name)?.[0] ?? '';
    if (
      name === first ||
      (!other && word !== name) ||
      word.length < 2 ||
      !facts.knows(word) ||
      grammarOf(word) === null ||
      (!other && word.length < 3)
    )
      continue;
    const typed = onOtherLayout(text.trim(), index);
    const statements = parseStatements(lex(typed));
    const words = statements.commands[0]?.words ?? [];
    if (statements.valid && words.length > 0 && classifyKnown(word, words.slice(1), facts).isCall) return typoOf(first, word);
  }
  return null;
}

const PLAIN: WordToken = { type: 'word', raw: '', value: '', quoting: 'none', expands: false, start: 0 };

interface Place {
  /** The first command at the beginning of the input. */
  readonly first: boolean;
  /** Within a loop, a conditional, a group, or a function. */
  readonly compound?: boolean;
  /** The input contains nothing else. */
  readonly single: boolean;
  /** The whole input. */
  readonly text?: string;
}

/** Words of sentences that users also give to files, after a redirection. */
const FILE_LIKE: ReadonlySet<string> = new Set('before after out in all both more other again now then'.split(' '));

function classifySimple(command: SimpleCommand, facts: ShellFacts, place: Place): Verdict {
  const [only, more] = command.words;
  if (only === undefined) return CALL;
  // `NAME= "ada"`: the shell reports the mistake.
  if (command.assignments.length > 0 && only.quoting === 'whole' && more === undefined) return missing(only.value);
  if (command.assignments.some(({ raw }) => /^\w+=$/.test(raw)) && command.words.length > 1) {
    if (!facts.knows(only.value)) return SENTENCE;
  }
  const spokenTarget = command.redirections.find(
    (target) => /^[\p{L}’']+$/u.test(target.raw) && speechOf(target.raw) === 'function' && !FILE_LIKE.has(target.raw),
  );
  if (spokenTarget !== undefined && !facts.hasFile(spokenTarget.value)) return sentenceBy(spokenTarget);
  const rival = command.redirections[0]?.value ?? '';
  if (command.words.length === 1 && facts.knows(rival) && !ENGLISH_NAMES.has(rival)) return SENTENCE;
  const late = wordAfterRedirection(command);
  if (late !== undefined) return sentenceBy(late);
  const mentioned = place.first && place.single ? findMention(command.words, facts) : null;
  if (mentioned !== null) return SENTENCE;
  return classifyWords(command.words, facts, {
    ...place,
    single: place.single && command.assignments.length === 0 && command.redirections.length === 0,
  });
}

/** A word of a sentence after the target of a redirection, where even `echo` takes no prose. */
function wordAfterRedirection(command: SimpleCommand): WordToken | undefined {
  const from = command.redirections[0]?.start ?? Number.POSITIVE_INFINITY;
  return command.words.find((word) => {
    if (word.start < from) return false;
    const shape = shapeOf(word);
    return shape === 'spoken' || (shape === 'plain' && ['function', 'state', 'foreign'].includes(speechOf(word.raw)));
  });
}

function classifyWords(words: readonly WordToken[], facts: ShellFacts, place: Place): Verdict {
  const [first, ...rest] = words;
  if (first === undefined) return CALL;
  if (/^!([!$^*#]|-?\d)/.test(first.raw)) return classifyExpanded(first, rest, facts);
  if (first.expands) return classifyExpanded(first, rest, facts);
  const name = first.value;
  if (first.quoting === 'whole' && /\s/.test(name) && !name.includes('/')) return SENTENCE;
  if (isPathName(first)) return classifyPath(first, rest, facts);
  if (/^\[/.test(name) && name !== '[') return isTest(first, rest) ? typoOf(name, `[ ${name.slice(1)}`) : SENTENCE;
  if (isRequest(words, facts)) return SENTENCE;
  if (facts.knows(name)) return classifyKnownWord(name, rest, facts, place);
  return classifyUnknown(first, rest, facts, place);
}

function classifyKnownWord(name: string, rest: readonly WordToken[], facts: ShellFacts, place: Place): Verdict {
  const [next] = rest;
  if (KEYWORD.test(name)) return SENTENCE;
  if (place.single && next === undefined && REPLY.test(name)) return SENTENCE;
  const set =
    facts.shell === 'fish' && name === 'set' ? classifySet(rest, { facts, text: place.text ?? '', isSingle: place.single }) : null;
  if (set !== null) return set;
  if (place.single && next !== undefined && name === 'yes' && shapeOf(next) === 'plain') return SENTENCE;
  return classifyKnown(name, rest, facts);
}

/** `[-f notes ]`: a test without the space after its bracket. */
function isTest({ raw }: WordToken, rest: readonly WordToken[]): boolean {
  return /^\[(-[a-zA-Z]|[!"$].*)$/.test(raw) && rest.at(-1)?.raw === ']';
}

const KEYWORD = /^(then|elif|else|fi|do|done|in|esac|if|for|while|until|case|select|function|\}|\]\])$/;
/** Commands that are also replies, and do nothing useful alone. */
const REPLY = /^(yes|continue|nice)$/;

function classifyKnown(name: string, rest: readonly WordToken[], facts: ShellFacts): Verdict {
  const grammar = grammarOf(name, facts.shell) ?? UNKNOWN_GRAMMAR;
  return classifyCall(name, rest, grammar, facts, (words) =>
    classifyWords(words, facts, { first: ENGLISH_NAMES.has(name), single: false }),
  );
}

/** `$EDITOR x`, `$(which python) -V`, `` `pwd`/run ``: an expansion in command position. */
function classifyExpanded(first: WordToken, rest: readonly WordToken[], facts: ShellFacts): Verdict {
  if (/^\$\d/.test(first.raw) && !/^\$\d$/.test(first.raw)) return SENTENCE;
  const isCode = /^`[^`]+`$/.test(first.raw);
  if (isCode && rest.some((word) => shapeOf(word) === 'plain' && isEnglish(word.value))) return SENTENCE;
  return classifyCall('', rest, UNKNOWN_GRAMMAR, facts, () => CALL);
}

/** Words with a slash that are not paths. */
const ALTERNATIVES = joinedRegExp(
  'i',
  String.raw`^(and\/or|yes\/no|y\/n|he\/she|n\/a|w\/o|w\/|tcp\/ip|i\/o|a\/b|on\/off|true\/false|client\/server|his\/her`,
  String.raw`|either\/or|input\/output)$`,
);

function isPathName(first: WordToken): boolean {
  const name = first.value;
  if (/^(\.\.?|~[\w-]*)$/.test(first.raw)) return true;
  if (!name.includes('/')) return false;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) return false;
  if (/\d/.test(name) && /^[\d\s+*/%().,-]+$/.test(name)) return false;
  return !/^\w+\/\w+$/.test(name) || !ALTERNATIVES.test(name);
}

function classifyPath(first: WordToken, rest: readonly WordToken[], facts: ShellFacts): Verdict {
  if (/[,;:!]$|[^*]\?$/.test(first.raw) && rest.length > 0) return SENTENCE;
  return classifyCall('', rest, UNKNOWN_GRAMMAR, facts, () => CALL);
}

function classifyUnknown(first: WordToken, rest: readonly WordToken[], facts: ShellFacts, place: Place): Verdict {
  const name = first.value;
  if (rest.length === 0 && facts.hasFile(name) === true) return CALL;
  const lower = name.toLowerCase();
  if (lower !== name && facts.knows(lower)) return classifyCapitals(name, lower, rest, facts);
  const shape = shapeOf(first);
  const blank = classifyMissingBlank(name, rest, facts);
  if (blank !== null) return blank;
  if (shape === 'spoken' || shape === 'mark' || shape === 'number' || isOtherScript(name)) return SENTENCE;
  if (rest.length === 0 && place.compound && shape === 'plain') return CALL;
  if (isTalk(lower) && grammarOf(name) === null) return classifyTypo(lower, rest, facts, { word: true }) ?? SENTENCE;
  return (
    classifyTool(name, rest, facts) ?? classifyTypo(lower, rest, facts, { word: false }) ?? classifyUnknownCall(name, rest, facts, place)
  );
}

function typoOf(typed: string, meant: string): Verdict {
  return { isCall: true, because: { code: 'typo', typed, meant } };
}

function missing(name: string): Verdict {
  return { isCall: true, because: { code: 'missing', name } };
}

function isTalk(word: string): boolean {
  return REPLIES.has(word) || FOREIGN_REPLIES.has(word) || isEnglish(word) || FOREIGN_FUNCTION_WORDS.has(word);
}

/** `Ls`, `GIT STATUS`, `Make install`: a capital is a typo if the rest is a call, and otherwise begins a sentence. */
function classifyCapitals(name: string, lower: string, rest: readonly WordToken[], facts: ShellFacts): Verdict {
  if (rest.length === 0)
    return KEYWORD.test(lower) || REPLY.test(lower) || /^(help|time|read|write)$/.test(lower) ? SENTENCE : typoOf(name, lower);
  const shouted = name.length > 1 && name === name.toUpperCase();
  const words = shouted ? rest.map((word) => ({ ...word, raw: word.raw.toLowerCase(), value: word.value.toLowerCase() })) : rest;
  const verdict = classifyKnown(lower, words, facts);
  if (!verdict.isCall) return verdict;
  if (!ENGLISH_NAMES.has(lower)) return typoOf(name, lower);
  const grammar = grammarOf(lower);
  const proof = words.some((word) => shapeOf(word) !== 'plain' || facts.hasFile(word.value) === true);
  const known =
    grammar?.subcommands.has(words[0]?.value ?? '') === true ||
    isUsualTarget(grammar, words) ||
    (grammar?.takes === 'pages' && words.every((word) => facts.knows(word.value)));
  return proof || known ? typoOf(name, lower) : SENTENCE;
}

function isUsualTarget(grammar: Grammar | null, words: readonly WordToken[]): boolean {
  return grammar?.roles.has('target') === true && words.length === 1 && /^(clean|install|build|all|test)$/.test(words[0]?.value ?? '');
}

/** A known but missing tool: its line goes to the shell, which reports that, if it has options, paths or a subcommand. */
function classifyTool(name: string, rest: readonly WordToken[], facts: ShellFacts): Verdict | null {
  const grammar = grammarOf(name);
  if (grammar === null) return null;
  if (rest.length === 0 || (grammar.takes === 'text' && shapeOf(rest[0] ?? PLAIN) !== 'option')) return SENTENCE;
  const verdict = classifyKnown(name, rest, facts);
  if (!verdict.isCall) return verdict;
  return rest.some((word) => shapeOf(word) !== 'plain') || grammar.subcommands.has(rest[0]?.value ?? '') ? missing(name) : SENTENCE;
}

/** `cd..`, `ls-la`, `gitstatus`: a missing space. */
function classifyMissingBlank(name: string, rest: readonly WordToken[], facts: ShellFacts): Verdict | null {
  const marked = /^([a-z]{2,})(\.{2,}\/?|\.\/?|-[a-zA-Z]*|~)$/.exec(name);
  const isKnown = (word: string): boolean => facts.knows(word) && grammarOf(word) !== null;
  if (marked !== null && isKnown(marked[1] ?? '') && classifyKnown(marked[1] ?? '', rest, facts).isCall) {
    if (!/^-[a-z]{4,}$/.test(marked[2] ?? '')) return typoOf(name, `${marked[1]} ${marked[2]}`);
  }
  if (name.length > LONGEST_NAME) return null;
  for (let at = 2; at < name.length - 1; at++) {
    const [head, tail] = [name.slice(0, at), name.slice(at)];
    const grammar = isKnown(head) ? grammarOf(head) : null;
    const fits =
      grammar?.subcommands.has(tail) === true || (grammar?.takes === 'command' && isKnown(tail) && grammar.spec.effect === 'privileged');
    if (fits && !isEnglish(name)) {
      const token: WordToken = { type: 'word', raw: tail, value: tail, quoting: 'none', expands: false, start: 0 };
      const verdict = classifyKnown(head, [token, ...rest], facts);
      if (verdict.isCall) return typoOf(name, `${head} ${tail}`);
    }
  }
  return null;
}

/** A typo of a known command, alone or with operands that only a call has. */
function classifyTypo(name: string, rest: readonly WordToken[], facts: ShellFacts, typed: { readonly word: boolean }): Verdict | null {
  if (typed.word && (IMPERATIVES.has(name) || rest.length === 0)) return null;
  let refused: Verdict | null = null;
  for (const meant of meantCommands(name, (word) => facts.knows(word), { alone: rest.length === 0 })) {
    if (rest.length === 0) return typoOf(name, meant);
    if (typed.word && !isProvenCall(name, meant, rest)) continue;
    const verdict = classifyKnown(meant, rest, facts);
    if (verdict.isCall && hasOperandsOf(meant, name, rest, facts)) return typoOf(name, meant);
    refused ??= verdict.isCall ? SENTENCE : verdict;
  }
  return refused;
}

/** Operands that only a call has: after a typo a bare word proves less than after the command itself. */
function hasOperandsOf(meant: string, name: string, rest: readonly WordToken[], facts: ShellFacts): boolean {
  const grammar = grammarOf(meant);
  if (rest.some((word) => shapeOf(word) !== 'plain' || facts.hasFile(word.value) === true)) return true;
  if (grammar !== null && (grammar.subcommands.size > 0 || /^(command|text)$/.test(grammar.takes))) return true;
  return rest.length === 1 && name.length > 2;
}

/** An English word is a typo of a command only before options, a subcommand, or paths. */
function isProvenCall(name: string, meant: string, rest: readonly WordToken[]): boolean {
  if (rest.some((word) => /^-{1,2}[a-zA-Z]/.test(word.raw))) return true;
  if (grammarOf(meant)?.subcommands.has(rest[0]?.value ?? '') === true) return true;
  return !isEnglish(name) && rest.every((word) => shapeOf(word) === 'path');
}

/** An unknown name is a call if it has options or paths, and no prose. */
function classifyUnknownCall(name: string, rest: readonly WordToken[], facts: ShellFacts, place: Place): Verdict {
  if (!/^[a-zA-Z_][\w.+-]*$/.test(name)) return SENTENCE;
  if (rest.length === 0) {
    if (/\.(sh|bash|zsh|py|rb|pl|js|run|bin|exe|appimage)$/i.test(name)) return SENTENCE;
    return place.first || place.single ? SENTENCE : CALL;
  }
  const strong = rest.filter((word) => ['option', 'path'].includes(shapeOf(word)) && word.raw !== '-' && word.raw !== '--').length;
  const plain = rest.filter((word) => ['plain', 'spoken', 'mark'].includes(shapeOf(word)));
  const verdict = classifyCall(name, rest, UNKNOWN_GRAMMAR, facts, () => CALL);
  if (strong > 0 && verdict.isCall && plain.length <= 1 && !/^[A-Z]/.test(name)) return missing(name);
  return SENTENCE;
}
