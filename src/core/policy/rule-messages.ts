import type { CallPreview } from '../../protocol/tool.ts';
import { listReasons } from './messages.ts';

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

/** Mistakes in a table of rules. */
