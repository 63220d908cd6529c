/** The shells whose behaviour is compared. */
export const SHELLS = ['bash', 'zsh'] as const;
export type ShellName = (typeof SHELLS)[number];

/** The aspects compared after a command, in the shell used directly and through aish. */
export type Aspect =
  | 'exit'
  | 'ended'
  | 'cwd'
  | 'output'
  | 'modes'
  | 'environment'
  | 'history'
  | 'options'
  | 'traps'
  | 'aliases'
  | 'functions';

/** Why an aspect is not the same: the reason, for both shells or for one. */
export type Reason = string | Partial<Readonly<Record<ShellName, string>>>;

/** One command of the table. */
export interface FidelityCommand {
  /** The subject of the command. */
  readonly about: string;
  /** One line, or several as a user would type them, one after the other or as one block. */
  readonly line: string;
  /** Only this shell has it. */
  readonly only?: ShellName;
  /** Keys pressed once the text has come out of the program. The text must not stand in the line itself. */
  readonly keys?: { readonly after: string; readonly send: string };
  /** Lines that have run before, each at a prompt of its own. */
  readonly before?: readonly string[];
  /** Differences by design. A test fails when one of them is none any more. */
  readonly differs?: Readonly<Partial<Record<Aspect, Reason>>>;
}

/** The reason why an aspect may differ in this shell; undefined where it may not. */
export function reasonFor(command: FidelityCommand, aspect: Aspect, shell: ShellName): string | undefined {
  const reason = command.differs?.[aspect];
  return typeof reason === 'object' ? reason[shell] : reason;
}
