/** Marks of chat templates, escape sequences, fences of code. */
const FRAMES = /<\/?(?:pad|unk|[be]?os|s)>|<\|[^|<>\n]{1,40}\|>|\x1b\[[\d;]*[a-z]|^[ \t]*[`~]{3,}[\w-]*[ \t]*$/gim;
const VISIBLE = /[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800\ufffd]/u;

/** Whether a text has anything to read. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text.replace(FRAMES, ''));
}
