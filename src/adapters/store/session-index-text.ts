import type { SessionEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';

/** What of a fact can be searched: what was said, the commands and arguments, and what was printed. */
export interface IndexedText {
  readonly said: string;
  readonly commands: string;
  readonly printed: string;
}

/** Most characters of one text: who looks for what stands further behind in an output searches that output. */
const MOST = 64 * 1024;

/** Letters of scripts that set no blanks between words: each is taken for a word. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Mymr}]/gu;
const MAY_BE_UNSPACED = /[\u0e00-\u0eff\u1000-\u17ff\u2e80-\u9fff\uf900-\ufaff\ud840-\ud88f]/;

/** The searched texts of a fact; null for one without any. */
export function indexedText(event: SessionEvent): IndexedText | null {
  switch (event.type) {
    case 'turn.started':
      return toText({ said: [event.text, event.attachment ?? '', ...(event.files ?? []).map(({ path }) => path)] });
    case 'history.imported':
      return toText({ said: event.messages.map(({ text }) => text) });
    case 'step.completed':
      return toText({ said: [event.text], commands: event.calls.map(argumentsOf) });
    case 'tool-call.completed':
      return toText({ printed: [event.record?.output ?? event.text] });
    case 'command.completed':
      return toText({ commands: [event.record.line], printed: [event.record.output] });
    case 'session.resumed':
      return event.lost === undefined ? null : toText({ commands: [event.lost.line] });
    case 'rehearsal.completed':
      return toText({ commands: [event.report?.record.line ?? ''], printed: [event.report?.record.output ?? ''] });
    default:
      return null;
  }
}

/** A text as the index and a query take it. */
export function spaced(text: string): string {
  return MAY_BE_UNSPACED.test(text) ? text.replace(UNSPACED, ' $& ') : text;
}

/** Values of arguments without what JSON puts around them. */
function argumentsOf({ name, arguments: given }: ToolCall): string {
  const values = Object.values(given).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return [name, ...values].join('\n');
}

function toText(parts: { readonly [kind in keyof IndexedText]?: readonly string[] }): IndexedText | null {
  const join = (texts: readonly string[] = []): string =>
    texts
      .map((text) => text.slice(0, MOST))
      .join('\n')
      .trim();
  const [said, commands, printed] = [join(parts.said), join(parts.commands), join(parts.printed)];
  return said === '' && commands === '' && printed === '' ? null : { said, commands, printed };
}
