/** True for a name or number by which a machine calls itself. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** True for a host on this machine or its local network. */
export function isNearHost(host: string): boolean {
  const isPrivate = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(host);
  return isLoopbackHost(host) || isPrivate || host.endsWith('.local') || !/[.:]/.test(host);
}

/** True for an address on this machine or its local network. */
export function isNearAddress(address: string): boolean {
  // This layer knows no URL class.
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#\\]*@)?([^/?#\\]*)/i.exec(address)?.[1] ?? '';
  return isNearHost(host.replace(/:\d*$/, ''));
}
