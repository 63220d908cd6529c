/** Texts as the rows of a snapshot: long lines are broken at a blank, and go on behind two more. */
export function toRows(texts: readonly (string | null)[]): string {
  return texts.map((text) => String(text).replace(/(?!$)(.{1,110})(?: |$)(?=.)/gm, '$1\n  ')).join('\n');
}
