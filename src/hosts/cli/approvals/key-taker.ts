import type { Decision } from '../../../protocol/op.ts';

/** Whoever takes keys. */
export interface KeyTaker {
  feed(bytes: Uint8Array): void;
}

/** An approval prompt: it takes one key for its answer, and text while it reads a line. */
export interface ApprovalKeyTaker extends KeyTaker {
  readonly wantsText: boolean;
}

/** Whoever gives an approval prompt the keys. */
export interface ApprovalKeys {
  showApproval(approval: ApprovalKeyTaker): void;
  /** More stands under the approval prompt now. */
  extendApproval(): void;
  /** The approval prompt is gone: whoever had the keys before has them again. */
  closeApproval(): void;
  /** The approval prompt was answered with one key. */
  answered(decision: Decision): void;
}
