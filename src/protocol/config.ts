import type { InferOutput } from 'valibot';
import type { configSchema } from './config-schema.ts';

/** Deeply immutable data. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

type Parsed = InferOutput<typeof configSchema>;

/** The configuration after defaults. Its keys are those of the file; `config-schema.ts` documents them. */
export type Config = Frozen<Pick<Parsed, 'model'> & Required<Omit<Parsed, 'model'>>>;

/** One `[models.NAME]`. */
export type ModelConfig = Config['models'][string];

/** One `[mcp.servers.ALIAS]`, with exactly one of `url` and `command`. */
export type McpServerConfig = Config['mcp']['servers'][string];

/**
 * The defaults without a file. They are written out so that a start without a file loads no schema; a test compares them with the schema.
 */
export const DEFAULT_CONFIG: Config = {
  models: {},
  shell: { confirm_cmd: true, doubt: 'model' },
  mcp: { max_tool_depth: 8, servers: {}, auto_approve: {}, ask: [], deny: [] },
  safety: { auto_run: 'read-only', cloud: 'never', approve: [], ask: [], deny: [] },
  secrets: { allow: {}, names: [], files: [], public: [] },
  checkpoint: {
    mode: 'ref',
    commands: 'none',
    keep: 200,
    max_disk: 1_000_000_000,
    max_files: 20_000,
    max_bytes: 200_000_000,
  },
  budget: {},
  context: { compact_at: 80 },
  explore: { offer: 'auto', steps: 12, tokens: 150_000 },
  history: { enabled: true, ignore: [], duplicates: 'ignore', max_lines: 10_000 },
  memory: { propose: true },
  abbreviations: {},
  extend: { folders: [] },
  hooks: { 'pre-tool': [], 'post-tool': [], prompt: [], 'turn-end': [], timeout_ms: 10_000 },
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
