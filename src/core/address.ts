/** The parts of an address that matter here; written out because this floor knows no URL class. */
const PARTS = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#\\]*@)?([^/?#\\]*)([^?#]*)(\?[^#]*)?/i;

/** True for a name or number by which a machine calls itself. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    name === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(name)
  );
}

/** An address as it may be shown: without user and password, its query only hinted at, since either may be a key. */
export function toShownUrl(address: string): string {
  const found = PARTS.exec(address);
  if (found === null) return address;
  const [, scheme = '', host = '', path = '', query = ''] = found;
  return `${scheme}${host}${path}${query.length > 1 ? '?…' : ''}`;
}
