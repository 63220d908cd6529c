import type { Argument } from '../../gate/argument.ts';
import { isGiven } from '../../gate/options.ts';
import type { EffectCall, EffectTable, ProgramEffect } from '../program-effect.ts';

const CURL = 'd:F:T:H:o:X:u:e:A:b:c:K:x:m:w:r:C:E:D:y:Y:z:t:Q:U:P:';
const WGET = 'O:P:o:a:e:i:T:t:w:Q:U:R:A:D:I:X:l:B:Y:';

/** Programs that open connections: with whom, and which files they write. */
export const NETWORK_EFFECTS: EffectTable = {
  curl: {
    grammar: {
      any: true,
      short: CURL,
      long: 'data= data-binary= data-raw= data-urlencode= data-ascii= json= form= form-string= upload-file= header= output= output-dir= request= user= referer= user-agent= cookie= cookie-jar= config= proxy= max-time= connect-timeout= retry= retry-delay= write-out= url= range= continue-at= cert= key= cacert= capath= dump-header= trace= trace-ascii= stderr= resolve= connect-to= interface= limit-rate= unix-socket= netrc-file= etag-save= etag-compare= hsts= alt-svc= libcurl= proxy-user= max-redirs= max-filesize= ciphers= tls-max= proto= oauth2-bearer= time-cond= noproxy= socks5= socks5-hostname= dns-servers= local-port= quote= request-target= url-query= variable= expand-url= keepalive-time= speed-limit= speed-time= rate= ',
    },
    plan: planCurl,
  },
  wget: {
    grammar: {
      any: true,
      short: WGET,
      long: 'output-document= directory-prefix= output-file= append-output= execute= input-file= timeout= tries= wait= quota= user-agent= header= post-data= post-file= method= body-data= body-file= user= password= accept= reject= domains= level= limit-rate= save-cookies= load-cookies= referer= base= config= ca-certificate= certificate= private-key= warc-file= start-pos= rejected-log= default-page= progress= waitretry= cut-dirs= restrict-file-names= proxy-user= proxy-password=',
    },
    plan: planWget,
  },
  'ssh mosh autossh': { plan: planSsh, isElsewhere: true, ignoresOpaque: true },
  'scp sftp': { grammar: { any: true, short: 'c:D:F:i:J:l:o:P:S:X:b:B:R:s:' }, plan: planScp },
  'nc ncat netcat telnet': {
    grammar: { any: true, short: 'e:c:g:i:m:o:p:q:s:w:x:X:T:I:O:P:V:' },
    plan: ({ name, given, add }) => {
      const [host] = given.operands;
      if (isGiven(given, 'l', 'listen')) add({ do: 'unknown', reason: `${name} waits for whoever connects` });
      else if (host !== undefined) add({ do: 'host', name: host.value ?? host.text });
      if (isGiven(given, 'e', 'c', 'exec', 'sh-exec')) return 'unhandled';
      return undefined;
    },
  },
  'ping ping6 traceroute tracepath mtr dig nslookup host whois nmap': {
    grammar: { any: true, short: 'c:i:W:w:s:t:m:q:p:' },
    plan: ({ given, add }) => {
      const hosts = given.operands.filter(({ start }) => /[.:]|^localhost$/.test(start) || given.operands.length === 1);
      if (hosts.length === 0 || isGiven(given, 'f', 'oN', 'oA', 'oX', 'oG', 'o')) return 'unhandled';
      for (const { value, text } of hosts) add({ do: 'host', name: (value ?? text).replace(/^@/, '') });
      return undefined;
    },
  },
  'npm pnpm yarn bun npx bunx pnpx pip pip3 pipx uv uvx poetry cargo gem bundle go composer apt apt-get dnf yum brew':
    registry(),
  'docker podman nerdctl kubectl k oc helm': { plan: planContext },
};

/** A package manager talks to its registry only where the gate found a connection. */
function registry(): ProgramEffect {
  return {
    plan: ({ name, words, add }) => {
      const verb = words.find(({ start }) => !start.startsWith('-'))?.value ?? '';
      const isFetching =
        /^(i|ci|install|add|update|upgrade|publish|audit|outdated|view|info|search|get|mod|sync|fetch|login|download|create|dlx|exec|x|full-upgrade|dist-upgrade|remove-orphans|lock|tool|require|vendor)$/.test(
          verb,
        );
      if (isFetching || /^(npx|bunx|pnpx|uvx|pipx)$/.test(name)) add({ do: 'registry', program: name });
      return 'unhandled';
    },
    ignoresOpaque: true,
    fetches: (verb) =>
      /^(audit|outdated|view|info|show|search|whoami|ping|login|logout)$/.test(verb)
        ? null
        : 'which files it installs or changes, and what install scripts of packages do',
  };
}

const CONTEXTS = ['context', 'kube-context', 'c', 'H', 'host', 'cluster', 's', 'server'];

function planContext({ name, words, add }: EffectCall): 'unhandled' {
  const at = words.findIndex(({ start }) =>
    CONTEXTS.some((one) => start === `-${one}` || start === `--${one}` || start.startsWith(`--${one}=`)),
  );
  const word = words[at];
  const value = word?.start.includes('=') ? word.start.slice(word.start.indexOf('=') + 1) : words[at + 1]?.value;
  const isRemote = /^(kubectl|k|oc|helm)$/.test(name);
  if (at >= 0 && value !== undefined && value !== null && value !== '' && (isRemote || word?.start !== '-c'))
    add({ do: 'host', name: `${name} context ${value}` });
  else if (isRemote) add({ do: 'host', name: `${name}: its current context` });
  return 'unhandled';
}

function hostOfAddress(address: string): string | null {
  const found = /^(?:[a-z][\w+.-]*:\/\/)?(?:[^/@?#]*@)?(\[[^\]]*\]|[^/:?#]+)(:\d+)?/i.exec(address);
  return found?.[1] === undefined ? null : found[1] + (found[2] ?? '');
}

function addHost(word: Argument, add: EffectCall['add']): void {
  const known = word.value ?? (/^\w+:\/\/[^/]+\//.test(word.start) ? word.start : null);
  const host = known === null ? null : hostOfAddress(known);
  if (host === null) add({ do: 'unknown', reason: `which machine ${word.text} is` });
  else add({ do: 'host', name: host });
}

function lastName(address: string | null): string | null {
  const path = address?.replace(/[?#].*$/s, '').replace(/^[a-z]+:\/\//i, '');
  const name = path?.includes('/') === true ? path.slice(path.lastIndexOf('/') + 1) : '';
  return name === '' || /[{}[\]]/.test(name) ? null : name;
}

function planCurl({ given, word, add }: EffectCall): 'unhandled' | undefined {
  const urls = [
    ...given.operands,
    ...given.options.filter(({ name }) => name === 'url').flatMap(({ value }) => value ?? []),
  ];
  for (const one of urls) addHost(one, add);
  for (const { name, value } of given.options) {
    if (value !== null && /^(x|proxy)$/.test(name)) addHost(value, add);
    if (value !== null && /^(T|upload-file)$/.test(name)) add({ do: 'note', text: sends(value.text) });
    if (value !== null && /^(d|data.*|F|form|json)$/.test(name) && /@|=</.test(value.start))
      add({ do: 'note', text: sends(value.text.replace(/^[^@<]*[@<]/, '')) });
    if (
      value !== null &&
      /^(c|cookie-jar|D|dump-header|trace|trace-ascii|stderr|libcurl|etag-save|hsts|alt-svc)$/.test(name) &&
      value.value !== '-'
    )
      add({ do: 'write', targets: [word(value)], how: 'replace' });
  }
  const folder = given.options.find(({ name }) => name === 'output-dir')?.value;
  const prefix = folder === undefined || folder === null ? '' : folder.value === null ? null : `${folder.value}/`;
  const outputs = given.options
    .filter(({ name }) => name === 'o' || name === 'output')
    .flatMap(({ value }) => value ?? []);
  for (const one of outputs)
    if (one.value !== '-')
      add({
        do: 'write',
        targets: [
          {
            text: one.text,
            path: prefix === null || one.value === null || /#\d/.test(one.value) ? null : prefix + one.value,
          },
        ],
        how: 'replace',
      });
  if (given.options.some(({ name }) => /^(O|J|remote-name(-all)?|remote-header-name)$/.test(name)))
    for (const one of urls) {
      const name = given.options.some((option) => option.name === 'J' || option.name === 'remote-header-name')
        ? null
        : lastName(one.value);
      add({
        do: 'write',
        targets: [
          {
            text: name ?? `the file that ${one.text} names`,
            path: name === null || prefix === null ? null : prefix + name,
          },
        ],
        how: 'replace',
      });
    }
  if (isGiven(given, 'create-dirs')) add({ do: 'unknown', reason: 'the folders that curl makes' });
  return isGiven(given, 'K', 'config') || urls.length === 0 ? 'unhandled' : undefined;
}

function planWget({ given, word, add }: EffectCall): 'unhandled' | undefined {
  for (const one of given.operands) addHost(one, add);
  const { options } = given;
  for (const { name, value } of options)
    if (value !== null && /^(o|output-file|a|append-output|save-cookies|rejected-log)$/.test(name))
      add({ do: 'write', targets: [word(value)], how: name === 'a' ? 'add' : 'replace' });
  if (options.some(({ name }) => name === 'spider')) return undefined;
  if (
    isGiven(
      given,
      'r',
      'recursive',
      'm',
      'mirror',
      'p',
      'page-requisites',
      'i',
      'input-file',
      'e',
      'execute',
      'x',
      'force-directories',
      'content-disposition',
      'warc-file',
      'config',
    )
  ) {
    add({ do: 'unknown', reason: 'which files wget makes' });
    return undefined;
  }
  const output = options.find(({ name }) => name === 'O' || name === 'output-document')?.value;
  if (output !== undefined && output !== null) {
    if (output.value !== '-') add({ do: 'write', targets: [word(output)], how: 'replace' });
    return undefined;
  }
  const folder = options.find(({ name }) => name === 'P' || name === 'directory-prefix')?.value;
  for (const one of given.operands) {
    const name = one.value === null ? null : (lastName(one.value) ?? 'index.html');
    const path =
      name === null || folder?.value === null
        ? null
        : folder === undefined || folder === null
          ? name
          : `${folder.value}/${name}`;
    if (folder !== undefined && folder !== null) add({ do: 'make-folder', targets: [word(folder)], parents: true });
    add({
      do: 'write',
      targets: [{ text: path ?? `the file that ${one.text} names`, path }],
      how: 'add',
      onlyMissing: true,
      orBeside: true,
    });
  }
  return given.operands.length === 0 ? 'unhandled' : undefined;
}

/** Of curl a minus stands for what it reads from a pipe, and so does a dot that waits for nothing. */
function sends(name: string): string {
  return /^[-.](?:;|$)/.test(name) ? 'sends what it is given to read' : `sends the file ${name}`;
}

function planSsh({ given, add, name }: EffectCall): void {
  const [host, ...command] = given.operands;
  addJumps(given, add);
  if (host !== undefined) add({ do: 'host', name: (host.value ?? host.text).replace(/^(ssh:\/\/)?[^@]*@/, '') });
  if (host !== undefined && command.length > 0)
    add({ do: 'unknown', reason: `what ${command.map(({ text }) => text).join(' ')} does on ${host.text}` });
  else if (host !== undefined) add({ do: 'unknown', reason: `what is typed on ${host.text}` });
  const tunnel = given.options.find((option) => ['L', 'R', 'D'].includes(option.name));
  if (tunnel !== undefined) add({ do: 'note', text: `${name} opens a tunnel: ${tunnel.value?.text ?? ''}` });
}

/** The machines that a connection goes through: whoever has one of them sees where it goes, and is talked to first. */
function addJumps({ options }: EffectCall['given'], add: EffectCall['add']): void {
  for (const { name, value } of options) {
    const text = value?.value ?? value?.text;
    if (text === undefined) continue;
    const jumps = name === 'J' ? text : /^ProxyJump(?:\s*=\s*|\s+)(.+)$/i.exec(name === 'o' ? text : '')?.[1];
    if (jumps === undefined || jumps === 'none') continue;
    for (const jump of jumps.split(','))
      add({ do: 'host', name: jump.replace(/^(?:ssh:\/\/)?(?:[^@]*@)?(\[[^\]]*\]|[^:]*).*$/, '$1') });
  }
}

function planScp({ name, given, word, add }: EffectCall): void {
  const places = given.operands.map(word);
  const isRemote = ({ path, text }: { readonly path: string | null; readonly text: string }): boolean =>
    /^[\w.@-]+:|^\w+:\/\/|^\[/.test(path ?? text);
  const hosts = places
    .filter(isRemote)
    .map(({ path, text }) => /^(?:\w+:\/\/)?(?:[^@/]*@)?(\[[^\]]*\]|[^:/]+)/.exec(path ?? text)?.[1] ?? text);
  for (const host of name === 'sftp' && places[0] !== undefined && hosts.length === 0
    ? [places[0].text.replace(/^.*@/, '')]
    : hosts)
    add({ do: 'host', name: host });
  addJumps(given, add);
  const target = places.at(-1);
  if (name === 'sftp') add({ do: 'unknown', reason: 'what sftp is told to do' });
  else if (target === undefined || places.length < 2) return;
  else if (hosts.length === 0)
    add({ do: 'copy', sources: places.slice(0, -1), target, follows: 'all', recursive: isGiven(given, 'r') });
  else if (isRemote(target)) for (const one of places.slice(0, -1)) add({ do: 'note', text: `sends ${one.text}` });
  else if (isGiven(given, 'r'))
    add({ do: 'unknown', reason: `what scp puts into ${target.text} from another machine` });
  else
    for (const one of places.slice(0, -1)) {
      const base = one.path?.split(/[:/]/).at(-1);
      if (base === undefined || base === '' || /[*?[]/.test(base))
        add({ do: 'unknown', reason: `what scp puts into ${target.text} from another machine` });
      else add({ do: 'write', targets: [target], how: 'replace', within: base });
    }
}
