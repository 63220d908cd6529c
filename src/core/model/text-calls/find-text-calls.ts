import { readLines } from '../model-call.ts';
import { OPENER, readCallsToEnd, toKnownMarks, WEAK_START } from './call-forms.ts';
import { hasPlaceholder, isFitting, type Offered, type PrintedCall } from './printed-call.ts';

/** The calls that an answer holds as text. */
export interface TextCalls {
  readonly calls: readonly PrintedCall[];
  /** The answer without the calls. */
  readonly text: string;
  readonly reasoning: string;
  /** The calls as the model printed them. */
  readonly printed: string;
}

/** The most calls of one answer: more than a user can look at are no answer. */
const MOST_CALLS = 16;

/** Longest text in which calls are looked for. */
const LONGEST = 512 * 1024;

/** The most places that are tried. */
const MOST_PLACES = 32;

/** A name alone is a word of the answer, and no call. */
const BARE_NAME = /^\s*[\w.:-]+\s*$/;

/**
 * Finds the calls that a model printed as text, because its server has no parser for them. They stand at the end of the answer, or of the
 * thoughts if the answer is empty, and each names an offered tool. A text that only mentions a call has more than that around it.
 */
export function findTextCalls(
  { text, reasoning }: { readonly text: string; readonly reasoning: string },
  offered: Offered,
): TextCalls | null {
  const isThought = text.trim() === '';
  const whole = toKnownMarks(isThought ? reasoning : text);
  if (whole.length > LONGEST || whole.trim() === '' || !namesTool(whole, offered)) return null;
  for (const { at, isMarked } of placesIn(whole, isThought)) {
    const lead = whole.slice(0, at);
    const calls = readCallsToEnd(whole, at, offered);
    if (calls === null || calls.length > MOST_CALLS || calls.some(hasPlaceholder)) continue;
    if (!isMarked && (BARE_NAME.test(whole.slice(at)) || !calls.every((call) => isFitting(call, offered)))) continue;
    if (!(isThought ? leadsToCall(lead) : announcesCall(lead, isMarked))) continue;
    const rest = lead.trimEnd();
    const printed = whole.slice(at).trim();
    return isThought ? { calls, text: '', reasoning: rest, printed } : { calls, text: rest, reasoning, printed };
  }
  return null;
}

/** Most answers name no tool at all, and nothing more is looked at. */
function namesTool(text: string, offered: Offered): boolean {
  return [...offered.keys()].some((name) => text.includes(name) || text.includes(name.replace('__', '.')));
}

interface Place {
  readonly at: number;
  readonly isMarked: boolean;
}

/** The places where calls may begin, in order. */
function placesIn(text: string, isThought: boolean): readonly Place[] {
  const places: Place[] = [];
  for (const line of readLines(text)) {
    if (!line.isOwn && !isThought) continue;
    for (const { index } of line.text.matchAll(OPENER))
      if (mayBegin(line.text.slice(0, index))) places.push({ at: line.start + index, isMarked: true });
    if (WEAK_START.test(line.text)) places.push({ at: line.start, isMarked: false });
    if (places.length >= MOST_PLACES) break;
  }
  return places.sort((one, other) => one.at - other.at || Number(other.isMarked) - Number(one.isMarked));
}

/** Whether marks may begin behind these words of a line: alone in it, or behind a whole sentence. */
function mayBegin(words: string): boolean {
  if (words.trim() === '') return !/^(?: {4}|\t)/.test(words);
  return /[.!?…:。！？：]\s*$/.test(words) && (words.split('`').length - 1) % 2 === 0;
}

/*
 * A call may stand behind an announcement, and an example stands behind an explanation. A text may quote a call for many reasons, so doubt
 * means that it is an example.
 */

/** A pattern for whole words and phrases; a row holds some of them. */
function words(...rows: readonly string[]): RegExp {
  return new RegExp(`\\b(?:${rows.join('|')})\\b`, 'i');
}

/** A pattern for scripts without blanks between words, or without word boundaries. */
function characters(...rows: readonly string[]): RegExp {
  return new RegExp(`(?:${rows.join('|')})`, 'i');
}

/** Words of a model that is about to do something. */
const INTENTIONS: readonly RegExp[] = [
  words(
    "I['’]ll|I will|I['’]m going to|I am going to|I need to|I have to|I must|I should|I want to|I can|I['’]d like to",
    "let me|let['’]s|allow me to|(?:first|now|next|then),? I",
  ),
  /(^|\n)\s*Thought:.*$/,
  /(?:^|[.!?]\s+)(?:now )?(?:reading|checking|looking|opening|running|listing|fetching|searching)\b/i,
  /(?:^|[.!?]\s+)(?:now )?(?:using|calling|inspecting|getting|finding)\b/i,
  words(
    'ich (?:werde|lese|schaue|öffne|führe|prüfe|starte|sehe|hole|suche|muss|rufe|will|benutze|verwende)',
    'lass(?:en Sie)? mich|lass uns|zuerst|zunächst',
    'je (?:vais|dois|lis|regarde|vérifie|lance|commence)|laissez-moi|laisse-moi|commençons',
    'voy a|déjame|permíteme|necesito|leeré|vamos a|vou|deixe-me|preciso',
    'leggo|vado a|lasciami|fammi|devo|ik (?:ga|zal|lees|moet)|laat me',
  ),
  characters('сейчас|давайте|мне нужно|я (?:прочитаю|посмотрю|открою|проверю|запущу)'),
  characters('我(?:来|将|先|会|需要|要|现在)|让我|首先|现在', 'します|しましょう|てみます|まず|確認', '하겠습니다|할게요|먼저'),
];

/** Words about forms and examples. They turn even an announcement into an explanation. */
const EXAMPLES: readonly RegExp[] = [
  words(
    'examples?|formats?|syntax|templates?|parsers?|samples?|snippets?|for instance|looks? (?:something )?like|such as',
    'e\\.g\\.|i\\.e\\.|explain\\w*|demonstrat\\w*|illustrat\\w*|show you|markup|transcripts?|hypothetical\\w*|pretend|imagine',
    'document(?:ed|ation|s)?|would (?:look|be|call|print|emit|write|send|have|say)|quot(?:e|es|ed|ing)|verbatim|raw',
    "literal(?:ly)?|(?:do not|don['’]t) (?:run|execute|send)|not (?:run|execut\\w+)",
  ),
  words(
    'Beispiele?|Formate?|Vorlagen?|erkläre?n?|zeige dir|sieht [^.!?\\n]{0,40}aus',
    'exemples?|syntaxe|ressemble|expliqu\\w*|ejemplos?|formato|sintaxis|explic\\w*',
    'esempio|esempi|sintassi|spieg\\w*|exemplos?|voorbeeld(?:en)?',
  ),
  characters('пример|формат|синтаксис|例如|示例|格式|例子|语法|样例|形式|構文|サンプル|예시|형식'),
  /^[ \t]*(?:User|Human|Assistant|AI|System|Tool|Model|Bot|Q|A|Input|Output|Prompt|Response)[ \t]*[:>]/im,
  /^[ \t]*(?:(?:Before|After|Step \d+)[ \t]*:|#{1,6} |\||<[a-z!/]|\d\d:\d\d|\[\d|>>>|\$ )/im,
];

/** Words about models and their output. Behind them stands an example, unless the model announces what it does. */
const SUBJECTS: readonly RegExp[] = [
  words(
    'models?|servers?|endpoints?|assistants?|LLMs?|clients?|developers?|prints?|printed|emits?|emitted|outputs?',
    'you (?:can|could|would|will|may|should|need|have|must|see|get|write|send|call|use)|writes|wrote|written|sends|sent',
    'generat(?:es|ed)|produc(?:es|ed)|returns?|returned|responds?|responses?|replied|replies|repl(?:y|ies)',
    'schemas?|spec(?:s|ification)?|describ\\w+|tags?|tokens?|JSON|XML|strings?|logs?|following|below|above|instead|how',
    "this is|that is|these are|here is|here['’]s|called|meant?|means|pars(?:e|es|ed|ing)|wraps?|wrapped|expects?",
    'accepts?|puts|calls? (?:is|are|looks?|has|can)|may|might|tests?|fixtures?|reader|such|each',
  ),
  words(
    'Modelle?|Server|Ausgabe|Antwort|Aufrufe?|schreibt|druckt|modèles?|serveur|réponse|appels?',
    'modelos?|servidor|respuesta|llamadas?|risposta|chiamat[ae]|modell[oi]',
  ),
  characters('модел|ответ|вызов|模型|输出|调用|服务器|モデル|出力|呼び出し|모델|출력|호출'),
];

/** The end of an announcement may be a sentence or a colon, and nothing opens a quotation there. */
const SENTENCE_END = /[.!?…。！？)]["'”’*_]*$/;

/** Longest announcement. */
export const LONGEST_LEAD = 2000;
const LAST_WORDS = 400;

/** Whether a call may stand behind these words. `isMarked`: the call has marks that stand in no other text. */
export function announcesCall(before: string, isMarked: boolean): boolean {
  const lead = before.trim();
  if (lead === '') return true;
  if (lead.length > LONGEST_LEAD || EXAMPLES.some((pattern) => pattern.test(lead))) return false;
  if (INTENTIONS.some((pattern) => pattern.test(lead.slice(-LAST_WORDS)))) return true;
  return isMarked && isShort(lead) && SENTENCE_END.test(lead) && !SUBJECTS.some((pattern) => pattern.test(lead));
}

/** A few words, such as "Of course!": explanations need more. */
function isShort(lead: string): boolean {
  return lead.length <= 60 && lead.split(/\s+/).length <= 6;
}

/** Whether thoughts lead to a call: they speak about much, so only words about examples count. */
function leadsToCall(thoughts: string): boolean {
  const last =
    thoughts
      .trim()
      .split(/\n\s*\n/)
      .at(-1) ?? '';
  return !EXAMPLES.some((pattern) => pattern.test(last));
}
