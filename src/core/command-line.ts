/** The most `CMD:` lines one answer may propose. */
const MOST_COMMANDS = 16;

interface Reading {
  /** The fence that would close the open code block, or null outside of one. */
  readonly fence: string | null;
  /** Inside a block quote, lazy continuation lines included. */
  readonly quoted: boolean;
  /** A quotation mark opened in this paragraph is still open. */
  readonly speech: boolean;
}

/**
 * The shell commands a final answer proposes: lines that begin with `CMD:`, outside code fences, block quotes and quotations.
 * What is shown as an example must not become a proposal, so doubt means no.
 */
export function extractCommands(answer: string): string[] {
  const commands: string[] = [];
  let reading: Reading = { fence: null, quoted: false, speech: false };
  for (const line of answer.split(/\r\n|\r|\n/)) {
    const command = reading.fence === null && !reading.quoted && !reading.speech ? commandOf(line) : null;
    if (command !== null) commands.push(command);
    reading = readLine(reading, line, command !== null);
  }
  return commands.slice(0, MOST_COMMANDS);
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
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence !== undefined && !(fence.startsWith('`') && line.trimStart().slice(fence.length).includes('`'))) {
    return { fence, quoted: false, speech: false };
  }
  if (line.trim() === '') return { fence: null, quoted: false, speech: false };
  if (isCommand) return reading;
  return {
    fence: null,
    quoted: reading.quoted || /^ {0,3}>/.test(line),
    speech: leavesSpeechOpen(reading.speech, line),
  };
}

function closesFence(fence: string, line: string): boolean {
  const marks = /^ {0,3}(`+|~+)\s*$/.exec(line)?.[1];
  return marks !== undefined && marks[0] === fence[0] && marks.length >= fence.length;
}

function leavesSpeechOpen(open: boolean, line: string): boolean {
  let speech = open;
  for (const character of line) {
    if (character === '"') speech = !speech;
    else if (character === '“') speech = true;
    else if (character === '”') speech = false;
  }
  return speech;
}
