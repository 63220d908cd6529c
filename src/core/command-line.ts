/** The most `CMD:` lines one answer may propose. */
const MOST_COMMANDS = 16;

interface Reading {
  /** The fence that would close the open code block, or null outside of one. */
  readonly fence: string | null;
  /** Inside a block quote, lazy continuation lines included. */
  readonly quoted: boolean;
  /** A quotation mark opened in this paragraph is still open. */
  readonly speech: boolean;
  /** What ends the HTML that the line is in; null outside of it. */
  readonly markup: string | null;
}

const PLAIN: Reading = { fence: null, quoted: false, speech: false, markup: null };

/**
 * The shell commands a final answer proposes: lines that begin with `CMD:`, outside code fences, block quotes, quotations
 * and HTML. What is shown as an example must not become a proposal, so doubt means no.
 */
export function extractCommands(answer: string): string[] {
  const commands: string[] = [];
  let reading = PLAIN;
  // Some servers leave the thoughts in the text, and their first mark away.
  const own = answer.slice(Math.max(0, answer.lastIndexOf('</think>')));
  for (const line of own.split(/\r\n|\r|\n/)) {
    const command = isOwnText(reading) ? commandOf(line) : null;
    if (command !== null) commands.push(command);
    reading = readLine(reading, line, command !== null);
  }
  return commands.slice(0, MOST_COMMANDS);
}

function isOwnText({ fence, quoted, speech, markup }: Reading): boolean {
  return fence === null && markup === null && !quoted && !speech;
}

function commandOf(line: string): string | null {
  if (!line.startsWith('CMD:')) return null;
  const text = line.slice(4).trim();
  const inCode = /^`([^`]+)`$/.exec(text)?.[1];
  const command = (inCode ?? text).trim();
  return command === '' ? null : command;
}

function readLine(reading: Reading, line: string, isCommand: boolean): Reading {
  if (reading.fence !== null) return closesFence(reading.fence, line) ? { ...reading, fence: null } : reading;
  if (reading.markup !== null) return endsMarkup(reading.markup, line) ? PLAIN : reading;
  // In a list a fence stands behind its mark, or as far in as its text.
  const fence = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence !== undefined && !(fence.startsWith('`') && line.slice(line.indexOf(fence) + fence.length).includes('`'))) {
    return { ...PLAIN, fence };
  }
  if (line.trim() === '') return PLAIN;
  if (isCommand) return reading;
  const markup = markupOf(line);
  if (markup !== null) return { ...PLAIN, markup };
  return {
    ...PLAIN,
    quoted: reading.quoted || /^ {0,3}>/.test(line),
    speech: leavesSpeechOpen(reading.speech, line),
  };
}

function closesFence(fence: string, line: string): boolean {
  const marks = /^\s*(`+|~+)\s*$/.exec(line)?.[1];
  return marks !== undefined && marks[0] === fence[0] && marks.length >= fence.length;
}

/** What ends the HTML that begins in a line; null where none does, or where it ends there. */
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
  for (const character of line) {
    if (character === '"') speech = !speech;
    else if ('“„«'.includes(character)) speech = true;
    else if ('”»'.includes(character)) speech = false;
  }
  return speech;
}
