/* All texts of aish as an MCP server. */

export const INSTRUCTIONS =
  'These tools work in a shell and in the files of a user. The user may have to approve a call, and can undo changes of files.';

/** The answer that ends a turn: the client reads the result of its call instead. */
export const TURN_DONE = 'The client has the result.';

export const formatTurn = (client: string, tool: string): string => `${client} calls ${tool}`;
export const formatSessionName = (client: string): string => `MCP: ${client}`;

// Sessions

export const SESSION_TEMPLATE = 'A session of this directory as Markdown, in pages';
export const formatTurns = (turns: number): string => `session with ${turns} ${turns === 1 ? 'turn' : 'turns'}`;
export const formatNextPage = (pages: number, address: string): string => `\n\n[next of ${pages} pages: ${address}]\n`;

// Approval

export const APPROVE_TITLE = 'Allow this call';
export const formatApproveCommand = (cwd: string): string => `Run this command in ${cwd}?`;
export const formatApproveTool = (tool: string): string => `Allow ${tool}?`;
export const formatClass = (name: string): string => `The command is classified as ${name}.`;
export const formatSecret = (name: string, to: string): string => `It gives the secret ${name} to ${to}.`;
export const formatNotUndoable = (why: string): string => `Undo is impossible: ${why}`;

export const NOBODY = 'the client does not support elicitation, so aish cannot ask its user';
export const EXPIRED = 'this approval has expired; call the tool again';
export const formatFailed = (why: string): string => `the call did not run: ${why}`;
export const DENIED = 'the call was denied';
