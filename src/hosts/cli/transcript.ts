import { readLog } from '../../adapters/store/event-log.ts';
import { sanitizeText } from '../../core/sanitize.ts';
import type { SessionEvent } from '../../protocol/event.ts';

/** A stored session as plain text: what was said, run, asked and answered. */
export function formatTranscript(path: string): string {
  const lines = readLog(path).flatMap(({ event }) => formatFact(event));
  return sanitizeText(lines.join('\n'));
}

/** The lines one fact shows, if any. */
function formatFact(event: SessionEvent): string[] {
  switch (event.type) {
    case 'turn.started':
      return [`\n> ${event.text}`, ...(event.files ?? []).map(({ path, about }) => `  attached ${path}, ${about}`)];
    case 'step.completed':
      return [
        ...(event.text === '' ? [] : [event.text]),
        ...event.calls.map((call) => `  ${call.name} ${JSON.stringify(call.arguments)}`),
      ];
    case 'approval.decided':
      return [
        `  ${event.decision === 'allow' ? 'allowed' : 'denied'} by ${event.by}${event.rule ? ` (${event.rule})` : ''}`,
      ];
    case 'checkpoint.created':
      return [`  checkpoint ${event.checkpoint.id}`];
    case 'tool-call.completed':
      return [indent(event.text)];
    case 'command.completed':
      if (event.record.private === true) return ['\n$ (a private command)'];
      return [`\n$ ${event.record.line}`, event.record.output.trimEnd(), `  exit ${event.record.exit ?? '?'}`];
    case 'restore.completed':
      return [`  undo ${event.checkpoint ?? ''}: ${event.report?.restored.join(', ') ?? event.error?.message ?? ''}`];
    case 'turn.ended':
      return event.reason === 'completed' ? [] : [`(${event.reason}${event.error ? `: ${event.error.message}` : ''})`];
    default:
      return [];
  }
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  | ${line}`)
    .join('\n');
}
