import type { LineGround } from './judge-line.ts';
import { locate } from './place.ts';
import { matchesStart, readPrefix } from './prefix.ts';
import { spread } from './program.ts';
import type { Part } from './verdict.ts';

/*
 * A rule is the first words of a command, and what follows may turn the same program to another place: another server or account, a folder
 * outside of the project, the whole machine. The person who wrote `npm install` did not mean `npm install --global`. Such words
 * are covered only by a rule that has them.
 */

/**
 * Options by which programs go elsewhere: without dashes, single letters for short ones. Behind an equals sign stand letters of short options
 * that take a value, which may be attached: what follows them in a word is none.
 */
const ELSEWHERE: ReadonlyMap<string, string> = spread({
  'npm pnpm yarn bun':
    '=w g global location prefix C dir cwd userconfig globalconfig config c registry proxy https-proxy http-proxy noproxy ca cafile cert strict-ssl no-strict-ssl script-shell shell node-options preload cache cache-dir cache-folder store-dir global-dir global-folder global-bin-dir modules-folder modules-dir virtual-store-dir lockfile-dir use-yarnrc git otp',
  'pip pip3 uv pipenv pdm hatch rye':
    '=rce t target user prefix root i index-url extra-index-url index default-index f find-links trusted-host allow-insecure-host proxy python p break-system-packages system src cert client-cert log cache-dir directory project config-file keyring-provider pypi-mirror skip-lock',
  poetry: 'C directory P project source repository cert client-cert',
  'conda mamba micromamba':
    'n name p prefix c channel override-channels insecure k offline-dir relocate-prefix r root-prefix rc-file',
  gem: 'i install-dir n bindir s source p http-proxy user-install config-file document-dir build-root',
  bundle: 'gemfile path system',
  composer: 'd working-dir repository repository-url',
  'cargo rustup':
    'root git registry index manifest-path target-dir artifact-dir out-dir config token Z C path lockfile-path',
  go: 'C modfile toolexec overlay exec pkgdir modcacherw insecure vettool',
  'kubectl oc':
    '=onlcfkLp s server context kubeconfig cluster user token username password as as-group as-uid certificate-authority client-key client-certificate insecure-skip-tls-verify tls-server-name raw cache-dir',
  'helm helmfile':
    'kube-apiserver kube-context kubeconfig kube-token kube-as-user kube-as-group kube-ca-file kube-insecure-skip-tls-verify kube-tls-server-name repo post-renderer post-renderer-args registry-config repository-config repository-cache insecure-skip-tls-verify ca-file cert-file key-file username password pass-credentials',
  'docker podman nerdctl buildah':
    '=epvuwlmnftas H host c context config tls tlscacert tlscert tlskey tlsverify url connection identity remote builder o output secret ssh network allow push iidfile cidfile metadata-file cache-to build-context add-host',
  'gh glab hub': '=FBtbjqsaLlHXfmTcd R repo hostname host',
  'terraform tofu terragrunt': 'chdir state backend-config plugin-dir from-module',
  'aws gcloud gsutil az bq':
    'endpoint-url profile no-verify-ssl ca-bundle account configuration impersonate-service-account api-endpoint-overrides credential-file-override access-token-file subscription',
  'psql pg_dump pg_restore mysql mysqldump mysqladmin mariadb redis-cli mongosh':
    '=ceDfNvFRTtn h host p port P S socket u U user d dbname o output L log-file defaults-file cacert login-path',
  'systemctl journalctl loginctl hostnamectl timedatectl': '=nutopS H host M machine root image D directory file',
  'gradle gradlew':
    '=PDx p project-dir I init-script g gradle-user-home include-build b build-file c settings-file project-cache-dir',
  'mvn mvnw': '=DPplTr f file s settings gs global-settings t toolchains',
  git: 'repo receive-pack upload-pack exec separate-git-dir template reference reference-if-able',
  curl: '=AbdeFHmortTuXwyYzQ x proxy preproxy socks4 socks4a socks5 socks5-hostname resolve connect-to doh-url dns-servers interface unix-socket abstract-unix-socket url next : K config netrc-file cert E key cacert capath insecure k location-trusted proxy-insecure',
  wget: 'config i input-file use-askpass ca-certificate no-check-certificate private-key',
  'apt apt-get aptitude dnf yum zypper pacman apk brew':
    'o option c config-file root t installroot r dbpath b config setopt repofrompath repo enablerepo allow-downgrades force-yes allow-unauthenticated appdir',
});

/** They take no beginning of an option for the whole. */
const EXACT =
  /^(?:docker|podman|nerdctl|buildah|kubectl|oc|helm|helmfile|gh|glab|hub|cargo|rustup|go|terraform|tofu|terragrunt|gradlew?|mvnw?|bundle|poetry)$/;

/** Even what only looks is meant for the one server, or the one machine. */
const CLIENTS =
  /^(?:docker|podman|nerdctl|buildah|kubectl|oc|helm|helmfile|systemctl|journalctl|loginctl|hostnamectl|timedatectl)$/;

/** To these every address is as good as another, unless the rule has one. */
const FETCHERS: ReadonlySet<string> = new Set('curl wget http https httpie xh aria2c lynx w3m links'.split(' '));

/** Their packages may be files or repositories, named without an address. */
const PACKAGES: ReadonlyMap<string, RegExp> = spread({
  'npm pnpm yarn bun':
    /^(?:[\w.-]+\/[\w.-]+(?:#.*)?$|(?:github|gitlab|bitbucket|gist|file|link|portal|patch|git):)|@(?:file|link|portal|github|gitlab|bitbucket|gist|git)[:+]/,
  'apt apt-get aptitude dnf yum zypper pacman apk brew': /\//,
  'docker podman nerdctl buildah': /^(?:[\w-]+(?:\.[\w-]+)+(?::\d+)?|[\w-]+:\d+|localhost)\/./,
});

/** Whole words that are the beginning of an option above, and mean something else. */
const OTHERS: ReadonlySet<string> = new Set(['pre', 'as', 'ca', 'all', 'pass', 'in', 'ex', 'ref', 're']);

const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/|^[\w.-]+@[\w.-]+:/i;
/** What may be a path outside: a word may begin like one, such as `/api/users`, and mean something else. */
const ROOTS =
  /^\/(?:$|(?:etc|usr|var|home|root|tmp|opt|bin|sbin|lib|lib32|lib64|boot|dev|proc|sys|run|mnt|media|srv|nix|snap|Users|Library|Volumes|Applications|System|private)(?:\/|$))/;

/** Whether the words behind a rule go where its own do not: what they name is covered by a rule that has it. */
export function goesBeyond(rule: readonly string[], part: Part, ground: LineGround): boolean {
  return wordBeyond(rule, part, ground) !== null;
}

/** Why rules that a line begins with do not cover it, by the word that they lack. */
export function reasonsBeyond(parts: readonly Part[], prefixes: readonly string[], ground: LineGround): string[] {
  return parts.flatMap((part) => {
    const near = prefixes.filter((prefix) => matchesStart(readPrefix(prefix), part.words));
    return near.slice(0, 1).flatMap((prefix) => {
      const word = part.plain ? wordBeyond(readPrefix(prefix), part, ground) : null;
      return word === null ? [] : [`the rule "${prefix}" does not cover ${word}`];
    });
  });
}

const UNKNOWN = 'a word that is not known';

function wordBeyond(rule: readonly string[], { words, findings }: Part, ground: LineGround): string | null {
  const [program = ''] = rule;
  const rest = words.slice(rule.length).flatMap((word) => word ?? []);
  const isLooking = findings.every((one) => one.class === 'read-only');
  if (isLooking && !CLIENTS.test(program)) return null;
  const options = ELSEWHERE.get(program)?.split(' ') ?? [];
  const option = rest.find((word) => isOption(word, options, !EXACT.test(program)));
  if (option !== undefined || isLooking) return option ?? null;
  const isSent = findings.some((one) => one.class !== 'read-only' && one.class !== 'mutating');
  const connects = isSent || CLIENTS.test(program);
  // A word that nobody knows may be any of these; in a message of git it may not.
  if (words.includes(null) && options.length > 0 && (isSent || program !== 'git')) return UNKNOWN;
  const other = connects ? rest.find((word) => namesOther(word, program, rule)) : undefined;
  const mayBeTemporary = FETCHERS.has(program) || !connects;
  return other ?? rest.find((word) => leadsOut(word, ground, { mayBeTemporary })) ?? null;
}

function isOption(word: string, options: readonly string[], mayBeCut: boolean): boolean {
  // A setting of npm for another server.
  if (word.startsWith('--//') && options.includes('registry')) return true;
  const long = /^--?([a-zA-Z][\w-]+)/.exec(word)?.[1]?.toLowerCase();
  if (long !== undefined && options.includes(long)) return true;
  const isCut = mayBeCut && word.startsWith('--') && long !== undefined && !OTHERS.has(long);
  if (isCut && options.some((name) => name.length > 1 && name.startsWith(long))) return true;
  if (!/^-[^-]/.test(word)) return false;
  const takeValues = options.find((name) => name.startsWith('=')) ?? '=';
  for (const letter of /^-([a-zA-Z:]+)/.exec(word)?.[1] ?? '') {
    if (options.includes(letter)) return true;
    if (takeValues.includes(letter)) return false;
  }
  return false;
}

function namesOther(word: string, program: string, rule: readonly string[]): boolean {
  const pattern = PACKAGES.get(program);
  if (pattern?.test(word) === true && !word.startsWith('-')) return true;
  if (/\s/.test(word)) return false;
  const hasAddress = rule.some((one) => ADDRESS.test(one));
  if (FETCHERS.has(program))
    return hasAddress && (ADDRESS.test(word) || /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/|$)/.test(word));
  return ADDRESS.test(word) && !(program === 'git' && ['clone', 'ls-remote', 'submodule'].includes(rule[1] ?? ''));
}

/** A word, or what stands in it behind a sign that programs know, is a path out of the project. */
function leadsOut(word: string, ground: LineGround, { mayBeTemporary }: { readonly mayBeTemporary: boolean }): boolean {
  if (/\s/.test(word) || ADDRESS.test(word)) return false;
  const attached = /^-[A-Za-z](.+)$/s.exec(word)?.[1];
  const texts = [word, ...word.split(/[=,:@]/).slice(1), ...(attached === undefined ? [] : [attached])];
  return texts.some((text) => {
    const path = text === '~' || text.startsWith('~/') ? ground.home + text.slice(1) : text;
    if (/^~[\w-]/.test(text) || /(?:^|\/)\.\.(?:\/|$)/.test(path)) return true;
    if (!ROOTS.test(path) && !path.startsWith(`${ground.home}/`)) return false;
    const { zone } = locate(path, null, ground);
    return !(zone === 'project' || zone === 'null' || zone === 'stream' || (mayBeTemporary && zone === 'temporary'));
  });
}
