import type { Effect, EffectKind, ReasonCode } from '../commands/verdict.ts';

/** What each effect does, in words. */
const EFFECTS: Readonly<Record<EffectKind, string>> = {
  reads: 'only reads and prints',
  adds: 'adds or edits inside the project',
  task: 'a task that the project declares',
  changes: 'may replace content or change settings',
  keeps: 'sets a variable of the shell',
  runs: 'runs code that is not visible in the command',
  each: 'starts a command for each file that is found',
  network: 'opens a connection',
  privileged: 'needs rights beyond yours',
  destroys: 'deletes or overwrites',
  wrecks: 'destroys something outside of the project, or the whole of something',
  'remote code': 'runs code from the network that nobody has seen',
  hides: 'hides what runs',
  disguised: 'a word that is written to look like another',
  starts: 'starts another program by an option or a variable',
  plants: 'leaves something behind that acts later',
  self: 'touches aish itself',
  leaks: 'sends secrets or output to another machine',
  secrets: 'prints credentials',
  beyond: 'reads files that the line does not name, possibly outside the project',
  deceives: 'holds characters that mislead',
  torn: "can't tell what this would run",
  unclear: "can't tell what this would run",
};

/** Reasons that say more than the effect does: the whole sentence, or what stands behind its colon. */
const REASONS: Partial<Record<ReasonCode, (effect: Effect) => string>> = {
  'hidden-character': ({ detail }) => `a hidden character (${detail})`,
  'look-alike': () => 'a character that looks like another',
  'too-slow': (one) => explain(one.kind, 'classifying it takes too long'),
  'own-name': () => 'names what belongs to aish',
  replaced: (one) => `may replace: ${one.detail}`,
  outside: (one) => explain(one.kind, `${one.detail} lies outside of the project`),
  'unknown-path': (one) => explain(one.kind, `${one.detail}, whatever that is`),
  'sed-script': (one) => explain(one.kind, `${one.detail}, by a script of sed`),
  assignment: (one) => explain(one.kind, `sets ${one.detail}`),
  script: (one) => explain(one.kind, `the script ${one.detail}`),
  'printed-script': (one) => explain(one.kind, 'a script that another command prints'),
  'input-script': (one) => explain(one.kind, `${one.detail ?? 'a script'} from standard input`),
  'unknown-command': (one) => explain(one.kind, `the command ${one.detail}`),
  'fed-option': (one) => explain(one.kind, `what xargs reads may be an option of ${one.detail}`),
};

/** The reason of an effect as a phrase for the user. Nothing is decided by it. */
export function formatReason(effect: Effect): string {
  return REASONS[effect.because]?.(effect) ?? explain(effect.kind, effect.detail);
}

function explain(kind: EffectKind, detail: string | undefined): string {
  return detail === undefined ? EFFECTS[kind] : `${EFFECTS[kind]}: ${detail}`;
}

/** Why some words make no rule for commands. The subject is the rule. */
export const NOT_A_PREFIX = 'must be the first words of one command, without patterns and variables';
export const NAMES_PATH = 'names a program by its path, but a rule must name it without a folder';
export const formatRunsAnything = (use: 'approve' | 'grant', program: string) =>
  `would ${use === 'grant' ? 'grant the secret to' : 'approve'} any command that ${program} runs`;
