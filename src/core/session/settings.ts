import type { Config } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { ModelChoice, TurnFacts } from '../../protocol/model.ts';
import type { ApproveMode, CommandRules, ModelOption, Settings } from '../../protocol/settings.ts';
import { isNearAddress } from '../text/address.ts';
import { unknownModel } from './messages.ts';

/** The settings of a session that command-line options can choose. */
interface SettingsFlags {
  readonly model?: string;
  readonly approve?: ApproveMode;
  readonly maxSteps?: number;
  readonly sandbox?: boolean;
}

/** The initial settings of a session: command-line options take precedence over the configuration. */
export function toSettings(config: Config, flags: SettingsFlags = {}): Settings {
  return {
    model: initialModel(config, flags.model),
    ...toModelOptions(config),
    maxToolDepth: config.mcp.max_tool_depth,
    maxSteps: flags.maxSteps ?? null,
    autoApprove: config.mcp.auto_approve,
    tools: { ask: config.mcp.ask, deny: config.mcp.deny },
    approve: flags.approve ?? 'ask',
    commands: toCommandRules(config.safety),
    autoRun: config.safety.auto_run,
    ...(flags.sandbox === true ? { sandbox: true } : {}),
    checkpointMode: config.checkpoint.mode,
    ...(config.checkpoint.commands === 'mutating' ? { checkpointsCommands: true } : {}),
    ...toCheckpointLimits(config.checkpoint),
    ...toSnapshotLimits(config.checkpoint),
    confirmCmd: config.shell.confirm_cmd,
  };
}

function toModelOptions({ models, safety }: Config): Pick<Settings, 'models' | 'cloud'> {
  const options = Object.entries(models).map(([name, { role, base_url }]) => ({
    name,
    ...omitUndefined({ role }),
    ...(isNearAddress(base_url) ? {} : { isCloud: true as const }),
  }));
  return { ...(options.length === 0 ? {} : { models: options }), ...(safety.cloud === 'allowed' ? { cloud: true } : {}) };
}

function toCheckpointLimits({ keep, max_disk }: Config['checkpoint']): Pick<Settings, 'checkpointLimits'> {
  const isUsual = keep === USUAL_RETENTION.steps && max_disk === USUAL_RETENTION.bytes;
  return isUsual ? {} : { checkpointLimits: { steps: keep, bytes: max_disk } };
}

function toSnapshotLimits({ max_files, max_bytes }: Config['checkpoint']): Pick<Settings, 'snapshotLimits'> {
  const isUsual = max_files === DEFAULT_SNAPSHOT_LIMITS.files && max_bytes === DEFAULT_SNAPSHOT_LIMITS.bytes;
  return isUsual ? {} : { snapshotLimits: { files: max_files, bytes: max_bytes } };
}

/** The first configured model for a role; null if there is none. */
export function modelFor({ models }: Pick<Config, 'models'>, role: 'fast' | 'deep' | 'cloud'): string | null {
  return Object.entries(models).find(([, model]) => model.role === role)?.[0] ?? null;
}

/** The command rules as lists of prefixes; their examples were checked with the file. */
function toCommandRules({ approve, ask, deny }: Config['safety']): CommandRules {
  const prefixesOf = (rules: Config['safety']['ask']) => rules.map((rule) => (typeof rule === 'string' ? rule : rule.prefix));
  return { approve: prefixesOf(approve), ask: prefixesOf(ask), deny: prefixesOf(deny) };
}

/** The settings without the user's rules for tools that have changed since; null if there are none. Configured rules stay. */
export function withoutRules(settings: Settings, isMeant: (rule: string) => boolean, configured: Settings['autoApprove']): Settings | null {
  const isVoid = (rule: string, value: boolean | undefined) => isMeant(rule) && value === true && configured[rule] !== true;
  const kept = Object.entries(settings.autoApprove).filter(([rule, value]) => !isVoid(rule, value));
  const voided = Object.keys(settings.autoApprove).filter((rule) => isVoid(rule, settings.autoApprove[rule]));
  if (voided.length === 0) return null;
  const before = voided.filter((rule) => configured[rule] === false).map((rule) => [rule, false] as const);
  return { ...settings, autoApprove: Object.fromEntries([...kept, ...before]) };
}

function initialModel(config: Config, wanted: string | undefined): string | null {
  const names = Object.keys(config.models);
  const name = wanted ?? config.model;
  if (name === undefined) return names[0] ?? null;
  // A name with a colon is a provider's model; its first request finds out whether there is such a provider.
  if (Object.hasOwn(config.models, name) || /^[\w.-]+:./.test(name)) return name;
  if (name === AUTO && names.length > 1) return name;
  const { code, message, ...hint } = unknownModel(name, names, { isAddable: true });
  throw new AishError(code, message, hint);
}

/** Limits of one snapshot for content that git does not store. */
export interface SnapshotLimits {
  /** Maximum number of untracked files; without a repository, of files and folders in the tree. */
  readonly files: number;
  /** Maximum bytes of untracked files. */
  readonly bytes: number;
}

/** The default limits of snapshots. */
export const DEFAULT_SNAPSHOT_LIMITS: SnapshotLimits = { files: 20_000, bytes: 200_000_000 };

/** The limits as a note next to snapshots, for later snapshots without configured limits. */
export function formatSnapshotLimits({ files, bytes }: SnapshotLimits): string {
  return `${files} ${bytes}\n`;
}

/** Parses such a note; null if it is invalid. */
export function parseSnapshotLimits(text: string): SnapshotLimits | null {
  const [, files, bytes] = /^(\d{1,15}) (\d{1,15})\n$/.exec(text) ?? [];
  return files === undefined || bytes === undefined ? null : { files: Number(files), bytes: Number(bytes) };
}

/** Retention limits: steps per work tree, and bytes per repository. */
export interface RetentionLimits {
  readonly steps: number;
  readonly bytes: number;
}

/** The default retention limits. */
export const USUAL_RETENTION: RetentionLimits = { steps: 200, bytes: 1_000_000_000 };

/** The complexity score as data: from each value on, a fact adds these points instead of fewer. */
const SCORE: Readonly<Record<keyof TurnFacts, Readonly<Record<number, number>>>> = {
  characters: { 200: 1, 800: 2, 3000: 3 },
  files: { 1: 1, 3: 2 },
  calls: { 1: 1, 6: 2 },
  failures: { 1: 2, 3: 4 },
};

const FACTS = ['characters', 'files', 'calls', 'failures'] as const;

/** The highest score for the fast model, and the lowest one for the deep model. */
const FAST_UP_TO = 0;
const DEEP_FROM = 4;

/** The name for `:model auto`, unless a model of the configuration has it. */
export const AUTO = 'auto';

/** Chooses the model of a turn by its complexity. */
export function chooseModel(facts: TurnFacts, settings: Settings): { readonly model: string | null; readonly choice: ModelChoice } {
  const points: Record<string, number> = {};
  for (const fact of FACTS) {
    for (const [from, added] of Object.entries(SCORE[fact])) if (facts[fact] >= Number(from)) points[fact] = added;
  }
  const score = Object.values(points).reduce((sum, one) => sum + one, 0);
  const role = score <= FAST_UP_TO ? 'fast' : score >= DEEP_FROM ? 'deep' : null;
  const { models = [] } = settings;
  const usual = models.find((model) => model.role === undefined) ?? models[0];
  const wanted = optionFor(models, role) ?? usual;
  const isHeldBack = wanted?.isCloud === true && usual?.isCloud !== true && settings.cloud !== true;
  const chosen = isHeldBack ? usual : wanted;
  return { model: chosen?.name ?? null, choice: { score, points, role, ...(isHeldBack ? { isHeldBack } : {}) } };
}

/** The model for a role. A cloud model stands in for a missing deep one. */
function optionFor(models: readonly ModelOption[], role: ModelChoice['role']): ModelOption | undefined {
  if (role === null) return undefined;
  return models.find((model) => model.role === role) ?? (role === 'deep' ? models.find((model) => model.role === 'cloud') : undefined);
}

/** A message that begins with `@NAME` of a configured model, and is meant for that model alone; null for any other. */
export function parseAddressed(text: string, names: readonly string[]): { readonly model: string; readonly text: string } | null {
  const [, model, rest] = /^\s*@([\w-]+)\s+(\S[\s\S]*)$/.exec(text) ?? [];
  return model !== undefined && rest !== undefined && names.includes(model) ? { model, text: rest } : null;
}
