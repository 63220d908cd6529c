/** Files whose content is a credential, by name in lower case, wherever they lie; a star stands for anything. */
export const SECRET_NAMES: readonly string[] = [
  ...listOf('*.pem *.key *.p12 *.pfx *.jks *.jceks *.keystore *.kdbx *.ppk *.keytab *.ovpn *.agekey'),
  ...listOf('id_rsa* id_dsa* id_ecdsa* id_ed25519* ssh_host_*_key'),
  ...listOf('.env .env.* .dev.vars .dev.vars.*'),
  ...listOf('.git-credentials .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .htpasswd .vault-token .boto'),
  ...listOf('.s3cfg .dockercfg .terraformrc .databrickscfg .msmtprc .fetchmailrc .mbsyncrc .offlineimaprc'),
  ...listOf('.smbcredentials .vault_pass* .vault-pass* .rclone.conf .xauthority .claude.json'),
  ...listOf(
    'kubeconfig credentials credentials.json credentials.toml credentials.yml credentials.yaml credentials.xml',
  ),
  ...listOf('secrets.yml secrets.yaml secrets.json secrets.toml master.key wallet.dat oauth_creds.json'),
  ...listOf('application_default_credentials.json *service-account*.json *firebase-adminsdk*.json client_secret*.json'),
  ...listOf('local.settings.json appsettings.production.json appsettings.staging.json wp-config.php'),
  ...listOf('*.tfstate *.tfstate.*'),
  ...listOf('*_history .history .viminfo .lesshst'),
  ...listOf('shadow shadow- gshadow chap-secrets pap-secrets ipsec.secrets'),
];

/** Names that may hold a credential, and belong to what a project is run from: to read them is asked, and no sandbox goes without them. */
export const SETTINGS_WITH_SECRETS: readonly string[] = listOf('.envrc database.yml database.yaml');

/** Names that look secret and are made to be shown. */
export const SECRET_EXCEPTIONS: readonly string[] = [
  ...listOf('*.pub .env.example .env.sample .env.template .env.dist .env.schema .dev.vars.example'),
  ...listOf('*.example *.sample *.template'),
];

/** Folders whose files are credentials, and such files that only their place tells. */
export const SECRET_FOLDERS: readonly string[] = [
  ...inHome('.ssh/id_* .ssh/*.pem .ssh/*_key .ssh/*_rsa .gnupg .password-store .pki .local/share/keyrings'),
  ...inHome(
    '.local/share/kwalletd .config/op .config/1Password .config/Bitwarden .doppler .config/infisical .step .tsh',
  ),
  // Clouds and clusters.
  ...inHome(
    '.aws .azure .kube .config/gcloud .config/doctl .config/hcloud .config/scw .config/linode-cli .aliyun .oci',
  ),
  ...inHome('.bluemix .fly .netlify .config/netlify .vercel .local/share/com.vercel.cli .wrangler .config/.wrangler'),
  ...inHome(
    '.config/heroku .railway .supabase .config/planetscale .cloudflared .config/argocd .pulumi/credentials.json',
  ),
  ...inHome(
    '.terraform.d/credentials.tfrc.json .config/helm/registry .config/rclone .config/stripe .config/ngrok .ngrok2',
  ),
  // Forges, registries and packages.
  ...inHome('.config/gh .config/hub .config/glab-cli .config/github-copilot .config/tea .docker/config.json'),
  ...inHome('.config/containers/auth.json .cargo/credentials* .gem/credentials .bundle/config .m2/settings.xml'),
  ...inHome('.gradle/gradle.properties .ivy2/.credentials .nuget/NuGet/NuGet.Config .composer/auth.json'),
  ...inHome('.config/composer/auth.json .config/pypoetry/auth.toml .subversion/auth'),
  // Models and data.
  ...inHome('.config/aish .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .huggingface'),
  ...inHome('.cache/huggingface/token .cache/huggingface/stored_tokens .kaggle .snowflake .dbt/profiles.yml'),
  // What encrypts, and what was saved with it.
  ...inHome(
    '.config/sops/age .config/age .restic .config/restic .config/borg .davfs2/secrets .config/filezilla .filezilla',
  ),
  ...inHome('.bitcoin .litecoin .zcash .electrum .ethereum/keystore .config/solana/id.json'),
  // What people write, and where they are signed in.
  ...inHome('.thunderbird .icedove Mail Maildir .config/Signal .config/discord .config/Slack .weechat/sec.conf'),
  ...inHome('.config/weechat/sec.conf .config/aerc/accounts.conf .mozilla .config/google-chrome .config/chromium'),
  ...inHome('.config/BraveSoftware .config/microsoft-edge .config/vivaldi .local/share/fish/fish_history'),
  // The machine.
  ...listOf('/etc/ssl/private /etc/kubernetes /etc/rancher /etc/wireguard /etc/NetworkManager/system-connections'),
  ...listOf('/etc/openvpn /etc/letsencrypt/live /etc/letsencrypt/archive /etc/wpa_supplicant'),
  ...listOf('/proc/*/environ /proc/*/task/*/environ /proc/*/mem /var/run/secrets /run/secrets'),
];

const SECRET = toPattern(SECRET_NAMES);
const EXCEPTED = toPattern(SECRET_EXCEPTIONS);

/** Names, in lower case, that say what a program keeps in a dot folder of the home directory; in a project such a file is code as often as not. */
const TELLING =
  /credential|tokens?(?:[_-]?(?:cache|store))?(?:\.[a-z]{1,6})?$|secret|passw(?:or)?d|wallet|(?:^|[.-])(?:oauth|auth|apikey|cookies)(?:[._-]|$)|(?:^|[.-])(?:api|private)?[_-]?keys?(?:\.(?:txt|json|toml|ya?ml))?$|^(?:pw|pass)(?:\.txt)?$/;

/** One name for each kind of them, for a glob that was typed. */
export const TELLING_SAMPLES: readonly string[] = listOf(
  'credentials credentials.json token token.json secrets secrets.json passwords auth.json keys.txt wallet.dat pw',
);

/** What is read to be run, or to be read by people. */
const CODE =
  /\.(?:[cm]?[jt]sx?|py[ci]?|rs|go|rb|java|kts?|c|cc|cpp|h|hpp|cs|php|lua|vim|el|swift|scala|hs|ml|pl|pm|css|scss|html?|vue|svelte|md|rst|map|sh|bash|zsh|fish|wasm|so|svg|png|[1-8](?:\.gz)?)$/;

/** True for the name of a file, in lower case, whose content is a credential wherever it lies. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name) && !EXCEPTED.test(name);
}

/** The same, with settings among which a credential may be. */
export function mayHoldSecret(name: string): boolean {
  return isSecretName(name) || SETTINGS_WITH_SECRETS.includes(name);
}

/** True for the name of a file, in lower case, that says so in a dot folder of the home directory. */
export function tellsOfSecret(name: string): boolean {
  return TELLING.test(name) && !isCode(name);
}

/** True for the name of a file, in lower case, which is read to be run, or by people. */
export function isCode(name: string): boolean {
  return CODE.test(name);
}

/** One expression for a list of names with stars: a project has many files. */
function toPattern(names: readonly string[]): RegExp {
  const escaped = names.map((name) => name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*'));
  return new RegExp(`^(?:${escaped.join('|')})$`, 's');
}

function listOf(names: string): readonly string[] {
  return names.split(' ');
}

function inHome(paths: string): readonly string[] {
  return listOf(paths).map((path) => `~/${path}`);
}
