import type { CommandClass } from '../../../protocol/tool.ts';

/** A statement of aish as a sentence: a capital at its beginning, and an end. */
export function toSentence(text: string): string {
  const capital = /^(?!aish\b)[a-z]+(?=[ ,:]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.:?!…]$/.test(capital) ? capital : `${capital}.`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** First lines of the approval prompt; a command or the name of a tool follows. */
export const HEAD_OF_COMMAND = 'The model wants to run:';
export const HEAD_OF_SUGGESTION = 'The answer suggests running:';
export const HEAD_OF_TOOL = 'The model wants to call';

/** What a command may do, where its reasons say no more. */
export const CLASS_EFFECTS: Readonly<Record<CommandClass, string>> = {
  'read-only': 'Only reads and prints.',
  mutating: 'May change files.',
  network: 'Opens a connection.',
  privileged: 'Needs more rights than you have.',
  destructive: 'May delete or overwrite files.',
  unparseable: "aish can't tell what this would run.",
};

/** Limits of a rule, as the end of "as long as it". */
const CLASS_LIMITS: Readonly<Record<CommandClass, string>> = {
  'read-only': 'only reads',
  mutating: 'deletes nothing and opens no connection',
  network: 'deletes nothing and needs no more rights',
  privileged: 'deletes nothing',
  destructive: 'runs nothing that aish cannot read',
  unparseable: 'is a command',
};

export const formatRuleText = (prefix: string, ceiling: CommandClass) =>
  `"${prefix} …" runs without asking in this session, with any arguments, as long as it ${CLASS_LIMITS[ceiling]}`;

export const formatMoreReasons = (left: number) => `And ${left} more ${left === 1 ? 'reason' : 'reasons'}.`;

export const formatAskingRule = (rule: string) => `The rule "${rule}" requires your approval.`;

export const formatHeldRule = (rule: string) => `The rule "${rule}" covers only commands that aish can undo.`;

export const formatSandboxRun = (kind: CommandClass) =>
  kind === 'read-only'
    ? '[y] runs it in the sandbox: it cannot change files or use the network.'
    : '[y] runs it in the sandbox: it can change only the project and cannot use the network.';

export const formatUnsandboxedRun = (why: string) => toSentence(`[y] runs it outside the sandbox: ${why}`);

export const formatAskedAgain = (why: string) => toSentence(`aish asks again: ${why}`);

export const formatSecretGrant = (names: readonly string[], to: string, rule: string | undefined) =>
  `gives ${names.length === 1 ? 'the secret' : 'the secrets'} ${names.join(', ')} to ${to}${rule === undefined ? '' : ` (rule "${rule}")`}`;

export const formatRealPath = (path: string, isForeign: boolean) =>
  `real path: ${path}${isForeign ? ' (outside the project)' : ''}`;
export const formatNewFile = (path: string) => `creates ${path}`;
export const CHANGE_TITLE = 'change:';

export const formatProblem = (problem: string) => toSentence(`This would fail: ${problem}`);
export const NOT_UNDOABLE_HERE = 'This cannot be undone here.';
export const NOT_UNDOABLE = 'This cannot be undone.';
export const formatNotUndoable = (why: string) => toSentence(`This cannot be undone: ${why}`);
export const SERVER_SAYS_READS = 'The server says that this tool only reads.';
export const formatMovedDefinition = (alias: string) =>
  `This tool has changed since a rule for it began to apply. ":mcp review ${alias}" shows the change.`;
export const formatUnreviewed = (alias: string) =>
  `You have not reviewed the tools of this server. ":mcp review ${alias}" shows them.`;

export const formatFolded = (lines: number, thenRuns: boolean) =>
  `… Press v to view all ${lines} lines.${thenRuns ? ' Then y can run the command.' : ''}`;

export const formatApprovalKeys = (isCommand: boolean, tool: string) => ({
  y: isCommand ? '[y] run once' : '[y] allow once',
  n: '[n] no',
  a: isCommand ? '[a] always allow' : `[a] always allow ${tool} (this session)`,
  e: '[e] edit',
  r: '[r] dry run',
  d: '[d] deny with a reason',
  v: '[v] view all',
});

export const NO_ARGUMENTS = '(no arguments)';
export const formatLineCount = (lines: number) => count(lines, 'line');
export const LINES_END_WITH_CRLF = 'lines end with CRLF';
export const TABS_AS_SPACES = 'each tab shows as 4 spaces';
export const NO_NEWLINE_AT_END = 'no newline at the end';
export const NEWLINE_AT_END = 'a newline at the end';
export const formatSpacesAtEnd = (spaces: number) => `${count(spaces, 'space')} at the end`;

export const CHANGES_NOTHING = 'Changes nothing.';
export const STILL_COUNTING = 'Still counting …';
export const formatConnections = (hosts: string) => `Connects to ${hosts}.`;
export const formatUnknownEffects = (parts: string, dryRun: string | undefined) =>
  `Unknown effects: ${parts}.${dryRun === undefined ? '' : ` ${dryRun} may show them.`}`;
