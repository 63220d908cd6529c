import type { CallPreview, CommandClass, CommandDecision, CommandEffect, EffectKind, ReasonCode } from '../../protocol/tool.ts';

/** The only effect of a wrapper such as `sudo`. */
export const NEEDS_RIGHTS = 'needs more rights than you have';

/** A phrase for each effect, without the command as its subject. */
const EFFECTS: Readonly<Record<EffectKind, string>> = {
  reads: 'only reads and prints',
  adds: 'creates or edits files of the project',
  task: 'runs code of the project',
  changes: 'may replace content or change settings',
  keeps: 'sets a variable of the shell',
  runs: 'runs code that is not visible in the command',
  each: 'runs a command for each file that it finds',
  network: 'opens a connection',
  privileged: NEEDS_RIGHTS,
  destroys: 'deletes or overwrites data',
  wrecks: 'destroys more than files of the project',
  'remote code': 'runs code from the network that nobody has reviewed',
  hides: 'hides what it runs',
  disguised: 'contains a word that looks like another',
  starts: 'starts another program through an option or a variable',
  plants: 'installs something that runs later',
  self: 'interferes with aish itself',
  leaks: 'sends secrets or output to another machine',
  secrets: 'prints credentials',
  beyond: 'reads files that the command does not name, perhaps outside the project',
  deceives: 'contains characters that mislead',
  torn: 'aish cannot tell what this runs',
  unclear: 'aish cannot tell what this runs',
};

/** Reasons with more detail than the effect: the whole phrase, or its end. */
const REASONS: Partial<Record<ReasonCode, (effect: CommandEffect) => string>> = {
  'hidden-character': ({ detail }) => `contains a hidden character (${detail})`,
  'look-alike': () => 'contains a character that looks like another',
  'too-slow': ({ kind }) => explain(kind, 'classifying it takes too long'),
  'own-name': () => 'names files of aish',
  path: ({ kind, detail }) => (kind === 'destroys' ? `deletes ${detail}` : explain(kind, detail)),
  replaced: ({ detail }) => `may replace ${detail}`,
  outside: ({ detail }) => `changes ${detail} outside the project`,
  'unknown-path': ({ kind, detail }) =>
    `${kind === 'destroys' ? 'deletes' : 'writes to'} ${detail}, and aish cannot tell which path that is`,
  'sed-script': ({ detail }) => `may replace ${detail} with a sed script`,
  assignment: ({ kind, detail }) => (kind === 'hides' ? explain(kind, `sets ${detail}`) : `sets the variable ${detail}`),
  script: ({ kind, detail }) => (kind === 'runs' && detail !== undefined ? `runs the script ${detail}` : explain(kind, detail)),
  'printed-script': ({ kind }) => explain(kind, 'a script that another command prints'),
  'input-script': ({ kind, detail = 'a script' }) => explain(kind, `${detail} from standard input`),
  'unknown-command': ({ kind, detail }) => explain(kind, `the command ${detail}`),
  'fed-option': ({ kind, detail }) => explain(kind, `its input may contain an option of ${detail}`),
  task: ({ detail, command = 'a task' }) =>
    `runs ${command}, which ${detail === undefined ? 'runs code of the project' : `may do anything its ${detail} says`}`,
};

/** A phrase for an effect, without a subject. No decision depends on it. */
export const formatReason = (effect: CommandEffect): string => REASONS[effect.because]?.(effect) ?? explain(effect.kind, effect.detail);

/** An effect that an estimate cannot count, with the command that has it. */
export function formatUnexplained(effect: CommandEffect): string {
  const { command, because } = effect;
  return command === undefined || because === 'task' ? formatReason(effect) : `${command}: ${formatReason(effect)}`;
}

const explain = (kind: EffectKind, detail: string | undefined): string =>
  detail === undefined ? EFFECTS[kind] : `${EFFECTS[kind]}: ${detail}`;

/** Classes, the most severe last. */
const CLASS_ORDER: readonly CommandClass[] = ['read-only', 'mutating', 'network', 'privileged', 'destructive', 'unparseable'];

/** Sorts the most severe effects first: denied ones, then by class. */
export function byGravity<One extends Pick<CommandEffect, 'class' | 'isDenied'>>(effects: readonly One[]): readonly One[] {
  const rank = (one: One): number => CLASS_ORDER.indexOf(one.class) + (one.isDenied === true ? CLASS_ORDER.length : 0);
  return effects.toSorted((one, other) => rank(other) - rank(one));
}

/** Why a command needs an approval or is denied, as phrases, the most severe first. */
export function listReasons({ effects = [], reasons }: Pick<CommandDecision, 'effects' | 'reasons'>): readonly string[] {
  return [...new Set([...merge(byGravity(effects)).map(formatMerged), ...reasons])];
}

/** Phrases for the effects in line order: the `most` most severe ones, and the number of the others. */
export function listEffects(
  effects: readonly CommandEffect[],
  most: number,
): { readonly phrases: readonly string[]; readonly left: number } {
  const merged = merge(effects);
  const shown = new Set(byGravity(merged).slice(0, most));
  const phrases = merged
    .filter((one) => shown.has(one))
    .map((one, at, all) => {
      const before = all[at - 1]?.command;
      const isNext = before !== undefined && one.command !== undefined && one.command !== before;
      return `${isNext ? 'then ' : ''}${formatMerged(one)}`;
    });
  return { phrases, left: merged.length - shown.size };
}

/** An effect on several objects. */
interface MergedEffect extends CommandEffect {
  readonly details: readonly string[];
}

const formatMerged = ({ details, ...one }: MergedEffect): string =>
  formatReason(details.length > 1 ? { ...one, detail: details.join(', ') } : one);

/** Drops effects that another one describes in more detail, and joins adjacent equal effects on different objects. */
function merge(effects: readonly CommandEffect[]): readonly MergedEffect[] {
  const merged: MergedEffect[] = [];
  const detailed = new Set(effects.flatMap(({ kind, detail }) => (detail === undefined ? [] : [kind])));
  const phrases = new Set<string>();
  for (const one of effects) {
    const phrase = formatReason(one);
    if (phrases.has(phrase) || (one.because === 'program' && detailed.has(one.kind))) continue;
    phrases.add(phrase);
    const last = merged.at(-1);
    const details = one.detail === undefined ? [] : [one.detail];
    const isSame = last?.kind === one.kind && last.because === one.because && one.because !== 'task';
    if (isSame && last.details.length > 0 === details.length > 0) merged.splice(-1, 1, { ...last, details: [...last.details, ...details] });
    else merged.push({ ...one, details });
  }
  return merged;
}

/** The result of a denied call, for the model. */
export function formatRefusal({ decided, path }: Pick<CallPreview, 'decided' | 'path'>, rule = decided?.rule ?? ''): string {
  const advice = 'Do not try it in another form; find another way, or ask the user';
  if (decided === undefined || decided.hardDenials.length === 0) return `[aish] not run: the rule "${rule}" denies this. ${advice}.`;
  const [noun, verb] = path === undefined ? ['command', 'run'] : ['call', 'do'];
  const reasons = listReasons(decided).slice(0, 3).join('; ');
  return `[aish] not run: a built-in rule denies this ${noun} (${reasons}). ${advice} to ${verb} it.`;
}

/** Why some words are no valid command rule. The subject is the rule. */
export const NOT_A_PREFIX = 'must be the first words of one command, without patterns and variables';
export const NAMES_PATH = 'names a program by its path, but a rule must name it without a folder';
export const formatRunsAnything = (use: 'approve' | 'grant', program: string) =>
  `would ${use === 'grant' ? 'grant the secret to' : 'approve'} any command that ${program} runs`;

/** Why a rule that matches the first words of a command does not cover it. */
export const formatNotCovered = (prefix: string, word: string) => `the rule "${prefix}" does not cover ${word}`;
export const UNKNOWN_WORD = 'a word that is known only when it runs';
