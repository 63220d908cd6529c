import { joinedRegExp } from '../../text/joined-regexp.ts';
import { looksLikeCommand } from '../effects.ts';
import { type Invocation, isGiven } from '../parse.ts';
import { type Call, type SpecTable, variants } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

/** System package managers. */
export const SYSTEM_PACKAGES: SpecTable = {
  ...variants(
    { any: true, custom: classifySystemPackages },
    {
      [`apt apt-get aptitude dnf yum zypper apk snap flatpak port pkg pacman yay paru rpm dpkg emerge xbps-install nix-env nix-shell
        nix-channel brew`]: {},
      nix: { startsCommands: true },
    },
  ),
  'apt-mark': {
    sub: { 'showmanual showauto showhold showinstall': { any: true, on: { 'o option c config-file': 'runs' } } },
    effect: 'privileged',
  },
  'update-alternatives': {
    any: true,
    custom: (_, { words }) =>
      /^--(display|list|query|get-selections)$/.test(words[0]?.value ?? '') && words.length <= 2
        ? []
        : [effect('privileged', 'which program a name stands for')],
  },
  'apt-file': { sub: { 'search list show find': { any: true } }, effect: 'network' },
  'xbps-query': {
    options: `-dlHLmOSsfxXopv list-pkgs list-hold-pkgs list-repos list-manual-pkgs list-orphans show search files deps revdeps ownedby
      property regex verbose`,
  },
  equery: {
    options: '-q',
    effect: 'runs',
    sub: {
      'list l belongs b files f depends d depgraph g hasuse h uses u which w size s meta m keywords y': {
        options: '-IpoFifaDqlUN',
        operands: 'text',
      },
    },
  },
  'qlist qfile qsize quse qdepends': { options: '-IvqeaSUL', operands: 'text' },
  pactree: { options: '-rd:sulaogc reverse depth= sync unique linear ascii optional? graph color' },
  debsums: { options: '-acels all changed config list-missing silent' },
  opkg: {
    options: '-A',
    effect: 'privileged',
    sub: { 'list list-installed list-upgradable info status files search depends whatdepends print-architecture': { options: '-A' } },
  },
  'apt-key add-apt-repository dpkg-reconfigure debconf-set-selections': { any: true, effect: 'privileged' },
  'dpkg-query': {
    options: '-lWsLSpcf:h list show status listfiles search print-avail control-list control-path showformat= no-pager',
    operands: 'text',
  },
  guix: {
    any: true,
    startsCommands: true,
    custom: (given, call) =>
      call.words.length <= 3 &&
      call.words[0]?.value === 'package' &&
      /^(-I|-l|-A|--list-(installed|generations|available)(=\S*)?|--search-paths)$/.test(call.words[1]?.value ?? '') &&
      call.words[2]?.start.startsWith('-') !== true
        ? []
        : classifySystemPackages(given, call),
  },
  'apt-config': { sub: { dump: { options: 'empty no-empty' } }, effect: 'privileged' },
  // It may build the queried path.
  'nix-store': {
    lenient: true,
    options: `-qRfub: query outputs requisites references referrers referrers-closure deriver graph tree binding= hash size roots
      use-output force-realise include-outputs gc print-roots print-live print-dead verify check-contents`,
    custom: ({ options }) =>
      isGiven({ options }, 'q', 'query', 'print-roots', 'print-live', 'print-dead', 'verify')
        ? []
        : [effect('privileged', 'packages of the system')],
    on: { 'f force-realise u use-output': 'changes' },
    operands: 'name',
  },
  'apt-cache': {
    lenient: true,
    options: `-qiano:c: quiet important full all-versions no-all-versions all-names generate names-only recurse installed no-pre-depends
      no-depends no-recommends no-suggests no-conflicts no-breaks no-replaces no-enhances option= config-file=`,
    on: { 'o option c config-file': 'runs' },
    custom: ({ operands }) => (operands[0]?.start === 'gencaches' ? [effect('privileged')] : []),
  },
};

/** Queries that may refresh the package lists. */
const REFRESHES: Readonly<Record<string, RegExp>> = {
  dnf: /^(list|info|search|repolist|provides)$/,
  yum: /^(list|info|search|repolist|provides)$/,
  zypper: /^(se|search|info)$/,
  brew: /^(info|deps|outdated|uses|cat|desc)$/,
};

const QUERIES: Readonly<Record<string, RegExp>> = {
  apt: /^(list|show|search|policy|depends|rdepends|--installed)$/,
  'apt-get': /^check$/,
  dnf: /^(list|info|search|repolist|provides)$/,
  yum: /^(list|info|search|repolist|provides)$/,
  brew: /^(list|ls|info|deps|leaves|config|doctor|--prefix|--cellar|--caskroom|--repository|--version|outdated|uses|cat|desc)$/,
  pacman: /^(-Q[a-z]*|-S[si]+|-F[lx]?)$/,
  snap: /^(list|version|services|connections|changes)$/,
  port: /^(installed|list|info|contents|provides)$/,
  guix: /^(show|describe|search)$/,
  'nix-channel': /^--list$/,
  pkg: /^(info|query|which)$/,
  'nix-env': /^(-qa?|--query)$/,
  emerge: /^(--search|-s|--info)$/,
  flatpak: /^(list|info)$/,
  apk: /^(list|info|search)$/,
  zypper: /^(se|search|info|lr|repos)$/,
  rpm: /^(-q[a-z]*|-V[afv]*|--verify|-Kv?|--checksig|--querytags)$/,
  dpkg: joinedRegExp(
    '',
    '^(-l|-L|-s|-S|-c|-I|-V|-C|--audit|--contents|--info|--verify|--compare-versions|--print-foreign-architectures|--list',
    '|--status|--listfiles|--search|--get-selections|--print-architecture)$',
  ),
};

/** Complete read-only lines. */
const PLAIN_QUERIES: Readonly<Record<string, RegExp>> = {
  brew: /^(tap|services( list| info \w+)?)$/,
  nix: /^(profile list|path-info( -\w+)*( \/[\w./-]+)?|registry list|why-depends \S+ \S+)$/,
  guix: /^(size [\w-]+|gc --list-(live|dead)|system list-generations)$/,
};

/** Query options that start nothing and change no setting; the words after the verb have no others. */
const PLAIN_OPTION = joinedRegExp(
  '',
  '^(-[alidqvsknu]+|-[0-9]+|-f=[^%]*|--(all|installed|upgradable|upgradeable|manual-installed|all-versions',
  '|names-only|full|available|updates|extras|enabled|disabled|formula|formulae|cask|casks|versions|json(=v[12])?',
  '|installed-only|qf|queryformat|list|changelog|scripts|requires|provides|last|info|tree|no-pager|quiet|verbose',
  String.raw`|columns=[\w,:]+|app|runtime|system|user|include-deps|topological|recursive|leaves|upgrades|explicit|foreign`,
  '|nofiles|docfiles|configfiles|nodigest|nosignature|nodeps',
  '|deps|unrequired|orphans|duplicates|showduplicates|search|description|whatrequires|whatprovides|package',
  '|file))$',
);

function isHarmless(words: Call['words']): boolean {
  return words
    .slice(1)
    .every(({ value }) => value !== null && (!value.startsWith('-') || PLAIN_OPTION.test(value)) && !/:\/\/|%\(/.test(value));
}

function classifySystemPackages(_: Invocation, { name, words, classifyScript }: Call): readonly Effect[] {
  const [first, second] = words;
  const line = words.map(({ value }) => value ?? '\0').join(' ');
  if (PLAIN_QUERIES[name]?.test(line) === true) return [];
  if (['dnf', 'yum'].includes(name) && first?.value === 'history' && /^(list|info)?$/.test(second?.value ?? '')) return [];
  if (first?.value !== null && first !== undefined && QUERIES[name]?.test(first.value) === true && isHarmless(words)) {
    const isLocal = words.some(({ value }) => /^(--)?installed(-only)?$/.test(value ?? ''));
    return REFRESHES[name]?.test(first.value) === true && !isLocal ? [effect('network')] : [];
  }
  const hook = words.find(({ start }) => /Invoke|::Pre-|::Post-|Proxy-Auto/i.test(start));
  if (hook !== undefined) {
    const command = hook.value?.replace(/^-?-?o?[\w:-]*=/, '');
    if (looksLikeCommand(command)) classifyScript(command ?? '');
    return [effect('starts', hook.text), effect('privileged')];
  }
  const removes = words.some(
    ({ value }) => value !== null && /^(remove|purge|autoremove|erase|uninstall|-R\w*|-r|-P|--remove|--purge|-e|del)$/.test(value),
  );
  return [removes ? effect('destroys', 'packages of the system') : effect('privileged', 'packages of the system'), effect('privileged')];
}
