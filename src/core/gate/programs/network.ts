import type { Argument } from '../argument.ts';
import { find } from '../findings.ts';
import { looksLikeCommand } from '../looks-like-command.ts';
import type { GivenWords } from '../options.ts';
import { holdsSecrets, namesSecretFile, usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import type { Call, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';
import { judgeRsync, RSYNC } from './rsync.ts';
import { judgeTyped } from './started-words.ts';

/** Programs that open connections. */
export const NETWORK: RuleTable = {
  'curl http https xh aria2c httpie': {
    any: true,
    short: 'd:F:T:H:o:X:u:e:A:b:c:D:K:x:m:w:P:U:',
    long: 'data= data-binary= data-raw= data-urlencode= form= upload-file= header= output= output-dir= request= user= referer= user-agent= cookie= cookie-jar= dump-header= trace= trace-ascii= libcurl= etag-save= stderr= hsts= alt-svc= config= proxy= max-time= write-out=',
    on: {
      'K config': 'starts',
      'o output output-dir c cookie-jar D dump-header trace trace-ascii libcurl etag-save stderr hsts alt-svc P':
        'replace',
    },
    judge: judgeFetch,
  },
  wget: {
    any: true,
    short: 'O:o:a:P:e:i:U:t:T:w:Q:A:R:D:I:X:B:l:',
    long: 'output-document= output-file= append-output= directory-prefix= execute= input-file= user-agent= tries= timeout= wait= quota= accept= reject= domains= level= base= header= method= user= password= post-file= post-data= body-file= body-data= save-cookies= load-cookies= warc-file= hsts-file= rejected-log= config= use-askpass=',
    on: {
      'config use-askpass': 'starts',
      'O output-document o output-file a append-output P directory-prefix save-cookies warc-file hsts-file rejected-log':
        'replace',
    },
    judge: judgeFetch,
  },
  'nc ncat netcat socat telnet websocat': { any: true, judge: judgeSocket },
  'ssh mosh autossh': {
    stops: true,
    any: true,
    short: 'p:i:l:o:F:L:R:D:J:b:c:E:e:I:m:O:Q:S:W:w:',
    on: { F: 'changes', I: 'starts' },
    judge: judgeSsh,
  },
  rsync: {
    ...RSYNC,
    judge: (given, call) => [...judgeRsync(given, call), ...judgeTransfer(given, call)],
  },
  'scp sftp rclone ftp lftp tftp smbclient croc magic-wormhole wormhole': {
    any: true,
    short: 'e:P:i:o:l:c:F:J:S:b:D:X:f:B:T:',
    long: 'rsh= rsync-path= exclude= include= filter= exclude-from= include-from= files-from= bwlimit= port= password-file= out-format= log-file= info= timeout= chmod= chown=',
    judge: (given, call) => [
      ...judgeTransfer(given, call),
      ...judgeTyped(given, ['c', 'e'], call),
      ...judgePut(given, call),
    ],
  },
  'ping ping6 traceroute tracepath mtr dig nslookup host whois nmap masscan iperf iperf3 arping fping hping3 nikto curlie grpcurl openvpn wg wg-quick tcpdump tshark wireshark ngrok cloudflared localtunnel tailscale ab wrk hey siege k6 speedtest speedtest-cli':
    { any: true, judge: judgeLookup },
  'gh glab hub': {
    any: true,
    judge: ({ operands }, { words, scope }) => {
      const [group, verb] = operands.map(({ value }) => value ?? '');
      if (group === undefined || group === 'version' || group === 'help') return [];
      if (group === 'auth' || group === 'secret') return [find('network'), find('secrets', 'credentials of a forge')];
      if (/^(alias|extension|config)$/.test(group) && /^(list|ls|get)$/.test(verb ?? '')) return [];
      if (/^(alias|extension|config)$/.test(group)) return [find('plants', 'settings of the client of a forge')];
      const isLoss = verb === 'delete' || verb === 'archive';
      return [
        find('network'),
        ...sentFile(words, scope),
        ...(isLoss ? [find(group === 'repo' ? 'wrecks' : 'destroys', 'something on a forge')] : []),
      ];
    },
  },
  'mail mailx sendmail mutt msmtp swaks ssmtp': {
    any: true,
    judge: (given, call) => [find('network', 'sends mail'), ...leaks(call, given.operands)],
  },
  'ssh-keygen ssh-add ssh-agent ssh-copy-id gpg gpg2 gpg-agent age pass op vault bw keyring security secret-tool': {
    any: true,
    effect: 'changes',
    judge: judgeKeys,
  },
};

/** A credential that is put on a forge is sent away. */
function sentFile(words: Call['words'], scope: Call['scope']): readonly Finding[] {
  return namesSecretFile(words, scope).length > 0 ? [find('leaks', 'credentials')] : [];
}

/** What goes out: secrets, the whole project, or what another command printed. */
function leaks(call: Call, words: readonly Argument[], takesFolders = false): readonly Finding[] {
  if (call.input.isSecret) return [find('leaks', 'credentials')];
  if (call.input.programs.some((name) => ['tar', 'zip', 'env', 'printenv', 'git'].includes(name)))
    return [find('leaks', 'the project or the environment')];
  const sent = words.find((word) => {
    const path = word.start.replace(/^.*?[@=]@?/, '');
    const named = path === '' ? word.start : path;
    const isSent = takesFolders
      ? holdsSecrets(named, call.scope, word.isGlob)
      : locate(named, call.scope.cwd, call.scope.ground).isSecret;
    return word.isSecret || isSent;
  });
  if (sent !== undefined) return [find('leaks', sent.text)];
  const woven = words.find((word) => word.hasOutput && word.isListed !== true);
  return woven === undefined ? [] : [find('leaks', `the output of a command in ${woven.text}`)];
}

function judgeFetch(given: GivenWords, call: Call): readonly Finding[] {
  const files = given.options.flatMap(({ value }) => value ?? []);
  const method = given.options.find(({ name }) => name === 'X' || name === 'request')?.value?.value;
  const settings = given.options.filter(
    ({ name }) => call.name.endsWith('wget') && (name === 'e' || name === 'execute'),
  );
  const isOdd = settings.some(({ value }) => !/^robots\s*=\s*\w+$/.test(value?.value ?? ''));
  const written = given.options.some(
    ({ name, value }) => /^(w|write-out)$/.test(name) && /%output\{/.test(value?.text ?? ''),
  );
  const deletes = method !== null && method !== undefined && /^DELETE$/i.test(method);
  return [
    find('network'),
    ...leaks(call, [...call.words, ...files]),
    ...(deletes ? [find('destroys', 'something on another machine')] : []),
    ...(isOdd ? [find('starts', 'a setting of wget')] : []),
    ...(written ? [find('destroys', 'a file that --write-out names')] : []),
  ];
}

const SHELLS = /^(\/\S*\/)?(ba|da|z|k|c|tc|a|mk)?sh$|^(python3?|perl|ruby|node|php)$/;

function judgeSocket(given: GivenWords, call: Call): readonly Finding[] {
  const isCat = /^(nc|ncat|netcat)$/.test(call.name);
  const opensShell = call.words.some(
    ({ start, value }) =>
      (isCat && /^-[a-z]*[ec]$/.test(start)) ||
      (isCat && /^--(sh-|lua-)?exec\b/.test(start)) ||
      /^(--)?(exec|sh-exec):/.test(start) ||
      /(^|,)(exec|system|shell):/i.test(start) ||
      value === '--sh-exec',
  );
  if (opensShell || call.input.programs.some((name) => SHELLS.test(name)))
    return [find('remote code', 'a shell for another machine')];
  return [find('network'), ...leaks(call, given.operands)];
}

/** Settings of ssh that name a program. */
const STARTING =
  /^\s*(ProxyCommand|LocalCommand|KnownHostsCommand|PKCS11Provider|SecurityKeyProvider|XAuthLocation)\s*[=\s]\s*(?!none\s*$)(.*)$/is;

function judgeSettings(options: GivenWords['options'], call: Call): readonly Finding[] {
  return options.flatMap(({ name, value }) => {
    if (name !== 'o') return [];
    if (value === null || value.value === null) return [find('unclear', 'a setting of ssh')];
    const command = STARTING.exec(value.value)?.[2];
    if (command === undefined)
      return /^(Include|PermitLocalCommand\s*[= ]\s*yes|IdentityAgent)/i.test(value.value)
        ? [find('changes', value.text)]
        : [];
    call.judgeScript(command.replace(/%[a-zA-Z]/g, 'x'));
    return [find('starts', value.text)];
  });
}

function judgeSsh({ operands, options }: GivenWords, call: Call): readonly Finding[] {
  const [, ...command] = operands;
  const values = command.flatMap(({ value }) => (value === null ? [] : [value]));
  if (command.length > 0 && values.length === command.length) call.judgeScript(values.join(' '));
  return [
    find('network'),
    ...judgeSettings(options, call),
    ...(command.length > values.length ? [find('unclear', 'what runs on the other machine')] : []),
    ...leaks(call, operands),
  ];
}

function judgeTransfer({ operands, options }: GivenWords, call: Call): readonly Finding[] {
  const verb = call.name === 'rclone' ? (operands[0]?.value ?? '') : '';
  if (
    /^(delete|deletefile|purge|rmdirs?|cleanup|sync|move|moveto)$/.test(verb) &&
    !options.some(({ name }) => name === 'dry-run' || name === 'n')
  )
    return [
      find(verb === 'purge' ? 'wrecks' : 'destroys', `rclone ${verb}`),
      find('network'),
      ...operands.slice(-1).flatMap((word) => (/^[/~.]/.test(word.start) ? usePath(word, 'replace', call.scope) : [])),
      ...leaks(call, operands.slice(1, -1), true),
      ...wholeSent(operands, call),
    ];
  const isRemote = operands.some((word) => /^[\w.@-]+:(?!\\)|^\w+:\/\//.test(word.start) || word.value === null);
  const starting = options.filter(({ name }) => name === 'rsh' || name === 'e' || name === 'rsync-path');
  if (call.name === 'rsync' && starting.some(({ value }) => !isPlainShell(value?.value))) {
    for (const { value } of starting) if (looksLikeCommand(value?.value)) call.judgeScript(value?.value ?? '');
    return [find('starts', 'a program that rsync starts')];
  }
  if (options.some(({ name }) => /^(del|delete.*|remove-source-files)$/.test(name))) {
    const emptied = isRemote
      ? [find('network')]
      : operands.slice(-1).flatMap((word) => usePath(word, 'delete', call.scope));
    return [find('destroys', 'what is not at the source'), ...emptied, ...leaks(call, operands.slice(0, -1), isRemote)];
  }
  if (/^(scp|sftp)$/.test(call.name) && startsBySsh(call.words))
    return [find('starts', `a program that ${call.name} starts`)];
  if (!isRemote && call.name === 'rsync') {
    const isDry = options.some(({ name }) => name === 'n' || name === 'dry-run');
    const isPlain = options.every(
      ({ name }) =>
        name.length === 1 ||
        /^(dry-run|archive|verbose|recursive|itemize-changes|stats|human-readable|exclude|include|checksum|update|progress|info|out-format|existing|ignore-existing|size-only)$/.test(
          name,
        ),
    );
    return isDry && isPlain
      ? operands.slice(0, -1).flatMap((word) => usePath(word, 'name', call.scope))
      : operands.slice(-1).flatMap((word) => usePath(word, 'replace', call.scope));
  }
  const target = operands.length > 1 ? operands.at(-1) : undefined;
  const kept =
    target === undefined || target.value === null || /^[\w.@-]+:(?!\\)|^\w+:\/\//.test(target.start)
      ? []
      : usePath(target, 'replace', call.scope);
  return [find('network'), ...kept, ...leaks(call, operands.slice(0, -1), true), ...wholeSent(operands, call)];
}

/** Files that a client is told to send by its own commands. */
function judgePut({ options }: GivenWords, { input, scope }: Call): readonly Finding[] {
  const told = options.flatMap(({ name, value }) => (/^[ce]$/.test(name) && value?.value) || []);
  const named = [...told, input.text ?? ''].flatMap((text) =>
    [...text.matchAll(/\b(?:m?put|send|reput)\s+(?:-\w+\s+)*(\S+)/g)].map(([, path = '']) => path),
  );
  const sent = named.find((path) => holdsSecrets(path.replace(/^~(?=\/)/, scope.ground.home), scope));
  return sent === undefined ? [] : [find('leaks', sent)];
}

/** The whole of the project, or more, among what is copied. */
function wholeSent(operands: readonly Argument[], { scope }: Call): readonly Finding[] {
  const isWhole = (word: Argument) => locate(word.value ?? word.start, scope.cwd, scope.ground, word.isGlob).isWhole;
  return operands.slice(0, -1).some(isWhole) ? [find('leaks', 'the whole of the project')] : [];
}

/** A connection by ssh with its everyday options. */
function isPlainShell(command: string | null | undefined): boolean {
  return (
    typeof command === 'string' &&
    /^(\/usr\/bin\/)?ssh(\s+(-[46ACTqvxk]+|-p\s*\d+|-i\s*[\w./~-]+|-l\s*\w+|-o\s*(StrictHostKeyChecking|UserKnownHostsFile|ConnectTimeout|BatchMode|IdentitiesOnly|Compression|ServerAliveInterval|Port|User|Ciphers)=[\w./@,-]+))*$/.test(
      command,
    )
  );
}

/** Options of ssh that name a program, or a file that does. */
function startsBySsh(words: readonly Argument[]): boolean {
  return words.some(
    ({ start }) =>
      /^-[46ABCTpqrv]*[SFD]/.test(start) ||
      /^(-o)?\s*(ProxyCommand|LocalCommand|PermitLocalCommand|KnownHostsCommand|PKCS11Provider|SecurityKeyProvider)\b/i.test(
        start,
      ),
  );
}

function judgeLookup(_: GivenWords, call: Call): readonly Finding[] {
  const scripts = call.words.filter(
    ({ start }, at) =>
      call.name === 'nmap' && (start.startsWith('--script=') || call.words[at - 1]?.value === '--script'),
  );
  if (scripts.some(({ start }) => /[./]/.test(start.replace(/^--script=/, ''))))
    return [find('network'), find('starts', 'a script of nmap')];
  return [find('network'), ...leaks(call, call.words)];
}

function judgeKeys(_: GivenWords, { name, words }: Call): readonly Finding[] {
  const [first] = words;
  const plain = words.every(({ value }) => value !== null && !/^-/.test(value.replace(/^-(l|f|E|v|lf|lvf|F|H)$/, '')));
  if (name === 'ssh-keygen' && plain && /^-(l|lf|lvf|F)$/.test(first?.value ?? '')) return [];
  if (name === 'ssh-add' && words.length === 1 && /^-[lL]$/.test(first?.value ?? '')) return [];
  const asks = words
    .slice(1)
    .every(
      ({ value }) =>
        value !== null && /^(--(with-colons|with-fingerprint|keyid-format|with-keygrip)|[^-].*)$/.test(value),
    );
  if (
    /^gpg2?$/.test(name) &&
    asks &&
    /^(--(list-keys|list-public-keys|fingerprint|verify|list-sigs|version)|-k)$/.test(first?.value ?? '')
  )
    return [];
  if (name === 'ssh-copy-id') return [find('network'), find('plants', 'a key on another machine')];
  if (words.some(({ value }) => value !== null && /delete|remove|-D$|revoke|destroy/.test(value)))
    return [find('destroys', 'keys')];
  if (
    ['pass', 'op', 'vault', 'bw', 'security', 'secret-tool', 'keyring'].includes(name) ||
    words.some(({ value }) => value !== null && /export|decrypt|-d$|secret/.test(value))
  )
    return [find('secrets', name)];
  return [find('changes', 'keys')];
}
