import { findOpenPart } from '../commands/open-line.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import { toOperand } from './call-shape.ts';
import { classifyInput } from './classify-input.ts';
import { isSurelyFish } from './fish-forms.ts';
import { grammarOf, UNKNOWN_GRAMMAR } from './grammar.ts';
import { lex } from './lexer.ts';
import { pasteKind } from './paste.ts';
import { findSentenceMark } from './sentence-mark.ts';
import type { EarlierLine, ShellFacts } from './shell-facts.ts';
import type { Reason } from './statement.ts';
import { seeCall } from './structure.ts';
import { isEnglish, isOtherScript, USUAL_NAMES } from './words.ts';

/**
 * Routes a line by its first mark, else by the shell's reading of it: a call goes to the shell; a sentence, or text pasted from elsewhere,
 * goes to the model. In doubt the line goes to the model, which changes nothing by itself.
 */
export function routeLine(line: string, facts: ShellFacts): Route {
  const text = line.trim();
  if (text === '') return { type: 'nothing' };
  const marked = readFirstMark(line);
  if (marked !== null) return marked;
  if (facts.shell !== 'fish' && JOB_SPEC.test(text)) return { type: 'command', text: line, because: { code: 'handle', of: 'job' } };
  const behind = /^[$%]\s+([^\s\n][^\n]*)$/.exec(text)?.[1];
  if (behind !== undefined) return routeDocumented(text, behind, facts);
  const earlier = facts.history.find(text);
  if (earlier?.isSame === true && earlier.to === 'command')
    return { type: 'command', text: line, because: { code: 'earlier', ...earlier } };
  const isOwn = (facts.shell === 'fish' && isSurelyFish(text)) || (facts.shell === 'zsh' && ZSH_BLOCK.test(text));
  const kind = isOwn ? null : pasteKind(text);
  if (kind !== null) return { type: 'message', text, because: { code: 'paste', kind } };
  const { isCall, because } = classifyInput(line, facts);
  if (isCall && isChosenMessage(text, because, earlier)) return { type: 'message', text, because: { code: 'earlier', ...earlier } };
  if (isCall) return { type: 'command', text: line, because };
  const doubt = findDoubt(text, facts);
  if (doubt !== null && !facts.asksModel) return { type: 'command', text: line, because: { ...doubt, asks: false } };
  return { type: 'message', text, because: doubt?.name == null ? because : doubt };
}

/** A job alone, which the shell resumes: `%`, `%+`, `%-`, `%?text`; a number behind `%` may be an output, too. */
const JOB_SPEC = /^%(?:[%+-]|\?\S+)?(?:\s*&)?$/;

/** The head of a block in braces that no other language has: `if [[ … ]] {`, `while ((…)) {`, `for f (*.txt) {`. */
const ZSH_BLOCK = joinedRegExp(
  '',
  String.raw`^(?:(?:if|while|until)\s+(?:!\s+)?(?:\[\[\s[^\n]*\s\]\]|\(\([^\n]*\)\))`,
  String.raw`|(?:for|select)\s+\w+\s+\([^()\n;]*\)|for\s+\(\([^\n]*\)\))\s*;?\s*\{`,
);

/** One line of documentation is the command behind its prompt: `$ npm test`. */
function routeDocumented(text: string, behind: string, facts: ShellFacts): Route {
  const route = /^[:?!]/.test(behind) ? null : routeLine(behind, facts);
  if (route?.type === 'command') return route;
  return { type: 'message', text, because: { code: 'paste', kind: 'transcript' } };
}

/** Whether the user sent such a line to the model before, and only bare words show a call. A similar line must be everyday English. */
function isChosenMessage(text: string, because: Reason, earlier: EarlierLine | null): earlier is EarlierLine {
  if (earlier?.to !== 'message' || because.code !== 'command') return false;
  const { type } = because.by;
  if (type !== 'words' && type !== 'subcommand') return false;
  const [, , ...words] = text.split(/\s+/);
  if (words.length === 0) return earlier.isSame && type === 'words';
  return earlier.isSame || words.every((word) => isEnglish(word) && !USUAL_NAMES.has(word));
}

/** Forms in which `!` belongs to the shell: its negation and its history. */
const KEEPS_MARK = /^!(?:$|\s|[!$^*#?]|-?\d|:[\d$^*-])/;

/** Reads the mark an input begins with: `:` meta, `!` shell, `?` model, whatever follows. */
function readFirstMark(input: string): Route | null {
  const text = input.trimStart();
  const mark = text.charAt(0);
  switch (mark) {
    case ':':
      return { type: 'meta', text, because: { code: 'mark', mark } };
    case '?':
      return { type: 'message', text: text.slice(1).trimStart(), because: { code: 'mark', mark } };
    case '!':
      return { type: 'command', text: KEEPS_MARK.test(text) ? text : text.slice(1), because: { code: 'mark', mark } };
    default:
      return null;
  }
}

/**
 * Whether a line that reads as a message may as well be a command. Either its name is unknown and only words follow, so that the shell runs
 * none of it. Or no word of the command belongs to sentences only. Every other line is certainly a message.
 */
function findDoubt(text: string, facts: ShellFacts): Extract<Reason, { code: 'doubt' }> | null {
  if (text.includes('\n') || (facts.asksModel && !facts.knows(/^\S+/.exec(text)?.[0] ?? ''))) return null;
  const { tokens } = lex(text, facts.shell);
  const words = tokens.filter((token) => token.type === 'word');
  const [first, ...rest] = words;
  if (first === undefined) return null;
  const name = first.value;
  const isPlain = words.length === tokens.length && !words.some(({ expands }) => expands);
  if (findOpenPart(text) !== null) return null;
  if (!facts.knows(name)) return isPlain ? { code: 'doubt', name: null, asks: false } : null;
  const grammar = grammarOf(name, facts.shell) ?? UNKNOWN_GRAMMAR;
  const operands = rest.map((word) => toOperand(word, grammar, facts));
  if (findSentenceMark(operands, { isFree: () => false, knows: () => false, longest: 3 }) !== null) return null;
  const isSaid = operands.some(
    ({ speech, word }, at) =>
      /^(function|foreign|state)$/.test(speech) ||
      isOtherScript(word.raw) ||
      (at === 0 && speech === 'doubtful' && word.raw.length > 1 && operands[1]?.shape === 'plain'),
  );
  return { code: 'doubt', name: rest.length === 0 ? null : name, asks: !isSaid && seeCall(words, facts)?.grammar.changes === true };
}

/** The route of a typed line, the text passed on, and the reason. */
export type Route =
  | { readonly type: 'meta' | 'command' | 'message'; readonly text: string; readonly because: Reason }
  | { readonly type: 'nothing' };
