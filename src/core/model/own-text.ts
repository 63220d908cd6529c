/** One line of an answer. */
export interface AnswerLine {
  readonly text: string;
  /** The place of the line in the answer. */
  readonly start: number;
  /** The line stands outside code fences, block quotes, quotations and HTML: the model says it itself. */
  readonly isOwn: boolean;
}

interface Reading {
  /** The fence that would close the open code block, or null outside of one. */
  readonly fence: string | null;
  /** Inside a block quote, lazy continuation lines included. */
  readonly quoted: boolean;
  /** A quotation mark opened in this paragraph is still open. */
  readonly speech: boolean;
  /** The end tag of the HTML around the line; null outside of HTML. */
  readonly markup: string | null;
}

const PLAIN: Reading = { fence: null, quoted: false, speech: false, markup: null };

/** The lines of an answer. `isAside`: a line of aish's own, whose quotation marks and tags do not count. */
export function* readLines(answer: string, isAside: (line: string) => boolean = () => false): Generator<AnswerLine, void, void> {
  let reading = PLAIN;
  for (const { 0: whole, 1: text = '', index } of answer.matchAll(/([^\r\n]*)(?:\r\n|\r|\n|$)/g)) {
    if (whole === '' && index > 0 && !/[\r\n]$/.test(answer)) return;
    const isOwn = isOwnText(reading);
    yield { text, start: index, isOwn };
    reading = readLine(reading, text, isOwn && isAside(text));
  }
}

function isOwnText({ fence, quoted, speech, markup }: Reading): boolean {
  return fence === null && markup === null && !quoted && !speech;
}

function readLine(reading: Reading, line: string, isAside: boolean): Reading {
  if (reading.fence !== null) return closesFence(reading.fence, line) ? { ...reading, fence: null } : reading;
  if (reading.markup !== null) return endsMarkup(reading.markup, line) ? PLAIN : reading;
  // In a list a fence stands behind its mark, or as far in as its text.
  const fence = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence !== undefined && !(fence.startsWith('`') && line.slice(line.indexOf(fence) + fence.length).includes('`')))
    return { ...PLAIN, fence };
  if (line.trim() === '') return PLAIN;
  if (isAside) return reading;
  const markup = markupOf(line);
  if (markup !== null) return { ...PLAIN, markup };
  return { ...PLAIN, quoted: reading.quoted || /^ {0,3}>/.test(line), speech: leavesSpeechOpen(reading.speech, line) };
}

function closesFence(fence: string, line: string): boolean {
  const marks = /^\s*(`+|~+)\s*$/.exec(line)?.[1];
  return marks !== undefined && marks[0] === fence[0] && marks.length >= fence.length;
}

/** The end of the HTML that begins in a line; null if none begins, or if it ends there. */
function markupOf(line: string): string | null {
  const name = /^\s*<(!--|[a-z][\w:-]*)/i.exec(line)?.[1];
  // An address in angle brackets is none.
  if (name === undefined || /^\s*<[a-z][\w+.-]*:\/\//i.test(line)) return null;
  if (name === '!--') return line.includes('-->') ? null : '-->';
  return new RegExp(`</${name}\\s*>|/>`, 'i').test(line) ? null : `</${name.toLowerCase()}`;
}

function endsMarkup(end: string, line: string): boolean {
  return line.toLowerCase().includes(end);
}

function leavesSpeechOpen(open: boolean, line: string): boolean {
  let speech = open;
  for (const [mark] of line.matchAll(/["“„«”»]/g)) {
    if (mark === '"') speech = !speech;
    else speech = '“„«'.includes(mark);
  }
  return speech;
}
