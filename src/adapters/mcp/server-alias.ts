const RESERVED = 'aish';

/** Why an alias cannot be used; null when it can. */
export function findAliasFault(alias: string, taken: readonly string[]): string | null {
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(alias)) return 'an alias has letters, digits, - and _, at most 40 of them';
  if (alias === RESERVED) return `"${RESERVED}" is the alias of the built-in tools`;
  return taken.includes(alias) ? `there is already a server "${alias}"` : null;
}

/** A free alias made from where the server is: the first label of its host, or the name of its program. */
export function createAlias(
  source: { readonly url?: string; readonly command?: string },
  taken: readonly string[],
): string {
  const base = toWord(source) || 'server';
  for (let number = 1; ; number += 1) {
    const alias = number === 1 ? base : `${base}-${number}`;
    if (findAliasFault(alias, taken) === null) return alias;
  }
}

function toWord(source: { readonly url?: string; readonly command?: string }): string {
  if (source.url === undefined) return clean(source.command?.split('/').at(-1) ?? '');
  const host = URL.canParse(source.url) ? new URL(source.url).hostname : '';
  const labels = host.split('.').filter((label) => !['www', 'mcp', 'api'].includes(label));
  const isAddress = /^[\d.]+$/.test(host) || host.startsWith('[');
  return clean(isAddress ? host : (labels[0] ?? host));
}

function clean(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 32);
}
