import { type Grammar, grammarOf, innerWords, NAMES, takesAny, UNKNOWN_GRAMMAR } from './grammar.ts';
import type { WordToken } from './lexer.ts';
import { classifyOperands } from './operand-doubt.ts';
import { findSentenceMark } from './sentence-mark.ts';
import type { ShellFacts } from './shell-facts.ts';
import {
  CALL,
  type Evidence,
  type Operand,
  type Reason,
  SENTENCE,
  SHAPES,
  type Statements,
  sentenceBy,
  type Verdict,
} from './statement.ts';
import { isOneTypo } from './typo.ts';
import { isEnglish, isOtherScript, NOTED, SAID, SCRIPT_WORDS, shapeOf, speechOf, TOOL_OPTIONS, VERBS_OF_COMMAND } from './words.ts';

/** Classifies a command that is an operand of another. */
type ClassifyWords = (words: readonly WordToken[]) => Verdict;

/** Classifies whether the words after a command's name are its operands. */
export function classifyCall(
  name: string,
  words: readonly WordToken[],
  grammar: Grammar,
  facts: ShellFacts,
  classify: ClassifyWords,
): Verdict {
  const operands = words.slice(0, MOST_OPERANDS).map((word) => toOperand(word, grammar, facts));
  const named = grammar.roles.has('process-name') && operands[0]?.shape === 'option' ? operands.slice(1) : [];
  if (named.length > 0 && named.every(({ word, shape }) => shape === 'option' || facts.knows(word.value))) return CALL;
  if (arePages(operands, grammar, facts)) return CALL;
  if (isForeignVariable(operands, grammar)) return SENTENCE;
  if (grammar.takes === 'command') return classifyRunner(operands, grammar, classify);
  if (grammar.takes === 'text') return classifyText(name, operands, grammar);
  const known = knownWords(name, words, facts);
  if (known > 0) return sayAnything(operands.slice(known)) ?? stateOf(operands.slice(known)) ?? CALL;
  const spoken = classifySpeech(operands, grammar, facts);
  if (spoken !== null) return spoken;
  if (grammar.takes === 'subcommand') return classifySubcommand(name, operands, grammar);
  return classifyOperands(name, operands, grammar);
}

/** `type which time if`: only names of commands, after a command that explains them. */
function arePages(operands: readonly Operand[], { takes }: Grammar, facts: ShellFacts): boolean {
  if (takes !== 'pages') return false;
  const names = operands.filter(({ shape }) => shape !== 'option');
  return names.length > 1 && names.every(({ word }) => facts.knows(word.value));
}

/** `local int x = 5`, `let x = 5`: spaces around the equals sign, which no shell allows. */
function isForeignVariable(operands: readonly Operand[], grammar: Grammar): boolean {
  const at = operands.findIndex(({ word }) => word.raw === '=');
  const isOfShell = /^[A-Z\d_]+$/.test(operands[at - 1]?.word.raw ?? '');
  return at >= 0 && !isOfShell && takesAny(grammar, 'variable', 'arithmetic');
}

/** The maximum number of examined operands. */
export const MOST_OPERANDS = 400;

/** A word as an operand, kept on the word: each rule asks for it anew. */
class SeenOperand {
  readonly operand: Operand;
  readonly grammar: Grammar;
  readonly facts: ShellFacts;

  constructor(word: WordToken, grammar: Grammar, facts: ShellFacts) {
    this.operand = makeOperand(word, grammar, facts);
    this.grammar = grammar;
    this.facts = facts;
  }
}

/** A word with all its properties as an operand of a command. */
export function toOperand(word: WordToken, grammar: Grammar, facts: ShellFacts): Operand {
  const { seen } = word;
  // A copy with other letters has its reading from the original.
  if (seen instanceof SeenOperand && seen.operand.word === word && seen.grammar === grammar && seen.facts === facts) return seen.operand;
  const now = new SeenOperand(word, grammar, facts);
  word.seen = now;
  return now.operand;
}

function makeOperand(word: WordToken, grammar: Grammar, facts: ShellFacts): Operand {
  // `bob:`, `host:`
  const isPlace = word.raw.endsWith(':') && takesAny(grammar, 'owner', 'remote-path') && /^[\w.-]+:$/.test(word.raw);
  const shape = isPlace ? 'name' : isDots(word, grammar) ? 'path' : shapeOf(word);
  const isConstant = shape === 'name' && /^[A-Z][A-Z\d_]+$/.test(word.raw) && !/^(THE|NOT|AND|IS|ALL|IT|TO)$/.test(word.raw);
  const exists = findThing(word.value, grammar, facts);
  const speech =
    exists !== null || isPlace || isConstant || (shape !== 'plain' && shape !== 'spoken' && shape !== 'name') ? 'none' : speechOf(word.raw);
  return { word, shape, speech, exists };
}

/** `cd ...`: no folder, but meant as one. */
function isDots(word: WordToken, grammar: Grammar): boolean {
  return /^\.{3,6}$/.test(word.raw) && grammar.takes === 'paths' && takesAny(grammar, 'folder') && !grammar.changes;
}

/** The existing thing with this name: a file, a branch or tag of git, a host of ssh, a container. */
function findThing(value: string, grammar: Grammar, facts: ShellFacts): Operand['exists'] {
  if (facts.hasFile(value.endsWith('/') ? value.slice(0, -1) : value) === true) return 'file';
  const isHost = takesAny(grammar, 'host', 'remote-path');
  if (isHost && facts.hasHost(value.replace(/^[\w.-]+@/, '').replace(/:$/, ''))) return 'host';
  if (takesAny(grammar, 'container') && facts.hasContainer(value)) return 'container';
  return takesAny(grammar, 'branch', 'ref') && facts.hasRef(value) ? 'ref' : null;
}

/** Number of words after the name that belong to a known subcommand or target. */
function knownWords(name: string, words: readonly WordToken[], facts: ShellFacts): number {
  const [first, second] = words.map((word) => word.value);
  if (first === undefined) return 0;
  if (second !== undefined && facts.knowsCall(`${name} ${first} ${second}`)) return 2;
  // Each of several targets counts.
  const other = words.findIndex(({ value }) => !facts.knowsCall(`${name} ${value}`));
  return other < 0 ? words.length : other;
}

function stateOf(operands: readonly Operand[]): Verdict | null {
  const state = operands.find(({ speech, shape }) => speech === 'state' && shape === 'plain');
  return state === undefined ? null : sentenceBy(state.word);
}

/** Words that cannot be operands of any command. */
function classifySpeech(operands: readonly Operand[], grammar: Grammar, facts: ShellFacts): Verdict | null {
  const pages = grammar.takes === 'pages' || operands[0]?.word.value === 'help';
  const isPage =
    pages && operands.filter(({ shape }) => shape !== 'option').every(({ word }) => facts.knows(word.value) || word.value === 'help');
  const inner = new Set(operands.flatMap(({ word }) => [...(grammar.subcommands.get(word.value)?.subcommands.keys() ?? [])]));
  const counted = operands.filter((operand, index) => {
    if (inner.has(operand.word.value) || isSetting(operands, index)) return false;
    return !isProper(operand, grammar, isPage, facts);
  });
  return saidBy(counted, operands, grammar === UNKNOWN_GRAMMAR) ?? foreignSpeech(counted, grammar);
}

/** `--restart always`, `--color never`: the value of a long option. */
function isSetting(operands: readonly Operand[], index: number): boolean {
  const before = operands[index - 1];
  return /^(always|never|no|both|none|all|any|on|off)$/.test(operands[index]?.word.raw ?? '') && /^--[a-z]/.test(before?.word.raw ?? '');
}

/** Operands that look like prose and are not: the command's own words, manual pages of known commands. */
function isProper(operand: Operand, grammar: Grammar, pages: boolean, facts: ShellFacts): boolean {
  const value = operand.word.value;
  if (operand.exists !== null || grammar.words.has(value.toLowerCase())) return true;
  if (grammar.subcommands.has(value)) return true;
  return pages && operand.shape === 'plain' && facts.knows(value);
}

function sayAnything(operands: readonly Operand[]): Verdict | null {
  return saidBy(operands, operands);
}

function saidBy(counted: readonly Operand[], all: readonly Operand[], own = false): Verdict | null {
  const said =
    counted.find(({ speech, shape }) => speech === 'function' || shape === 'spoken') ??
    counted.find((operand) => operand.shape === 'mark' && all[all.indexOf(operand) - 1]?.shape !== 'option');
  if (said !== undefined) return sentenceBy(said.word);
  return doubtfulSpeech(counted, all, own);
}

/** `a`, `up`, `on`, `so` count next to another plain word. */
function doubtfulSpeech(counted: readonly Operand[], all: readonly Operand[], own: boolean): Verdict | null {
  const doubtful = counted.filter(({ speech, word }) => speech === 'doubtful' && !(own && /^(now|later|up|down)$/.test(word.raw)));
  const spoken = doubtful.find((operand) => {
    const next = all[all.indexOf(operand) + 1];
    const before = all[all.indexOf(operand) - 1];
    const isWord = (other: Operand | undefined): boolean => other !== undefined && other.shape === 'plain' && other.word.raw.length > 2;
    return operand.word.raw.length === 1 ? isWord(next) : isWord(next) || isWord(before) || all.length === 1;
  });
  return spoken === undefined ? null : sentenceBy(spoken.word);
}

function foreignSpeech(counted: readonly Operand[], grammar: Grammar): Verdict | null {
  const plain = counted.filter(({ shape }) => shape === 'plain' || shape === 'name' || shape === 'spoken');
  if (plain.length > 1 && plain.some(({ speech }) => speech === 'foreign')) return SENTENCE;
  const weak = plain.filter(({ speech }) => speech === 'weak-foreign').length;
  const accented = plain.some(({ word, shape }) => shape === 'plain' && /[^\x00-\x7f]/.test(word.raw));
  if (accented && !/^(paths|pattern|text|pages)$/.test(grammar.takes) && grammar !== UNKNOWN_GRAMMAR) return SENTENCE;
  if (plain.length > 2 && (weak >= 2 || (weak >= 1 && accented))) return SENTENCE;
  return scriptSpeech(plain, grammar);
}

const SCRIPT_SPEECH =
  /[吗嗎呢吧怎么麼什为為我你他她它的了是不没沒请請在如何能可以这這那后後还還把は が をにのですますかくだしてない해요니다까는을를이가]/u;
/** Verbs of requests in languages without spaces: delete, all, stop, install, move, find. */
const SCRIPT_WISH =
  /删除|刪除|所有|全部|清理|清空|重启|重啟|停止|安装|安裝|移动|移動|复制|複製|查找|帮|幫|哪|削除|消し|全て|すべて|入れ|止め|삭제|모두|전부|지워|설치|중지/u;

/** `app的副本` is a name; `大于100M的文件` are words with a number. */
function isMostlyLatin(word: string): boolean {
  const latin = word.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin > 0 && latin * 2 >= (word.match(/\p{L}/gu)?.length ?? 0);
}

function scriptSpeech(plain: readonly Operand[], grammar: Grammar): Verdict | null {
  const other = plain.filter(({ word, shape }) => isOtherScript(word.raw) && (shape !== 'name' || !isMostlyLatin(word.raw)));
  const first = other[0];
  if (first === undefined) return null;
  const free = grammar.takes === 'paths' || grammar.takes === 'pattern';
  const said = other.some(
    ({ word }) =>
      SCRIPT_WISH.test(word.raw) || SCRIPT_WORDS.has(word.raw.toLowerCase()) || (word.raw.length > 2 && SCRIPT_SPEECH.test(word.raw)),
  );
  if (free && !said && other.length <= (grammar.changes ? 1 : 2)) return null;
  return SENTENCE;
}

/** Words that may precede that verb: `echo still prints it twice`, but not `echo still here`. */
const BEFORE_VERB = /^(never|still|always|only|just)$/;
/** The same after operands of the command: `echo -n does not work`, `echo $? returns 1 after grep`. */
const VERB_AFTER_OPERANDS =
  /^(is|isn't|isnt|was|wasn't|does|doesn't|doesnt|has|can't|won't|outputs|expands|equals|gives|prints|shows|returns|fails|works)$/;
const TOPIC_OF_COMMAND = /^(not|command|with|to|into|inside|of|as)$/;

/** Programs such as echo take any words, unless the sentence is about the program. */
function classifyText(name: string, operands: readonly Operand[], grammar: Grammar): Verdict {
  const at = operands.findIndex(({ shape, word }) => !/^(expansion|quoted|option|glob)$/.test(shape) && !word.raw.includes('*'));
  const about = spelt(operands[at]);
  const verb = BEFORE_VERB.test(about) ? spelt(operands[at + 1]) : about;
  const isTalk =
    at === 0
      ? (VERBS_OF_COMMAND.has(verb) && operands.length > 1) || (TOPIC_OF_COMMAND.test(about) && isUnquoted(operands))
      : VERB_AFTER_OPERANDS.test(about) && operands.length > at + 1;
  if (isTalk) return SENTENCE;
  const isAsked = NOTED.has(name) && operands.at(-1)?.word.raw.endsWith('?') === true;
  const isWanted = SAID.has(name) && /^(something|anything|everything|more)$/.test(about);
  if (isAsked || isWanted) return SENTENCE;
  if (operands.some(runsChange) && findSentenceMark(operands, ALL_SAID) !== null) return SENTENCE;
  if (takesAny(grammar, 'expression', 'arithmetic')) return classifyExpression(name, operands);
  return CALL;
}

const ALL_SAID = { isFree: () => false, knows: () => false, longest: 3 };

/** An operand in which the shell would run a command that may change something: `` `rm -rf cache` ``. */
function runsChange({ word }: Operand): boolean {
  const inner = word.expands ? /(?:`|\$\()\s*([\w.-]+)/.exec(word.raw)?.[1] : undefined;
  return inner !== undefined && grammarOf(inner)?.changes !== false;
}

function spelt(operand: Operand | undefined): string {
  return operand?.word.raw.toLowerCase().replace(/’/g, "'") ?? '';
}

function isUnquoted(operands: readonly Operand[]): boolean {
  return operands.length > 2 && !operands.some(({ shape }) => shape === 'quoted');
}

function classifyExpression(name: string, operands: readonly Operand[]): Verdict {
  const spoken = saidBy(operands, operands) ?? foreignSpeech(operands, NAMES);
  if (spoken !== null) return spoken;
  const plain = operands.filter(({ shape }) => shape === 'plain');
  const proof = operands.some(
    ({ shape, word }) => (shape !== 'plain' && shape !== 'spoken') || /^(=|==|!=|\+|length|index|substr|match)$/.test(word.raw),
  );
  if (name === '[' && operands.at(-1)?.word.raw !== ']') return SENTENCE;
  if (name === '[' && operands.length === 1) return SENTENCE;
  if (!proof && plain.length > 0 && !plain.every(({ exists }) => exists !== null)) return SENTENCE;
  if (plain.some(({ speech }) => speech === 'state') && plain.length > 1) return SENTENCE;
  return CALL;
}

/** Everyday English in the position of a number or name before the command. */
function isSaid({ shape, word, exists }: Operand): boolean {
  return shape === 'spoken' || (shape === 'plain' && exists === null && isEnglish(word.value.toLowerCase()));
}

/** `sudo`, `time`, `xargs`: the words after their own operands must be a call. */
function classifyRunner(operands: readonly Operand[], grammar: Grammar, classify: ClassifyWords): Verdict {
  const words = operands.map(({ word }) => word);
  const rest = innerWords(grammar, words);
  const [first] = rest;
  const isBare = ({ shape, exists }: Operand, index: number): boolean =>
    shape === 'plain' && exists === null && operands[index - 1]?.shape !== 'option';
  if (first === undefined) return operands.some(isBare) ? SENTENCE : CALL;
  const at = words.indexOf(first);
  const before = operands.slice(0, at);
  const options = before.filter(({ shape }) => shape === 'option').length;
  const spoken = before.find((operand, index) => isSaid(operand) && before[index - 1]?.shape !== 'option');
  if (spoken !== undefined) return sentenceBy(spoken.word);
  if (grammar.spec.inner?.script !== undefined && (first.quoting === 'whole' || first.expands)) return CALL;
  if (operands[at]?.shape === 'mark') return SENTENCE;
  const verdict = classify(rest);
  if (verdict.isCall || options === 0) return verdict;
  return sayAnything(operands) ?? (rest.length === 1 ? CALL : verdict);
}

function classifySubcommand(name: string, operands: readonly Operand[], grammar: Grammar): Verdict {
  const at = operands.findIndex((operand, index) => operand.shape !== 'option' && !takesValue(operands[index - 1]));
  const first = operands[at];
  if (first === undefined) return CALL;
  const inner = grammar.subcommands.get(first.word.value);
  const rest = operands.slice(at + 1);
  if (inner !== undefined) return classifyInner(name, first, rest, inner);
  if (first.shape !== 'plain' && first.shape !== 'name') return classifyOperands(name, operands, NAMES);
  if (first.shape === 'name' && /[@%:=]/.test(first.word.raw)) return classifyOperands(name, operands, NAMES);
  const near = nearSubcommand(first.word.value, grammar);
  if (near !== null) return classifyInner(name, first, rest, near);
  if (rest.length === 0 && first.speech !== 'state' && !isEnglish(first.word.value.toLowerCase())) return CALL;
  if (rest.every(({ shape }) => shape === 'option' || shape === 'path') && !isEnglish(first.word.value.toLowerCase())) return CALL;
  return SENTENCE;
}

function takesValue(option: Operand | undefined): boolean {
  return option !== undefined && TOOL_OPTIONS.has(option.word.raw);
}

function nearSubcommand(word: string, grammar: Grammar): Grammar | null {
  if (word.length < 3 || isEnglish(word)) return null;
  for (const [name, inner] of grammar.subcommands) if (name.length > 2 && isOneTypo(word, name)) return inner;
  return null;
}

function classifyInner(name: string, first: Operand, rest: readonly Operand[], inner: Grammar): Verdict {
  const whole = `${name} ${first.word.value}`;
  if (inner.takes === 'command') {
    const proper = rest.some(({ shape }) => shape !== 'plain');
    return classifyOperands(whole, rest, { ...NAMES, changes: !proper });
  }
  if (inner.takes !== 'subcommand') return classifyOperands(whole, rest, inner);
  const at = rest.findIndex((operand, index) => operand.shape !== 'option' && !takesValue(rest[index - 1]));
  const second = rest[at];
  if (second === undefined) return CALL;
  const known = inner.subcommands.get(second.word.value) ?? nearSubcommand(second.word.value, inner);
  if (known?.takes === 'command' && rest.length > at + 2) return CALL;
  if (known !== null) return classifyOperands(whole, rest.slice(at + 1), known);
  if (second.shape !== 'plain' || rest[0]?.shape === 'option') return classifyOperands(whole, rest, { ...NAMES, changes: inner.changes });
  return SENTENCE;
}

/** The reason found in the words of a call. */
export function explainCall({ commands, compound, trailing }: Statements, facts: ShellFacts): Reason {
  const [command, other] = commands;
  const [first, ...rest] = command?.words ?? [];
  if (compound || command === undefined || first === undefined || first.expands) return { code: 'syntax' };
  const name = first.value;
  if (!facts.knows(name)) return { code: 'path', path: first.raw };
  const shown = findOperand(name, rest, facts);
  if (shown !== null) return { code: 'command', name, by: shown };
  const operator = other?.after.trim() || (trailing ? '&' : '');
  const [target] = command.redirections;
  if (operator !== '') return { code: 'command', name, by: { type: 'operator', word: operator } };
  if (target !== undefined) return { code: 'command', name, by: { type: 'redirection', word: target.raw } };
  if (rest.length === 0) return { code: 'command', name, by: { type: 'alone' } };
  return { code: 'command', name, by: { type: grammarOf(name, facts.shell)?.takes === 'text' ? 'text' : 'words' } };
}

/** The reason for a sentence: the command's name it begins with, and the word that makes it a sentence. */
export function explainSentence({ commands }: Statements, facts: ShellFacts, because: Reason | null): Reason {
  const name = commands[0]?.words[0]?.value ?? '';
  return { code: 'prose', name: facts.knows(name) ? name : null, word: because?.code === 'prose' ? because.word : null };
}

/** The maximum number of operands searched for one to show. */
const MOST_SHOWN = 20;

/** The most telling operand; none if the command takes any words. */
function findOperand(name: string, words: readonly WordToken[], facts: ShellFacts): Evidence | null {
  const grammar = grammarOf(name, facts.shell) ?? UNKNOWN_GRAMMAR;
  const [next] = words;
  if (next === undefined) return null;
  if (facts.knowsCall(`${name} ${next.value}`)) return { type: 'target', word: next.value };
  if (grammar.takes === 'text') return null;
  const operands = words.slice(0, MOST_SHOWN).map((word) => toOperand(word, grammar, facts));
  for (const { word, exists } of operands) if (exists !== null) return { type: exists, word: word.raw };
  for (const type of SHAPES) {
    const shown = operands.find(({ shape }) => shape === type);
    if (shown !== undefined) return { type, word: shown.word.raw };
  }
  return grammar.subcommands.has(next.value) ? { type: 'subcommand', word: next.value } : null;
}
