import type { CommandRecord } from '../../protocol/command.ts';
import type { CommandClass, HandedSecret } from '../../protocol/tool.ts';

/** Most names in one line. */
const MOST = 4;

/** One line for the model where a command failed that might have needed what it was not given; empty where there is nothing to say. */
export function tellWithheld(
  { exit }: Pick<CommandRecord, 'exit'>,
  withheld: readonly string[],
  kind: CommandClass | undefined,
): string {
  if (exit === 0 || withheld.length === 0 || kind === 'read-only') return '';
  const names = `${withheld.slice(0, MOST).join(', ')}${withheld.length > MOST ? ', …' : ''}`;
  const [first = ''] = withheld;
  return `\n[aish] ${names} ${withheld.length === 1 ? 'was' : 'were'} not handed to it: no rule. If it needs one, say so and the person is asked: ${first}=$${first} …`;
}

/** The names of what a call would be handed now, and was not when it was allowed; empty where all was. */
export function namesNotAllowed(
  secrets: readonly HandedSecret[],
  allowed: readonly HandedSecret[] = [],
): readonly string[] {
  const isNew = ({ name, to, rule }: HandedSecret) =>
    rule === undefined && !allowed.some((known) => known.name === name && known.to === to);
  return [...new Set(secrets.filter(isNew).map(({ name }) => name))];
}
