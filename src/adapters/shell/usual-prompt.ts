/** Colours and titles, in the ways prompts of distributions write them. */
const DECORATION =
  /\\\[|\\\]|\\(?:e|E|033)\][^\\]*(?:\\.[^\\]*)*?\\a|\\(?:e|E|033)\[[0-9;]*m|%[{}]|%[FK]\{[^}]*\}|%[BbfkUuSs]|\$\{debian_chroot:\+\(\$debian_chroot\)\}/g;

/** Who, where and a sign, in the orders distributions have them. */
const USUAL: ReadonlySet<string> = new Set([
  '',
  '\\s-\\v\\$',
  '\\$',
  '$',
  '#',
  '\\u@\\h:\\w\\$',
  '\\u@\\h\\w\\$',
  '\\u@\\h:\\W\\$',
  '\\u@\\h\\W\\$',
  '[\\u@\\h\\W]\\$',
  '[\\u@\\h\\w]\\$',
  '\\h:\\w\\$',
  '\\h:\\W\\u\\$',
  '\\u@\\h:\\w>',
  '\\w\\$',
  '%m%#',
  '%n@%m%1~%#',
  '%n@%m:%~%#',
  '%n@%m%~%#',
  '[%n@%m]%~%#',
  '[%n@%m%1~]%#',
  '[%n@%m%~]%#',
  '%#',
]);

/** Whether a prompt is one that a shell or a distribution comes with: nobody chose it, so ours may stand in its place. */
export function isUsualPrompt(prompt: string): boolean {
  const titleless = prompt.replace(/\\\[\\(?:e|E|033)\]0;.*?\\a\\\]/g, '');
  return USUAL.has(titleless.replace(DECORATION, '').replace(/\s+/g, ''));
}
