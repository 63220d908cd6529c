import type { CommandRecord } from '../../protocol/command.ts';
import type { CommandClass, HandedSecret } from '../../protocol/tool.ts';

/** Most names in one line. */
const MOST = 4;

/** One line for the model where a command failed that might have needed what it was not given; empty where there is nothing to say. */
export function tellWithheld(
  { exit }: Pick<CommandRecord, 'exit'>,
  withheld: readonly string[],
  handed: readonly HandedSecret[],
  kind: CommandClass | undefined,
): string {
  // What was put into its words it had, though not in its environment.
  const missed = withheld.filter((name) => !handed.some((secret) => secret.name === name));
  if (exit === 0 || missed.length === 0 || kind === 'read-only') return '';
  const names = `${missed.slice(0, MOST).join(', ')}${missed.length > MOST ? ', …' : ''}`;
  const [first = ''] = missed;
  return `\n[aish] ${names} ${missed.length === 1 ? 'was' : 'were'} not handed to it: no rule. If it needs one, say so and the person is asked: ${first}=$${first} …`;
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
