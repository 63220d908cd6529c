import type { SessionEvent } from '../../protocol/event.ts';
import type { RestoreQuestion } from '../../protocol/restore.ts';

interface Cover {
  readonly text: (text: string) => string;
  readonly known: (text: string) => string;
}

/** The question of an undo without the secrets in the files that it shows. Keys are answered by, so they stay as they are. */
export function concealQuestion(question: RestoreQuestion, { text, known }: Cover): RestoreQuestion {
  return {
    ...question,
    label: text(question.label),
    conflicts: question.conflicts.map((conflict) => ({
      ...conflict,
      path: known(conflict.path),
      why: text(conflict.why),
      mine: text(conflict.mine),
      theirs: text(conflict.theirs),
      ...(conflict.diff === undefined ? {} : { diff: text(conflict.diff) }),
      ...(conflict.merged === undefined ? {} : { merged: text(conflict.merged) }),
    })),
    refused: question.refused.map(({ path, why }) => ({ path: known(path), why: text(why) })),
  };
}

/** What an undo did, without the secrets in names. */
export function concealReport(
  event: Extract<SessionEvent, { type: 'restore.completed' }>,
  { text, known }: Cover,
): Extract<SessionEvent, { type: 'restore.completed' }> {
  const { report, label } = event;
  const told = { ...event, ...(label === undefined ? {} : { label: text(label) }) };
  if (report === undefined) return told;
  const { restored, removed, refused, kept } = report;
  return {
    ...told,
    report: {
      restored: restored.map(known),
      ...(removed === undefined ? {} : { removed: removed.map(known) }),
      refused: refused.map(({ path, why }) => ({ path: known(path), why: text(why) })),
      ...(kept === undefined ? {} : { kept: kept.map(known) }),
    },
  };
}
