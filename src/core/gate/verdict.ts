/** What a command does, mildest first; the class of a line is the highest that any part of it has. */
export const CLASSES = ['read-only', 'mutating', 'network', 'privileged', 'destructive', 'unparseable'] as const;

/** What a command does. */
export type CommandClass = (typeof CLASSES)[number];

/** What becomes of a line when nobody is asked first: it runs, it waits for an answer, or it is refused. */
export type Decision = 'allow' | 'ask' | 'deny';

/** The refusals that no rule lifts: wreckage beyond the project, hidden or foreign code, what acts later, leaks, hidden characters. */
export type Floor = 'D1' | 'D2' | 'D3' | 'D4' | 'D5';

/** One thing that a line does, and why that decides as it does. */
export interface Finding {
  readonly class: CommandClass;
  readonly decision: Decision;
  readonly reason: string;
  /** Given for a refusal. */
  readonly floor?: Floor;
  /** A refusal only where nobody watches: a person who sees the whole line may say yes. */
  readonly mayBeAsked?: true;
}

/** One simple command of a line, with what was found of it. */
export interface Part {
  /** The words after quotes and constant variables; null where a word is not known. Empty for what is no command of its own. */
  readonly words: readonly (string | null)[];
  /** False where files are redirected, variables are set, or the command goes into the background: no rule covers that. */
  readonly plain: boolean;
  readonly findings: readonly Finding[];
}

/** What a line is: its class, what to do with it, and why. */
export interface Judgement {
  readonly class: CommandClass;
  readonly decision: Decision;
  readonly parts: readonly Part[];
  /** The reasons of the decision, the gravest first, each once. */
  readonly reasons: readonly string[];
  readonly floors: readonly Floor[];
}

const DECISIONS: readonly Decision[] = ['allow', 'ask', 'deny'];

/** The graver of two classes. */
export function graver(one: CommandClass, other: CommandClass): CommandClass {
  return CLASSES.indexOf(one) >= CLASSES.indexOf(other) ? one : other;
}

/** True when the first class is no graver than the second. */
export function isWithin(one: CommandClass, ceiling: CommandClass): boolean {
  return CLASSES.indexOf(one) <= CLASSES.indexOf(ceiling);
}

/** The stricter of two decisions. */
export function stricter(one: Decision, other: Decision): Decision {
  return DECISIONS.indexOf(one) >= DECISIONS.indexOf(other) ? one : other;
}

/** Makes one judgement of all that was found in a line. A line in which nothing was found does nothing. */
export function sumUp(parts: readonly Part[]): Judgement {
  const findings = parts.flatMap((part) => part.findings);
  let highest: CommandClass = 'read-only';
  let decision: Decision = 'allow';
  for (const finding of findings) {
    highest = graver(highest, finding.class);
    decision = stricter(decision, finding.decision);
  }
  const gravest = findings
    .filter((finding) => finding.decision !== 'allow')
    .sort((a, b) => rank(b) - rank(a))
    .map((finding) => finding.reason);
  const floors = findings.flatMap((finding) => finding.floor ?? []);
  return { class: highest, decision, parts, reasons: [...new Set(gravest)], floors: [...new Set(floors)] };
}

function rank({ decision, class: commandClass }: Finding): number {
  return DECISIONS.indexOf(decision) * CLASSES.length + CLASSES.indexOf(commandClass);
}
