import type { InferOutput } from 'valibot';
import type { configSchema } from './config-schema.ts';

/** Data nobody changes, all the way down. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** The configuration after defaults. Its keys are those of the file; what each one means stands in `config-schema.ts`. */
export type Config = Frozen<InferOutput<typeof configSchema>>;

/** One `[models.NAME]`. */
export type ModelConfig = Config['models'][string];

/** One `[mcp.servers.ALIAS]`; exactly one of `url` and `command` is there. */
export type McpServerConfig = Config['mcp']['servers'][string];

/** What holds without a file. Written out so that a start without one loads no schema; a test keeps it equal to the schema's. */
export const DEFAULT_CONFIG: Config = {
  models: {},
  shell: { confirm_cmd: true, doubt: 'model' },
  mcp: { max_tool_depth: 8, servers: {}, auto_approve: {}, ask: [], deny: [] },
  safety: { auto_run: 'read-only', approve: [], ask: [], deny: [] },
  secrets: { allow: {}, names: [], files: [], public: [] },
  checkpoint: {
    mode: 'ref',
    commands: 'none',
    keep: 200,
    max_disk: 1_000_000_000,
    max_files: 20_000,
    max_bytes: 200_000_000,
  },
  context: { compact_at: 80 },
  history: { enabled: true, ignore: [], duplicates: 'ignore', max_lines: 10_000 },
  abbreviations: {},
  ui: {
    color: 'auto',
    theme: 'auto',
    keys: 'emacs',
    screen_reader: false,
    prompt: 'auto',
    prompt_parts: ['duration', 'status', 'jobs', 'host', 'environment', 'directory', 'repository'],
    prompt_duration_s: 3,
    notify: 'auto',
    notify_after_s: 10,
  },
};

/**
 * Keys the design names that this release does not act on yet: accepted and warned about, so that a file written for a
 * later release still starts. A star stands for any name.
 */
export const LATER_KEYS: readonly string[] = ['models.*.provider'];
