import type { Settings } from '../protocol/settings.ts';
import type { CallPreview, ToolCall } from '../protocol/tool.ts';
import { isCommand, judge, type Verdict } from './policy.ts';
import { formatCallTaint } from './taint/format-taint.ts';

/**
 * Why a call is asked about although a rule or a mode seems to allow it, for people and for the model where nobody can be asked; null where it was
 * never in doubt that it would be.
 */
export function whyHeld(call: ToolCall, settings: Settings, preview: CallPreview): string | null {
  const { decision, ...verdict } = judge(call, settings, preview);
  if (decision !== 'ask') return null;
  if (verdict.held !== undefined) return describe(verdict, preview);
  // Who approves everything may take commands to be among it.
  return settings.approve === 'all' && isCommand(call) && call.origin === 'model' ? describeCommand(preview) : null;
}

function describe({ rule, held }: Omit<Verdict, 'decision'>, preview: CallPreview): string {
  switch (rule) {
    case 'text of others':
      return preview.taint === undefined ? rule : formatCallTaint({ ...preview.taint, rule: held ?? rule });
    case 'cannot be undone':
      return `it cannot be undone: ${preview.why ?? 'no checkpoint holds it'}`;
    case 'hands over a secret': {
      const unruled = (preview.secrets ?? []).filter((secret) => secret.rule === undefined);
      return `no rule hands ${unruled.map(({ name, to }) => `${name} to ${to}`).join(', ')}`;
    }
    case 'another definition':
      return 'the tool is not what it was when a rule for its server began to hold';
    case 'outside of the work tree':
      return `it reads outside of the work tree: ${preview.path ?? 'a file elsewhere'}`;
    default:
      return preview.judged?.rule === rule ? (preview.judged.reasons[0] ?? rule) : `the rule "${rule}" asks about it`;
  }
}

function describeCommand({ judged }: CallPreview): string {
  return judged?.rule === undefined
    ? 'no rule of [safety] covers this command (a mode approves none)'
    : `the rule "${judged.rule}" asks about it`;
}
