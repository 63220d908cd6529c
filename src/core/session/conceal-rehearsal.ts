import type { SessionEvent } from '../../protocol/event.ts';
import type { RehearsalReport, RehearsedItem } from '../../protocol/rehearsal.ts';
import { concealRecord } from '../secrets/conceal-record.ts';

interface Cover {
  readonly text: (text: string) => string;
  readonly known: (text: string) => string;
}

/** What a rehearsal came to, without the secrets in it. */
export function concealRehearsal(report: RehearsalReport, cover: Cover): RehearsalReport {
  return {
    ...report,
    record: concealRecord(report.record, cover.text),
    items: report.items.map((item) => concealItem(item, cover)),
    outside: report.outside.map(cover.known),
    differences: report.differences.map(cover.text),
  };
}

/** What was applied, without the secrets in it. */
export function concealApplied(
  event: Extract<SessionEvent, { type: 'rehearsal.applied' }>,
  { known, text }: Cover,
): SessionEvent {
  const { report } = event;
  if (report === undefined) return event;
  const conflicts = report.conflicts.map(({ path, why }) => ({ path: known(path), why: text(why) }));
  return { ...event, report: { applied: report.applied.map(known), left: report.left.map(known), conflicts } };
}

function concealItem(item: RehearsedItem, { known }: Cover): RehearsedItem {
  return {
    ...item,
    path: known(item.path),
    about: known(item.about),
    ...(item.from === undefined ? {} : { from: known(item.from) }),
    ...(item.warnings === undefined ? {} : { warnings: item.warnings.map(known) }),
    ...(item.diff === undefined ? {} : { diff: known(item.diff) }),
  };
}
