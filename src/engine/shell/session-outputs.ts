import type { OutputCapture } from '../../adapters/store/output-file.ts';
import type { OutputStore } from '../../adapters/store/outputs.ts';
import { withoutMiddle } from '../../core/context/output-excerpt.ts';
import { parseHandleLine } from '../../core/meta/meta-line.ts';
import type { Entry } from '../../core/session/state.ts';
import { quote } from '../../core/text/quote.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { formatCutOutput, formatPartOfOutput } from './messages.ts';

interface OpenOutput {
  readonly write: OutputCapture['write'];
  readonly written: OutputCapture['written'];
  /** The record with its handle. */
  readonly finish: (record: CommandRecord) => Promise<CommandRecord>;
}

interface SessionOutputsOptions {
  readonly store: OutputStore;
  /** Commands of the session whose output has a handle. */
  readonly records: () => readonly CommandRecord[];
  readonly entries?: () => readonly Entry[];
  /** Redacts secrets. */
  readonly redact: (text: string) => string;
  /** Shows a notice of one line. */
  readonly tell: (text: string) => void;
}

/** The outputs of a session by their handles: records new outputs, finds and reads old ones. */
export class SessionOutputs {
  /** The files of the outputs. */
  readonly store: OutputStore;
  readonly #options: SessionOutputsOptions;

  constructor(options: SessionOutputsOptions) {
    this.#options = options;
    this.store = options.store;
  }

  /** Commands whose output has a handle, oldest first. */
  get records(): readonly CommandRecord[] {
    return this.#options.records();
  }

  /** The command whose output has this handle; null when there is none. */
  find(handle: number): CommandRecord | null {
    return this.records.find((record) => record.handle === handle) ?? null;
  }

  /** The messages of the session. */
  get entries(): readonly Entry[] {
    return this.#options.entries?.() ?? [];
  }

  /** Redacts secrets. */
  get redact(): (text: string) => string {
    return this.#options.redact;
  }

  begin(): OpenOutput {
    const after = this.records.at(-1)?.handle ?? 0;
    const { handle, capture } = this.store.begin(after);
    return {
      write: capture.write,
      written: capture.written,
      finish: (record) => this.#finish(handle, capture, record),
    };
  }

  /** The line that the shell runs for a line with a handle in front; null immediately for any other. */
  expand(line: string): Promise<string> | null {
    const found = parseHandleLine(line);
    const record = found === null || found.rest === '' ? null : this.find(found.handle);
    return found === null || record === null ? null : this.#expand(record, found.rest);
  }

  async #expand(record: CommandRecord, rest: string): Promise<string> {
    return `command cat -- ${quote(await this.store.plainFile(record))} ${rest}`;
  }

  /** The text of an output for a model, in pieces of whole lines. */
  *blocks(record: CommandRecord): Generator<string> {
    for (const block of this.store.blocks(record)) yield this.#options.redact(block);
  }

  async #finish(handle: number, capture: OutputCapture, record: CommandRecord): Promise<CommandRecord> {
    const { tell } = this.#options;
    const captured = await this.store.finish(handle, capture);
    const named = { ...record, handle };
    if (captured.problem !== null) tell(formatPartOfOutput(handle, captured.problem));
    if (captured.small !== null || captured.problem !== null) return named;
    if (captured.missing > 0) tell(formatCutOutput(handle, captured.missing));
    return withoutMiddle(named, captured);
  }
}
