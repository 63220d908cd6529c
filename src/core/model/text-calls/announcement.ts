/**
 * Tells an announcement, behind which a call may stand, from an explanation, behind which an example stands. A text may quote a call for
 * many reasons, so doubt means that it is an example.
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
const LONGEST = 2000;
const LAST_WORDS = 400;

/** Whether a call may stand behind these words. `isMarked`: the call has marks that stand in no other text. */
export function announcesCall(before: string, isMarked: boolean): boolean {
  const lead = before.trim();
  if (lead === '') return true;
  if (lead.length > LONGEST || EXAMPLES.some((pattern) => pattern.test(lead))) return false;
  if (INTENTIONS.some((pattern) => pattern.test(lead.slice(-LAST_WORDS)))) return true;
  return isMarked && isShort(lead) && SENTENCE_END.test(lead) && !SUBJECTS.some((pattern) => pattern.test(lead));
}

/** A few words, such as "Of course!": explanations need more. */
function isShort(lead: string): boolean {
  return lead.length <= 60 && lead.split(/\s+/).length <= 6;
}

/** Whether thoughts lead to a call: they speak about much, so only words about examples count. */
export function leadsToCall(thoughts: string): boolean {
  const last =
    thoughts
      .trim()
      .split(/\n\s*\n/)
      .at(-1) ?? '';
  return !EXAMPLES.some((pattern) => pattern.test(last));
}
