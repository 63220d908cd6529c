import { joinedRegExp } from '../../text/joined-regexp.ts';
import type { Argument } from '../argument.ts';
import { classifyTyped } from '../custom/started-code.ts';
import { classifyInner, looksLikeCommand } from '../effects.ts';
import { type ChangeRule, changesByRule } from '../file-change.ts';
import type { Invocation } from '../parse.ts';
import { hasOption } from '../parse.ts';
import { holdsSecrets, namesSecretFile, usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import { type Call, type CommandSpec, type SpecTable, variants } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';
import { classifyJq } from './text-tools.ts';

const SSH = {
  any: true,
  options: '-p:i:l:o:F:L:R:D:J:b:c:E:e:I:m:O:Q:S:W:w:B:P:',
  on: { F: 'changes', I: 'starts' },
  inner: { after: 1, script: 'joined' },
  elsewhere: 'machine',
  custom: classifySsh,
} as const satisfies CommandSpec;

const CURL: CommandSpec = {
  any: true,
  options: `-d:F:T:H:o:X:u:e:A:b:c:D:K:x:m:w:P:U: data= data-binary= data-raw= data-urlencode= form= upload-file= header= output=
    output-dir= request= user= referer= user-agent= cookie= cookie-jar= dump-header= trace= trace-ascii= libcurl= etag-save= stderr= hsts=
    alt-svc= config= proxy= max-time= write-out=`,
  on: {
    'K config': 'starts',
    'o output output-dir c cookie-jar D dump-header trace trace-ascii libcurl etag-save stderr hsts alt-svc P': 'replace',
  },
  custom: classifyFetch,
};

/** File changes of curl if it writes only to the named file. */
const CURL_CHANGES: ChangeRule = {
  do: 'print',
  by: {
    'o output': 'target',
    's silent S show-error f fail fail-with-body L location i include I head k insecure v verbose g globoff G get N no-buffer': 'plain',
    'X request H header d data data-binary data-raw data-urlencode data-ascii json u user A user-agent e referer b cookie': 'plain',
    'm max-time connect-timeout retry retry-delay w write-out r range compressed http1.1 http2 4 6 F form form-string': 'plain',
    'T upload-file url-query no-progress-meter progress-bar path-as-is cacert cert key max-redirs limit-rate': 'plain',
  },
};

/** Options of `rsync` that write, start or read something besides the copied files. */
const RSYNC: Omit<CommandSpec, 'classify'> = {
  any: true,
  options: `-e:f:B:T:M:@: rsh= rsync-path= exclude= include= filter= exclude-from= include-from= files-from= bwlimit= port= password-file=
    out-format= log-file= log-file-format= info= debug= timeout= contimeout= chmod= chown= usermap= groupmap= backup-dir= suffix=
    temp-dir= partial-dir= compare-dest= copy-dest= link-dest= write-batch= only-write-batch= read-batch= remote-option= max-size=
    min-size= max-delete= block-size= modify-window= address= sockopts= outbuf= iconv= protocol= checksum-choice= compress-choice=
    compress-level= skip-compress= early-input= copy-as= config= stop-after= stop-at=`,
  on: {
    'log-file': 'add',
    'backup-dir temp-dir T partial-dir': 'add',
    'write-batch only-write-batch': 'replace',
    'password-file early-input': 'content',
    'exclude-from include-from': 'content',
    'read-batch daemon config': 'changes',
    'copy-as': 'privileged',
  },
};

/** Programs that open connections. */
export const NETWORK: SpecTable = {
  curl: {
    ...CURL,
    changes: (given, { name }) => (writesByFormat(given) || writesByAddress(given) ? null : changesByRule(CURL_CHANGES, given, name)),
  },
  'http https xh aria2c httpie': { ...CURL },
  wget: {
    any: true,
    options: `-O:o:a:P:e:i:U:t:T:w:Q:A:R:D:I:X:B:l: output-document= output-file= append-output= directory-prefix= execute= input-file=
      user-agent= tries= timeout= wait= quota= accept= reject= domains= level= base= header= method= user= password= post-file= post-data=
      body-file= body-data= save-cookies= load-cookies= warc-file= hsts-file= rejected-log= config= use-askpass=`,
    on: {
      'config use-askpass': 'starts',
      'O output-document o output-file a append-output P directory-prefix save-cookies warc-file hsts-file rejected-log': 'replace',
    },
    custom: classifyFetch,
  },
  'nc ncat netcat socat websocat telnet': { any: true, custom: classifySocket },
  ssh: SSH,
  autossh: { ...SSH, options: `${SSH.options}M:` },
  mosh: { ...SSH, options: '-p: ssh= port= client= server= predict= family= bind-server= ssh-pty' },
  rsync: { ...RSYNC, custom: (given, call) => [...classifyRsync(given, call), ...classifyTransfer(given, call)] },
  'scp sftp rclone tftp smbclient croc magic-wormhole wormhole lftp ftp': {
    any: true,
    options: `-e:P:i:o:l:c:F:J:S:b:D:X:f:B:T: rsh= rsync-path= exclude= include= filter= exclude-from= include-from= files-from= bwlimit=
      port= password-file= out-format= log-file= info= timeout= chmod= chown=`,
    custom: (given, call) => [...classifyTransfer(given, call), ...classifyTyped(given, ['c', 'e'], call), ...classifyPut(given, call)],
  },
  'ping ping6 traceroute tracepath whois dig nslookup host': {
    any: true,
    options: '-c:i:W:w:s:t:m:q:p:x:',
    custom: classifyLookup,
    changes: { do: 'print', by: { 'c i W w s t m q p x n v a 4 6 O D': 'plain' } },
  },
  [`mtr nmap masscan iperf iperf3 arping fping hping3 nikto curlie grpcurl openvpn wg wg-quick wireshark
    ngrok cloudflared localtunnel tailscale ab wrk hey siege k6 speedtest speedtest-cli`]: { any: true, custom: classifyLookup },
  'gh glab hub': {
    any: true,
    options: '-q:t:X: jq= template= method=',
    custom: ({ operands, options }, { words, scope }) => {
      const [group, verb] = operands.map(({ value }) => value ?? '');
      if (group === undefined || group === 'version' || group === 'help') return [];
      if (group === 'auth' || group === 'secret') return [effect('network'), effect('secrets', 'credentials of a forge')];
      if (/^(alias|extension|config)$/.test(group) && /^(list|ls|get)$/.test(verb ?? '')) return [];
      if (/^(alias|extension|config)$/.test(group)) return [effect('plants', 'settings of the client of a forge')];
      const isLoss = verb === 'delete' || verb === 'archive' || (group === 'api' && isDeletion(options));
      const filters = options.flatMap(({ name, value }) => (/^(q|jq)$/.test(name) ? (value?.value ?? []) : []));
      return [
        effect('network'),
        ...sentFile(words, scope),
        ...filters.flatMap(classifyJq),
        ...(isLoss ? [effect(group === 'repo' ? 'wrecks' : 'destroys', 'something on a forge')] : []),
      ];
    },
  },
  'mail mailx sendmail mutt msmtp swaks ssmtp': {
    any: true,
    custom: (given, call) => [effect('network', 'sends mail'), ...leaks(call, given.operands)],
  },
  ...variants(
    { any: true, effect: 'changes', custom: classifyKeys },
    {
      'ssh-keygen ssh-add ssh-copy-id age pass vault bw keyring security secret-tool': {},
      gpg: {},
      'gpg2 gpg-agent': {},
      op: { startsCommands: true },
    },
  ),
};

/** Uploading a credential to a code host sends it away. */
function sentFile(words: Call['words'], scope: Call['scope']): readonly Effect[] {
  return namesSecretFile(words, scope).length > 0 ? [effect('leaks', 'credentials')] : [];
}

/** Data that leaves the machine: secrets, the whole project, or the output of a command. */
function leaks(call: Call, words: readonly Argument[], takesFolders = false): readonly Effect[] {
  if (call.input.isSecret) return [effect('leaks', 'credentials')];
  if (call.input.programs.some((name) => ['tar', 'zip', 'env', 'printenv', 'git'].includes(name)))
    return [effect('leaks', 'the project or the environment')];
  const sent = words.find((word) => {
    const path = word.start.replace(/^.*?[@=]@?/, '');
    const named = path === '' ? word.start : path;
    const isSent = takesFolders ? holdsSecrets(named, call.scope, word.isGlob) : locate(named, call.scope.cwd, call.scope.context).isSecret;
    return word.isSecret || isSent;
  });
  if (sent !== undefined) return [effect('leaks', sent.text)];
  const woven = words.find((word) => word.hasOutput && word.isListed !== true);
  return woven === undefined ? [] : [effect('leaks', `the output of a command in ${woven.text}`)];
}

/** `curl -w '%output{file}'` writes to a file. */
function writesByFormat({ options }: Invocation): boolean {
  return options.some(({ name, value }) => /^(w|write-out)$/.test(name) && /%output\{/.test(value?.text ?? ''));
}

/** `curl -o '#1.html' 'https://x/{a,b}'` names its files after matches in the address. */
function writesByAddress({ options }: Invocation): boolean {
  return options.some(({ name, value }) => /^(o|output)$/.test(name) && /#\d/.test(value?.text ?? ''));
}

function isDeletion(options: Invocation['options']): boolean {
  return options.some(({ name, value }) => /^(X|request|method)$/.test(name) && /^DELETE$/i.test(value?.value ?? ''));
}

function classifyFetch(given: Invocation, call: Call): readonly Effect[] {
  const files = given.options.flatMap(({ value }) => value ?? []);
  const settings = given.options.filter(({ name }) => call.name.endsWith('wget') && (name === 'e' || name === 'execute'));
  const isOdd = settings.some(({ value }) => !/^robots\s*=\s*\w+$/.test(value?.value ?? ''));
  const written = writesByFormat(given);
  return [
    effect('network'),
    ...leaks(call, [...call.words, ...files]),
    ...(isDeletion(given.options) ? [effect('destroys', 'something on another machine')] : []),
    ...(isOdd ? [effect('starts', 'a setting of wget')] : []),
    ...(written ? [effect('destroys', 'a file that --write-out names')] : []),
  ];
}

const SHELLS = /^(\/\S*\/)?(ba|da|z|k|c|tc|a|mk)?sh$|^(python3?|perl|ruby|node|php)$/;

function classifySocket(given: Invocation, call: Call): readonly Effect[] {
  const isCat = /^(nc|ncat|netcat)$/.test(call.name);
  const opensShell = call.words.some(
    ({ start, value }) =>
      (isCat && /^-[a-z]*[ec]$/.test(start)) ||
      (isCat && /^--(sh-|lua-)?exec\b/.test(start)) ||
      /^(--)?(exec|sh-exec):/.test(start) ||
      /(^|,)(exec|system|shell):/i.test(start) ||
      value === '--sh-exec',
  );
  if (opensShell || call.input.programs.some((name) => SHELLS.test(name))) return [effect('remote code', 'a shell for another machine')];
  return [effect('network'), ...leaks(call, given.operands)];
}

/** ssh settings that name a program. */
const STARTING =
  /^\s*(ProxyCommand|LocalCommand|KnownHostsCommand|PKCS11Provider|SecurityKeyProvider|XAuthLocation)\s*[=\s]\s*(?!none\s*$)(.*)$/is;

function classifySettings(options: Invocation['options'], call: Call): readonly Effect[] {
  return options.flatMap(({ name, value }) => {
    if (name !== 'o') return [];
    if (value === null || value.value === null) return [effect('unclear', 'a setting of ssh')];
    const command = STARTING.exec(value.value)?.[2];
    if (command === undefined)
      return /^(Include|PermitLocalCommand(?:\s*=\s*|\s+)yes|IdentityAgent)/i.test(value.value) ? [effect('changes', value.text)] : [];
    call.classifyScript(command.replace(/%[a-zA-Z]/g, 'x'));
    return [effect('starts', value.text)];
  });
}

function classifySsh(given: Invocation, call: Call): readonly Effect[] {
  const run = classifyInner({ after: 1, script: 'joined' }, given, call);
  return [effect('network'), ...classifySettings(given.options, call), ...run, ...leaks(call, given.operands)];
}

/** Long options of rsync that change neither the places nor the transport of the copy. */
const PLAIN_LONG_OPTION = joinedRegExp(
  '',
  '^(dry-run|archive|verbose|recursive|itemize-changes|stats|human-readable|exclude|include|checksum|update',
  '|progress|info|out-format|existing|ignore-existing|size-only)$',
);

function classifyTransfer({ operands, options }: Invocation, call: Call): readonly Effect[] {
  const verb = call.name === 'rclone' ? (operands[0]?.value ?? '') : '';
  if (/^(delete|deletefile|purge|rmdirs?|cleanup|sync|move|moveto)$/.test(verb) && !hasOption({ options }, 'dry-run n'))
    return [
      effect(verb === 'purge' ? 'wrecks' : 'destroys', `rclone ${verb}`),
      effect('network'),
      ...operands.slice(-1).flatMap((word) => (/^[/~.]/.test(word.start) ? usePath(word, 'replace', call.scope) : [])),
      ...leaks(call, operands.slice(1, -1), true),
      ...wholeSent(operands, call),
    ];
  const isRemote = operands.some((word) => /^[\w.@-]+:(?!\\)|^\w+:\/\//.test(word.start) || word.value === null);
  const starting = options.filter(({ name }) => name === 'rsh' || name === 'e' || name === 'rsync-path');
  if (call.name === 'rsync' && starting.some(({ value }) => !isPlainShell(value?.value))) {
    for (const { value } of starting) if (looksLikeCommand(value?.value)) call.classifyScript(value?.value ?? '');
    return [effect('starts', 'a program that rsync starts')];
  }
  if (options.some(({ name }) => /^(del|delete.*|remove-source-files)$/.test(name))) {
    const emptied = isRemote ? [effect('network')] : operands.slice(-1).flatMap((word) => usePath(word, 'delete', call.scope));
    return [effect('destroys', 'files that the source does not have'), ...emptied, ...leaks(call, operands.slice(0, -1), isRemote)];
  }
  if (/^(scp|sftp)$/.test(call.name) && startsBySsh(call.words)) return [effect('starts', `a program that ${call.name} starts`)];
  if (!isRemote && call.name === 'rsync') {
    const isDry = hasOption({ options }, 'n dry-run');
    const isPlain = options.every(({ name }) => name.length === 1 || PLAIN_LONG_OPTION.test(name));
    return isDry && isPlain
      ? operands.slice(0, -1).flatMap((word) => usePath(word, 'name', call.scope))
      : operands.slice(-1).flatMap((word) => usePath(word, 'replace', call.scope));
  }
  const target = operands.length > 1 ? operands.at(-1) : undefined;
  const kept =
    target === undefined || target.value === null || /^[\w.@-]+:(?!\\)|^\w+:\/\//.test(target.start)
      ? []
      : usePath(target, 'replace', call.scope);
  return [effect('network'), ...kept, ...leaks(call, operands.slice(0, -1), true), ...wholeSent(operands, call)];
}

/** Files that a client's own commands send. */
function classifyPut({ options }: Invocation, { input, scope }: Call): readonly Effect[] {
  const told = options.flatMap(({ name, value }) => (/^[ce]$/.test(name) && value?.value) || []);
  const named = [...told, input.text ?? ''].flatMap((text) =>
    [...text.matchAll(/\b(?:m?put|send|reput)\s+(?:-\w+\s+)*(\S+)/g)].map(([, path = '']) => path),
  );
  const sent = named.find((path) => holdsSecrets(path.replace(/^~(?=\/)/, scope.context.home), scope));
  return sent === undefined ? [] : [effect('leaks', sent)];
}

/** The whole project, or more, among the copied files. */
function wholeSent(operands: readonly Argument[], { scope }: Call): readonly Effect[] {
  const isWhole = (word: Argument) => locate(word.value ?? word.start, scope.cwd, scope.context, word.isGlob).isWhole;
  return operands.slice(0, -1).some(isWhole) ? [effect('leaks', 'the whole of the project')] : [];
}

/** ssh with options that start nothing. */
const PLAIN_SHELL = joinedRegExp(
  '',
  String.raw`^(\/usr\/bin\/)?ssh(\s+(-[46ACTqvxk]+|-p\s*\d+|-i\s*[\w./~-]+|-l\s*\w+|-o\s*(StrictHostKeyChecking`,
  '|UserKnownHostsFile|ConnectTimeout|BatchMode|IdentitiesOnly|Compression|ServerAliveInterval|Port|User',
  String.raw`|Ciphers)=[\w./@,-]+))*$`,
);

/** Whether a connection uses ssh with its everyday options. */
function isPlainShell(command: string | null | undefined): boolean {
  return typeof command === 'string' && PLAIN_SHELL.test(command);
}

/** ssh options that name a program, or a file with programs. */
function startsBySsh(words: readonly Argument[]): boolean {
  return words.some(
    ({ start }) =>
      /^-[46ABCTpqrv]*[SFD]/.test(start) ||
      /^(-o)?\s*(ProxyCommand|LocalCommand|PermitLocalCommand|KnownHostsCommand|PKCS11Provider|SecurityKeyProvider)\b/i.test(start),
  );
}

function classifyLookup(_: Invocation, call: Call): readonly Effect[] {
  const scripts = call.words.filter(
    ({ start }, at) => call.name === 'nmap' && (start.startsWith('--script=') || call.words[at - 1]?.value === '--script'),
  );
  if (scripts.some(({ start }) => /[./]/.test(start.replace(/^--script=/, ''))))
    return [effect('network'), effect('starts', 'a script of nmap')];
  return [effect('network'), ...leaks(call, call.words)];
}

/** Classifies a program that stores keys or passwords: some of its calls show only public data. */
function classifyKeys(_: Invocation, { name, words }: Call): readonly Effect[] {
  const [first] = words;
  const plain = words.every(({ value }) => value !== null && !/^-/.test(value.replace(/^-(l|f|E|v|lf|lvf|F|H)$/, '')));
  if (name === 'ssh-keygen' && plain && /^-(l|lf|lvf|F)$/.test(first?.value ?? '')) return [];
  if (name === 'ssh-add' && words.length === 1 && /^-[lL]$/.test(first?.value ?? '')) return [];
  const asks = words
    .slice(1)
    .every(({ value }) => value !== null && /^(--(with-colons|with-fingerprint|keyid-format|with-keygrip)|[^-].*)$/.test(value));
  if (/^gpg2?$/.test(name) && asks && /^(--(list-keys|list-public-keys|fingerprint|verify|list-sigs|version)|-k)$/.test(first?.value ?? ''))
    return [];
  if (name === 'ssh-copy-id') return [effect('network'), effect('plants', 'a key on another machine')];
  if (words.some(({ value }) => value !== null && /delete|remove|-D$|revoke|destroy/.test(value))) return [effect('destroys', 'keys')];
  if (
    ['pass', 'op', 'vault', 'bw', 'security', 'secret-tool', 'keyring'].includes(name) ||
    words.some(({ value }) => value !== null && /export|decrypt|-d$|secret/.test(value))
  )
    return [effect('secrets', name), ...(words.some(({ start }) => /^(-\w*o|--output)/.test(start)) ? [effect('changes', 'a file')] : [])];
  return [effect('changes', 'keys')];
}

/** Options with effects of their own, and the local files that a copy sends. */
function classifyRsync({ options, operands }: Invocation, { scope }: Call): readonly Effect[] {
  const found = options.flatMap(({ name, value }) => {
    if (value === null) return [];
    if (name === 'files-from') return classifyList(value, scope);
    if (name === 'chmod' && (value.value === null || /s|\d{4}/.test(value.value)))
      return [effect('privileged', 'sets a mode that lends rights')];
    if (name !== 'M' && name !== 'remote-option') return [];
    const path = /^--?[\w-]+=(.*)$/s.exec(value.value ?? '')?.[1];
    const written = path === undefined ? [] : usePath({ ...value, value: path, start: path }, 'add', scope);
    return [effect('changes', `the option ${value.text} of the other side`), ...written];
  });
  const sources = operands.slice(0, -1).filter(({ start }) => !/^[\w.@-]+:|^\w+:\/\//.test(start));
  const kept = sources.filter((word) => holdsSecrets(word.value ?? word.start, scope, word.isGlob));
  return [...found, ...kept.map((word) => effect('secrets', word.text)), ...sources.flatMap((word) => usePath(word, 'content', scope))];
}

/** A list may come from another machine, and then its names are unknown. */
function classifyList(list: Invocation['operands'][number], scope: Call['scope']): readonly Effect[] {
  if (list.value === null || /^[^/]*:/.test(list.value)) return [effect('network', `the list ${list.text}`)];
  return [effect('changes', 'a list of what is copied'), ...usePath(list, 'content', scope)];
}
