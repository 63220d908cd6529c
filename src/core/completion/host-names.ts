/** Names of hosts in the text of an ssh configuration; patterns are none. */
export function readSshHosts(text: string): readonly string[] {
  return directives(text, /^(?:host)$/i).filter((name) => !/[*?!%]/.test(name));
}

/** What an ssh configuration includes, as patterns. */
export function readSshIncludes(text: string): readonly string[] {
  return directives(text, /^include$/i);
}

/** Names in a known_hosts file that are not hashed. */
export function readKnownHosts(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !/^[#|\s]/.test(line))
    .map((line) => line.replace(/^@\S+\s+/, '').split(/\s/, 1)[0] ?? '')
    .flatMap((names) => names.split(','))
    .map((name) => name.replace(/^\[([^\]]+)\](?::\d+)?$/, '$1'))
    .filter((name) => name !== '' && !/[*?!|]/.test(name));
}

/** Names in a hosts file, those aside that every machine gives itself. */
export function readHostsFile(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
    .flatMap((line) => line.split(/\s+/).slice(1))
    .filter((name) => !/^(?:ip6-.*|broadcasthost)$/.test(name));
}

function directives(text: string, name: RegExp): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const [, key = '', rest = ''] = /^\s*([A-Za-z]+)(?:\s+|\s*=\s*)(.*)$/.exec(line) ?? [];
    if (!name.test(key)) return [];
    return (rest.replace(/\s+#.*$/, '').match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"|"$/g, ''));
  });
}
