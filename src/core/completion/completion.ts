/** One thing that could stand at the cursor: it replaces the text from `start` to the cursor. */
export interface Completion {
  readonly start: number;
  /** Goes into the line as it is: quoted for the shell already. */
  readonly text: string;
  /** Shown in the menu instead of the text. */
  readonly label?: string;
  readonly description?: string;
  /** Put behind the text when this is the only one; a blank unless given. */
  readonly suffix?: string;
  /** What the text means without its quotes, which is what typing on is compared with; the text unless given. */
  readonly value?: string;
}

/** One thing that could stand in a place, before it is quoted for the line. */
export interface Candidate {
  readonly value: string;
  /** Shown in the menu instead of the value. */
  readonly label?: string;
  readonly description?: string;
  /** Put behind it when it is the only one; a blank, and the quote that is open, unless given. */
  readonly suffix?: string;
  /** What goes into the line where quoting the value would not give it. */
  readonly text?: string;
}
