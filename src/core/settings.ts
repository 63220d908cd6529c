import type { Config } from '../protocol/config.ts';
import { AishError } from '../protocol/error.ts';
import type { ApproveMode, Settings } from '../protocol/settings.ts';

/** What the command line may say about a session. */
export interface SettingsFlags {
  readonly model?: string;
  readonly approve?: ApproveMode;
  readonly maxSteps?: number;
}

/** The settings a session starts with: what the command line says, else the configuration. */
export function toSettings(config: Config, flags: SettingsFlags = {}): Settings {
  return {
    model: chooseModel(config, flags.model),
    maxToolDepth: config.mcp.max_tool_depth,
    maxSteps: flags.maxSteps ?? null,
    autoApprove: config.mcp.auto_approve,
    approve: flags.approve ?? 'ask',
    checkpointMode: config.checkpoint.mode,
    confirmCmd: config.shell.confirm_cmd,
  };
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
