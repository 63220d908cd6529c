const BASH = /^declare -x (\w+)="((?:[^"\\]|\\[\s\S])*)"$/gm;
const ZSH = /^(?:export|typeset -x) (\w+)=(?:'([^'\n]*)'|([^'"\s$\\]*))$/gm;

/** Variables of the list that bash and zsh print of what they export. A value in another form is passed over. */
export function parseExports(printed: string): Record<string, string> {
  const [text = ''] = printed.split('\0');
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(BASH)) found[name] = value.replace(/\\(["\\$`])/g, '$1');
  for (const [, name = '', quoted, bare = ''] of text.matchAll(ZSH)) found[name] = quoted ?? bare;
  return found;
}
