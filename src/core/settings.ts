import type { Config } from '../protocol/config.ts';
import { AishError } from '../protocol/error.ts';
import type { ApproveMode, CommandRules, Settings } from '../protocol/settings.ts';
import { USUAL_RETENTION } from './checkpoint-retention.ts';
import { USUAL_PICTURE } from './picture-limits.ts';

/** What the command line may say about a session. */
export interface SettingsFlags {
  readonly model?: string;
  readonly approve?: ApproveMode;
  readonly maxSteps?: number;
  readonly sandbox?: boolean;
}

/** The settings a session starts with: what the command line says, else the configuration. */
export function toSettings(config: Config, flags: SettingsFlags = {}): Settings {
  return {
    model: chooseModel(config, flags.model),
    maxToolDepth: config.mcp.max_tool_depth,
    maxSteps: flags.maxSteps ?? null,
    autoApprove: config.mcp.auto_approve,
    tools: { ask: config.mcp.ask, deny: config.mcp.deny },
    approve: flags.approve ?? 'ask',
    commands: toCommandRules(config.safety),
    unasked: config.safety.unasked,
    ...(flags.sandbox === true ? { sandbox: true } : {}),
    checkpointMode: config.checkpoint.mode,
    ...(config.checkpoint.commands === 'mutating' ? { checkpointsCommands: true } : {}),
    ...toCheckpointLimits(config.checkpoint),
    ...toPictureLimits(config.checkpoint),
    confirmCmd: config.shell.confirm_cmd,
  };
}

function toCheckpointLimits({ keep, max_disk }: Config['checkpoint']): Pick<Settings, 'checkpointLimits'> {
  const isUsual = keep === USUAL_RETENTION.steps && max_disk === USUAL_RETENTION.bytes;
  return isUsual ? {} : { checkpointLimits: { steps: keep, bytes: max_disk } };
}

function toPictureLimits({ max_files, max_bytes }: Config['checkpoint']): Pick<Settings, 'pictureLimits'> {
  const isUsual = max_files === USUAL_PICTURE.files && max_bytes === USUAL_PICTURE.bytes;
  return isUsual ? {} : { pictureLimits: { files: max_files, bytes: max_bytes } };
}

/** The configured model for a role, the first of them; null where none has it. */
export function modelFor({ models }: Pick<Config, 'models'>, role: 'fast' | 'deep' | 'cloud'): string | null {
  return Object.entries(models).find(([, model]) => model.role === role)?.[0] ?? null;
}

/** The rules for commands as lists of prefixes; the examples beside them were checked with the file. */
function toCommandRules({ approve, ask, deny }: Config['safety']): CommandRules {
  const prefixesOf = (rules: Config['safety']['ask']) =>
    rules.map((rule) => (typeof rule === 'string' ? rule : rule.prefix));
  return { approve: prefixesOf(approve), ask: prefixesOf(ask), deny: prefixesOf(deny) };
}

/**
 * The settings without the rules that were made by a yes for tools that are others now; null where there are none. What the
 * configuration says of a tool stands: whether it holds for what goes by the name now is told by the pins of its server.
 */
export function withoutRules(
  settings: Settings,
  isMeant: (rule: string) => boolean,
  configured: Settings['autoApprove'],
): Settings | null {
  const isVoid = (rule: string, value: boolean | undefined) =>
    isMeant(rule) && value === true && configured[rule] !== true;
  const kept = Object.entries(settings.autoApprove).filter(([rule, value]) => !isVoid(rule, value));
  const voided = Object.keys(settings.autoApprove).filter((rule) => isVoid(rule, settings.autoApprove[rule]));
  if (voided.length === 0) return null;
  const before = voided.filter((rule) => configured[rule] === false).map((rule) => [rule, false] as const);
  return { ...settings, autoApprove: Object.fromEntries([...kept, ...before]) };
}

function chooseModel(config: Config, wanted: string | undefined): string | null {
  const names = Object.keys(config.models);
  const name = wanted ?? config.model;
  if (name === undefined) return names[0] ?? null;
  if (Object.hasOwn(config.models, name)) return name;
  const known = names.length === 0 ? 'no model is configured' : `configured are ${names.join(', ')}`;
  throw new AishError('model.unknown', `there is no model "${name}": ${known}`, {
    hint:
      names.length === 0
        ? 'add a section [models.NAME] with base_url to the configuration'
        : `use one of them, or add [models.${name}]`,
  });
}
