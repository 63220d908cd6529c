/*
 * Files that commands must not read or change unseen: credentials, files that act later, and those of aish itself.
 *
 * There is one list of files that contain credentials. Reading such a file needs an approval; the sandbox hides the file; aish redacts its
 * values in text for the model; and no checkpoint stores the file in the repository, tracked or not.
 */
import { mayExpandTo } from '../text/glob.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import { once } from '../text/memoize.ts';

/** Environment files, by lower-case name; a star matches anything. */
const ENVIRONMENT_NAMES: readonly string[] = listOf('.env .env.* .env-* .env_* *.env .dev.vars .dev.vars.* *.tfvars');

/** Files whose content is a credential, by lower-case name, in any folder; a star matches anything. */
export const SECRET_NAMES: readonly string[] = [
  ...ENVIRONMENT_NAMES,
  ...listOf('*.pem *.key *.p12 *.pfx *.jks *.jceks *.keystore *.kdbx *.ppk *.keytab *.ovpn *.agekey'),
  ...listOf('id_rsa* id_dsa* id_ecdsa* id_ed25519* ssh_host_*_key'),
  ...listOf('.git-credentials .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .htpasswd .vault-token .boto'),
  ...listOf('.s3cfg .dockercfg .terraformrc .databrickscfg .msmtprc .fetchmailrc .mbsyncrc .offlineimaprc'),
  ...listOf('.smbcredentials .vault_pass* .vault-pass* .rclone.conf .xauthority .claude.json'),
  ...listOf('kubeconfig credentials credentials.json credentials.toml credentials.yml credentials.yaml credentials.xml'),
  ...listOf('secrets.yml secrets.yaml secrets.json secrets.toml master.key wallet.dat oauth_creds.json'),
  ...listOf('application_default_credentials.json *service-account*.json *firebase-adminsdk*.json client_secret*.json'),
  ...listOf('local.settings.json appsettings.production.json appsettings.staging.json wp-config.php'),
  ...listOf('*.tfstate *.tfstate.*'),
  ...listOf('*_history .history .viminfo .lesshst'),
  ...listOf('shadow shadow- gshadow chap-secrets pap-secrets ipsec.secrets'),
];

/** Files that may contain a credential and that a project needs to run: reading them needs an approval, but the sandbox shows them. */
export const SETTINGS_WITH_SECRETS: readonly string[] = listOf('.envrc database.yml database.yaml');

/** Names that look secret and are meant to be shown. */
export const SECRET_EXCEPTIONS: readonly string[] = [
  ...listOf('*.pub *.example *.sample *.template *.schema .env*example* .env*sample* .env*template* .env.dist .env.vault'),
  ...listOf('*example*.env *sample*.env *template*.env .dev.vars.example'),
];

/** Folders of credential files, and credential files known only by their place. */
export const SECRET_FOLDERS: readonly string[] = [
  ...inHome('.ssh/* .gnupg .password-store .pki .local/share/keyrings'),
  ...inHome('.local/share/kwalletd .config/op .config/1Password .config/Bitwarden .doppler .config/infisical .step .tsh'),
  // Clouds and clusters.
  ...inHome('.aws .azure .kube .config/gcloud .config/doctl .config/hcloud .config/scw .config/linode-cli .aliyun .oci'),
  ...inHome('.bluemix .fly .netlify .config/netlify .vercel .local/share/com.vercel.cli .wrangler .config/.wrangler'),
  ...inHome('.config/heroku .railway .supabase .config/planetscale .cloudflared .config/argocd .pulumi/credentials.json'),
  ...inHome('.terraform.d/credentials.tfrc.json .config/helm/registry .config/rclone .config/stripe .config/ngrok .ngrok2'),
  // Code hosts, registries and packages.
  ...inHome('.config/gh .config/hub .config/glab-cli .config/github-copilot .config/tea .docker/config.json'),
  ...inHome('.config/containers/auth.json .cargo/credentials* .gem/credentials .bundle/config .m2/settings.xml'),
  ...inHome('.gradle/gradle.properties .ivy2/.credentials .nuget/NuGet/NuGet.Config .composer/auth.json'),
  ...inHome('.config/composer/auth.json .config/pypoetry/auth.toml .subversion/auth .local/share/uv/credentials'),
  // Models and data.
  ...inHome('.config/aish .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .huggingface'),
  ...inHome('.cache/huggingface/token .cache/huggingface/stored_tokens .kaggle .snowflake .dbt/profiles.yml'),
  // Encryption and backup programs, and programs that save passwords.
  ...inHome('.config/sops/age .config/age .restic .config/restic .config/borg .davfs2/secrets .config/filezilla .filezilla'),
  ...inHome('.bitcoin .litecoin .zcash .electrum .ethereum/keystore .config/solana/id.json'),
  // Mail, chat and sign-ins of the user.
  ...inHome('.thunderbird .icedove Mail Maildir .config/Signal .config/discord .config/Slack .weechat/sec.conf'),
  ...inHome('.config/weechat/sec.conf .config/aerc/accounts.conf .mozilla .config/google-chrome .config/chromium'),
  ...inHome('.config/BraveSoftware .config/microsoft-edge .config/vivaldi .local/share/fish/fish_history'),
  // The machine.
  ...listOf('/etc/ssl/private /etc/kubernetes /etc/rancher /etc/wireguard /etc/NetworkManager/system-connections'),
  ...listOf('/etc/openvpn /etc/letsencrypt/live /etc/letsencrypt/archive /etc/wpa_supplicant'),
  ...listOf('/proc/*/environ /proc/*/task/*/environ /proc/*/mem /var/run/secrets /run/secrets'),
];

/** The secret folders of a home directory, in any place: a project may be a copy of a home, or contain its dot files. */
export const SECRET_FOLDERS_ANYWHERE: readonly string[] = SECRET_FOLDERS.filter((path) => path.startsWith('~/.')).map((path) =>
  path.slice(2),
);

/** Files next to ssh keys, in any `.ssh` folder. A key may have any other name. */
const BESIDE_KEYS = /(?:^|\/)\.ssh\/(?:(?:config(?:\.d)?|known_hosts(?:2|\.old)?|authorized_keys2?)(?:\/|$)|[^/]*\.pub$)/i;

const inSecretFolder = once(
  () =>
    new RegExp(
      `(?:^|/)(?:${SECRET_FOLDERS_ANYWHERE.map((path) => path.replaceAll('.', '\\.').replaceAll('*', '[^/]*')).join('|')})(?:/|$)`,
      'i',
    ),
);

const secret = once(() => toTest(SECRET_NAMES));
const environment = once(() => toTest(ENVIRONMENT_NAMES));
const SETTINGS: ReadonlySet<string> = new Set(SETTINGS_WITH_SECRETS);
const excepted = once(() => toTest(SECRET_EXCEPTIONS));

/** Lower-case names that reveal a secret in a program's dot folder of the home directory. In a project such a file is often code. */
const TELLING = joinedRegExp(
  '',
  String.raw`credential|tokens?(?:[_-]?(?:cache|store))?(?:\.[a-z]{1,6})?$|secret|passw(?:or)?d|wallet|(?:^|[.-])(?:oauth`,
  String.raw`|auth|apikey|cookies)(?:[._-]|$)|(?:^|[.-])(?:api|private)?[_-]?keys?(?:\.(?:txt|json|toml|ya?ml))?$|^(?:pw`,
  String.raw`|pass)(?:\.txt)?$`,
);

/** A sample name for each pattern, to match a typed glob against. */
export const TELLING_SAMPLES: readonly string[] = listOf(
  'credentials credentials.json token token.json secrets secrets.json passwords auth.json keys.txt wallet.dat pw',
);

/** Code and documents. */
const CODE = joinedRegExp(
  '',
  String.raw`\.(?:[cm]?[jt]sx?|py[ci]?|rs|go|rb|java|kts?|c|cc|cpp|h|hpp|cs|php|lua|vim|el|swift|scala|hs|ml|pl|pm|css`,
  String.raw`|scss|html?|vue|svelte|md|rst|map|sh|bash|zsh|fish|wasm|so|svg|png|[1-8](?:\.gz)?)$`,
);

/** Whether the last part of a path is the name of a credential file, in any folder. Letter case does not count. */
export function isSecretFileName(path: string): boolean {
  return isSecret(lastName(path));
}

/** Whether a path of a project lies in a folder where home directories keep credentials. */
export function liesInSecretFolder(path: string): boolean {
  return path.includes('.') && inSecretFolder().test(path) && !liesBesideKeys(path);
}

/** Whether a path in an ssh folder is not a key by its name: settings, hosts, and public files. */
export function liesBesideKeys(path: string): boolean {
  return BESIDE_KEYS.test(path);
}

/** Whether a path is a credential file, or a settings file that may contain one. */
export function mayHoldSecret(path: string): boolean {
  const name = lastName(path);
  return SETTINGS.has(name) || isSecret(name);
}

/** Whether a file lists variables and values, such as `.env`. An example file contains no secret. */
export function isEnvironmentFile(path: string): boolean {
  const name = lastName(path);
  return (name === '.envrc' || environment()(name)) && !excepted()(name);
}

function isSecret(name: string): boolean {
  return secret()(name) && !excepted()(name);
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase();
}

/** Whether a lower-case file name reveals a secret in a dot folder of the home directory. */
export function tellsOfSecret(name: string): boolean {
  return TELLING.test(name) && !isCode(name);
}

/** Whether a lower-case file name is that of code or a document. */
export function isCode(name: string): boolean {
  return CODE.test(name);
}

/** The test for a list of names with stars. To compile one expression for all of them takes longer than a start may. */
function toTest(names: readonly string[]): (name: string) => boolean {
  const plain = new Set(names.filter((name) => !name.includes('*')));
  const endings = new Set(names.filter((name) => /^\*\.[^.*]+$/.test(name)).map((name) => name.slice(1)));
  const others = toPattern(names.filter((name) => !plain.has(name) && !endings.has(name.slice(1))));
  return (name) => plain.has(name) || endings.has(name.slice(name.lastIndexOf('.'))) || others.test(name);
}

/** Combines names with stars into one expression, because a project has many files. */
function toPattern(names: readonly string[]): RegExp {
  const sources = names.map((name) => {
    const [head = '', ...parts] = name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').split('*');
    // A star ends at the first match of the next part, so that no position is tried twice; the last star takes the rest.
    const rest = parts.map((part, at) => (at === parts.length - 1 ? `.*${part}` : `(?:(?!${part}).)*${part}`));
    return head + rest.join('');
  });
  return new RegExp(`^(?:${sources.join('|')})$`, 's');
}

function listOf(names: string): readonly string[] {
  return names.split(' ');
}

function inHome(paths: string): readonly string[] {
  return listOf(paths).map((path) => `~/${path}`);
}

/** Files that act later, or control what may run, by lower-case name. */
export const GUARDED_NAMES: readonly string[] = `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases
  .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .envrc .gitconfig
  .gitmodules .npmrc .yarnrc .yarnrc.yml .pnpmrc .bunfig.toml bunfig.toml .pypirc pip.conf .gemrc .condarc .vimrc
  .exrc .nvimrc .emacs .tmux.conf .screenrc .gdbinit .lldbinit .pythonrc .pythonstartup sitecustomize.py
  usercustomize.py .xinitrc .xprofile .xsession .xsessionrc .pam_environment .forward .procmailrc .rhosts .shosts
  authorized_keys authorized_keys2 .mcp.json mcp.json .lessfilter .wgetrc .curlrc .netrc .mailcap .k5login crontab
  ld.so.preload sudoers .psqlrc .sqliterc .irbrc .pryrc .ghci .rprofile .pdbrc .lesskey .gvimrc .hgrc`.split(/\s+/);

/** Folders whose files act later, or control what may run. */
export const GUARDED_FOLDERS: readonly string[] = `.git .husky .githooks .aish .vscode .idea .claude .cursor .codex
  .gemini .devcontainer ~/.ssh ~/.gnupg ~/.aws ~/.kube ~/.config/git ~/.config/aish ~/.local/state/aish
  ~/.local/share/aish ~/.cache/aish ~/.config/fish ~/.config/zsh ~/.config/autostart ~/.config/systemd
  ~/.config/environment.d ~/.config/pip ~/.config/nvim ~/.config/direnv ~/.config/mise ~/.local/bin ~/bin ~/.vim
  ~/.oh-my-zsh ~/.bashrc.d ~/.emacs.d ~/.cargo/env ~/.cargo/config* ~/.cargo/bin ~/.gradle/init.d ~/.m2/settings.xml ~/.docker
  ~/.local/share/systemd ~/.local/share/applications ~/.pyenv ~/.nvm ~/library/launchagents /etc/cron*
  /var/spool/cron /etc/profile* /etc/bash* /etc/zsh /etc/apt /etc/yum* /etc/systemd /lib/systemd /usr/lib/systemd
  /etc/init.d /etc/rc* /etc/ssh /etc/sudoers.d /etc/pam.d /etc/ld.so* /etc/udev /etc/xdg`.split(/\s+/);

/** Folders of the system. */
export const SYSTEM_FOLDERS: readonly string[] = `/etc /usr /bin /sbin /lib /lib32 /lib64 /boot /dev /proc /sys /var
  /opt /root /run /srv`.split(/\s+/);

/** Files and processes of the running aish, as data. Paths are absolute, without a trailing slash. */
export interface OwnFiles {
  /** Folders and files of rules, log, trust, memory and sockets, under every known name. An approval can allow only reads. */
  readonly paths: readonly string[];
  /** The program itself: anyone may read it, and nobody may change or start it. */
  readonly program: readonly string[];
  /** Process ids of aish and its shell. */
  readonly pids: readonly number[];
  /** Process names of aish other than `aish`, which depend on the program that runs it. */
  readonly names?: readonly string[];
  /** Environment variables whose values lead to these paths. */
  readonly variables: Readonly<Record<string, string>>;
  /** The pane of the terminal multiplexer that aish runs in. */
  readonly pane?: string;
}

/** How a path relates to aish's own files: within them, above them, or neither. */
export type Touch = 'own' | 'holds' | null;

/** Relates a normalised path to aish's own files. A glob matches if it could expand to such a path. */
export function touchOf(path: string, owned: readonly string[], isGlob: boolean): Touch {
  const parts = toParts(path);
  let held: Touch = null;
  for (const own of owned) {
    const wanted = toParts(own);
    const isSame = wanted.slice(0, parts.length).every((part, at) => isSamePart(parts[at] ?? '', part, isGlob));
    if (!isSame) continue;
    if (parts.length >= wanted.length) return 'own';
    held = 'holds';
  }
  return held;
}

/** On file systems that ignore letter case, a different spelling names the same file. */
function toParts(path: string): readonly string[] {
  return path.toLowerCase().split('/').filter(Boolean);
}

function isSamePart(part: string, wanted: string, isGlob: boolean): boolean {
  if (part === wanted) return true;
  return isGlob && /[*?[]/.test(part) && part.startsWith('.') === wanted.startsWith('.') && mayExpandTo(part)(wanted);
}

/** Names that code and text may use for our folders, wherever the home directory is. */
const CALLED = joinedRegExp(
  'i',
  String.raw`(?:\.config|\.local\/state|\.local\/share|\.cache)\/aish(?![\w.-])|\$\{?(?:XDG_(?:CONFIG|STATE|CACHE`,
  String.raw`|RUNTIME)_(?:HOME|DIR))\}?["']*\/aish(?![\w.-])|\$\{?AISH_CONFIG\b|\baish\/(?:config\.toml|sessions`,
  String.raw`|history\.jsonl|trust\b|outputs)`,
);

/** Whether a text that is not a path, such as code, mentions our files. */
export function mentionsOwn(text: string, { paths, program }: OwnFiles): boolean {
  return written(text).some((one) => CALLED.test(one) || [...paths, ...program].some((path) => one.includes(path)));
}

/** Whether a text mentions one of our folders by name. */
export function callsOwn(text: string): boolean {
  return CALLED.test(text);
}

/** A text as it stands, and with the pieces joined that code builds a path from, as in `'.config' / 'aish'`. */
function written(text: string): readonly string[] {
  const joint = /["'`]\s*(?:(?:[,+/]|\.\.?)\s*)?["'`]/g;
  return joint.test(text) ? [text, text.replace(joint, '/').replace(/\/{2,}/g, '/'), text.replace(joint, '')] : [text];
}
