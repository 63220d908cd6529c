import type { Foreground, PromptEffect, PromptRole, Running, StopSignal } from '../../../core/prompt/prompt-state.ts';
import type { Understood } from '../../../core/prompt/understand.ts';
import type { LineEditor } from '../editor/line-editor.ts';

type PromptLine = Pick<
  LineEditor,
  | 'feed'
  | 'feedQuietly'
  | 'insert'
  | 'take'
  | 'replace'
  | 'submit'
  | 'show'
  | 'hide'
  | 'redraw'
  | 'showNewest'
  | 'text'
  | 'isEmpty'
  | 'isReading'
>;

/** The program in the foreground of the shared shell. */
export interface ForegroundProgram {
  readonly foreground: Foreground | null;
  signalForeground(name: StopSignal): boolean;
}

/** The effects that the driver leaves to the prompt around it. */
export type HostEffect = Extract<
  PromptEffect,
  {
    readonly type:
      | 'draw-queue'
      | 'bring-returned'
      | 'refuse-line'
      | 'tell-paste'
      | 'program-keys'
      | 'offer-signals'
      | 'interrupt'
      | 'halt'
      | 'send-now'
      | 'lease'
      | 'tell-lease';
  }
>;

/** The dependencies of the driver. */
export interface PromptDriverDeps {
  readonly role?: PromptRole;
  readonly line: PromptLine;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  /** The receiver of keys for programs; null while there is no shell. */
  readonly program?: () => { write(bytes: Uint8Array): void } | null;
  readonly foreground?: () => ForegroundProgram | null;
  /** The current work of the session. */
  readonly session?: () => { readonly running: Running; readonly waitsForSnapshot: boolean };
  /** False where Enter should begin another line. */
  readonly isWhole?: (text: string) => boolean | Promise<boolean>;
  /** The meta-command of a line that means what is there now; null for all others. */
  readonly aboutNow?: (text: string) => Understood['aboutNow'];
  readonly carryOut?: (effect: HostEffect) => void;
}

/** A line that ignores all keys, for a prompt without a line. */
export const NO_LINE: PromptLine = {
  feed: () => {},
  feedQuietly: () => {},
  insert: () => {},
  take: () => '',
  replace: () => {},
  submit: () => {},
  show: () => {},
  hide: () => {},
  redraw: () => {},
  showNewest: () => {},
  text: '',
  isEmpty: true,
  isReading: false,
};
