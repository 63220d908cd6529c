import type { Decision } from '../../../protocol/op.ts';

/** A receiver of keys. */
export interface KeyTaker {
  feed(bytes: Uint8Array): void;
}

/** An approval prompt: it takes one key for its answer, and text while it reads a line. */
export interface ApprovalKeyTaker extends KeyTaker {
  readonly wantsText: boolean;
  /** It draws nothing, so the line stays on the screen. */
  readonly isBlank?: boolean;
}

/** Gives an approval prompt the keys. */
export interface ApprovalKeys {
  /** An approval prompt is about to be drawn: the line leaves the screen. */
  wantScreen(): void;
  showApproval(approval: ApprovalKeyTaker): void;
  /** The approval prompt has more rows now. */
  extendApproval(): void;
  /** The approval prompt is gone: its keys go back to their former receiver. */
  closeApproval(): void;
  /** The approval prompt was answered with one key. */
  answered(decision: Decision): void;
}
