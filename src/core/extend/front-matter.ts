/** The head of a Markdown file between two lines `---`, and the text below it. */
interface FrontMatter {
  /** The values by lower-case keys, with `_` as `-`. A list stands as its items, separated by commas. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Reads the head of a Markdown file line by line. It is no YAML reader: other hosts accept heads that YAML rejects, such as
 * `argument-hint: [file] [reason]` or a description with a colon.
 */
export function parseFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (lines[0]?.trimEnd() !== '---' || end === -1) return { fields: new Map(), body: text };
  const fields = new Map<string, string>();
  let key = '';
  for (const line of lines.slice(1, end)) {
    const [, name, value = ''] = /^([\w-]+):(?:[ \t]+(.*))?$/.exec(line) ?? [];
    if (name !== undefined) {
      key = name.toLowerCase().replaceAll('_', '-');
      fields.set(key, /^[>|][+-]?$/.test(value.trim()) ? '' : unquote(value.trim()));
    } else if (/^\s+\S|^- /.test(line) && key !== '') {
      fields.set(key, joinValue(fields.get(key) ?? '', line.trim()));
    }
  }
  return { fields, body: lines.slice(end + 1).join('\n') };
}

/** Adds an indented line to a value: another item of a list, or more of a text. */
function joinValue(value: string, line: string): string {
  const item = /^- +(.*)$/.exec(line)?.[1];
  const more = unquote(item ?? line);
  return value === '' ? more : `${value}${item === undefined ? ' ' : ', '}${more}`;
}

function unquote(value: string): string {
  const [, quote, inner] = /^(["'])([\s\S]*)\1$/.exec(value) ?? [];
  if (inner === undefined) return value;
  return quote === '"' ? inner.replace(/\\(["\\])/g, '$1') : inner.replaceAll("''", "'");
}
