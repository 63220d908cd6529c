import type { Background } from './background.ts';
import type { Health } from './health.ts';
import type { Integration } from './integration/integration.ts';
import type { Lookup } from './lookup.ts';
import type { OutputPump } from './output-pump.ts';
import type { Pty } from './pty.ts';
import type { RuntimeFiles } from './runtime-files.ts';
import type { ShellOptions } from './shell-options.ts';
import type { TypedKeys } from './typed-keys.ts';

/** The dependencies of the way of lines through a shell. */
export interface CycleDeps {
  readonly options: ShellOptions;
  readonly integration: Integration;
  /** The secret of our marks. */
  readonly nonce: string;
  readonly files: RuntimeFiles;
  readonly pty: Pty;
  readonly pump: OutputPump;
  readonly keys: TypedKeys;
  readonly lookup: Lookup;
  readonly background: Background;
  readonly health: Health;
  /** Told when the model has the shell. */
  readonly processes: { begin(): void; end(): void };
}
