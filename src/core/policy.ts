import type { Settings } from '../protocol/settings.ts';
import type { CallPreview, ToolCall } from '../protocol/tool.ts';

/** What the rules say about a call, and which rule said it. */
export interface Verdict {
  readonly decision: 'allow' | 'ask';
  /** The rule that decided; `default` when none did. */
  readonly rule: string;
}

/** Commands are always asked: until a sandbox stands, none runs unasked, whatever the rules say. */
export function isAlwaysAsked(call: Pick<ToolCall, 'effect' | 'origin'>): boolean {
  return call.effect === 'exec' || call.origin === 'command-line';
}

/**
 * Finds the rule that decides a call. The most specific rule wins, only the value true approves, asking is the default.
 * A change that no checkpoint can undo is always asked; what lies outside of the work tree is read on a rule's word, not on a mode's.
 */
export function judge(call: ToolCall, settings: Settings, preview: Pick<CallPreview, 'undoable' | 'foreign'>): Verdict {
  if (isAlwaysAsked(call)) return { decision: 'ask', rule: 'commands are always asked' };
  if (call.effect !== 'read' && !preview.undoable) return { decision: 'ask', rule: 'cannot be undone' };
  const alias = call.name.slice(0, call.name.indexOf('.'));
  for (const rule of [call.name, `${alias}.*`]) {
    if (!Object.hasOwn(settings.autoApprove, rule)) continue;
    const approved = settings.autoApprove[rule] === true;
    return { decision: approved ? 'allow' : 'ask', rule };
  }
  // It reads only what an earlier request or result has shown a part of; what is private has no handle.
  if (call.name === 'aish.output' && call.effect === 'read') return { decision: 'allow', rule: 'shown already' };
  if (preview.foreign && settings.approve === 'read-only') return { decision: 'ask', rule: 'outside of the work tree' };
  return judgeByMode(call, alias, settings);
}

/** `read-only` trusts only our own tools: a server's word that a tool only reads is the server's, not ours. */
function judgeByMode(call: ToolCall, alias: string, settings: Settings): Verdict {
  if (settings.approve === 'all') return { decision: 'allow', rule: 'approve all' };
  if (settings.approve === 'read-only' && call.effect === 'read' && alias === 'aish') {
    return { decision: 'allow', rule: 'approve read-only' };
  }
  return { decision: 'ask', rule: 'default' };
}
