import { jsonReader, keptReader, keyedReader, netrcReader, type Reader } from './readers.ts';

/** A file of the home directory that holds secrets, and how it is read. */
export interface HomeFile {
  readonly name: string;
  readonly toReader: (from: string) => Reader;
}

/** Files of programs whose secrets are told by their names, and what those are called by. */
const KEPT: Readonly<Record<string, string>> = {
  '.aliyun/config.json': 'aliyun',
  '.azure/msal_token_cache.json': 'azure',
  '.cache/huggingface/token': 'huggingface',
  '.cargo/credentials.toml': 'cargo',
  '.claude/.credentials.json': 'claude',
  '.codex/auth.json': 'codex',
  '.composer/auth.json': 'composer',
  '.config/.wrangler/config/default.toml': 'wrangler',
  '.config/composer/auth.json': 'composer',
  '.config/containers/auth.json': 'containers',
  '.config/doctl/config.yaml': 'doctl',
  '.config/github-copilot/apps.json': 'copilot',
  '.config/github-copilot/hosts.json': 'copilot',
  '.config/glab-cli/config.yml': 'glab',
  '.config/hcloud/cli.toml': 'hcloud',
  '.config/helm/registry/config.json': 'helm',
  '.config/ngrok/ngrok.yml': 'ngrok',
  '.config/pypoetry/auth.toml': 'poetry',
  '.config/rclone/rclone.conf': 'rclone',
  '.config/sops/age/keys.txt': 'sops',
  '.config/stripe/config.toml': 'stripe',
  '.databrickscfg': 'databricks',
  '.fly/config.yml': 'fly',
  '.gem/credentials': 'gem',
  '.gemini/oauth_creds.json': 'gemini',
  '.gradle/gradle.properties': 'gradle',
  '.huggingface/token': 'huggingface',
  '.kaggle/kaggle.json': 'kaggle',
  '.local/share/com.vercel.cli/auth.json': 'vercel',
  '.m2/settings.xml': 'maven',
  '.my.cnf': 'mysql',
  '.netlify/config.json': 'netlify',
  '.ngrok2/ngrok.yml': 'ngrok',
  '.pgpass': 'pgpass',
  '.pulumi/credentials.json': 'pulumi',
  '.s3cfg': 's3',
  '.terraform.d/credentials.tfrc.json': 'terraform',
  '.terraformrc': 'terraform',
  '.vault-token': 'vault',
  '.vercel/auth.json': 'vercel',
  '.wrangler/config/default.toml': 'wrangler',
};

/** Files that are looked for in the home directory, and how each is read. */
export const HOME_FILES: readonly HomeFile[] = [
  { name: '.netrc', toReader: netrcReader },
  { name: '.npmrc', toReader: (from) => keyedReader(from, 'npm') },
  { name: '.pypirc', toReader: (from) => keyedReader(from, 'pypi') },
  { name: '.aws/credentials', toReader: (from) => keyedReader(from, 'aws') },
  { name: '.config/gh/hosts.yml', toReader: (from) => keyedReader(from, 'gh') },
  {
    name: '.docker/config.json',
    toReader: (from) => jsonReader(from, 'docker', ['auth', 'identitytoken', 'registrytoken']),
  },
  { name: '.kube/config', toReader: (from) => keyedReader(from, 'kube') },
  { name: '.git-credentials', toReader: (from) => keyedReader(from, 'git') },
  { name: '.config/git/credentials', toReader: (from) => keyedReader(from, 'git') },
  { name: '.gitconfig', toReader: (from) => keyedReader(from, 'git') },
  ...Object.entries(KEPT).map(([name, prefix]) => ({ name, toReader: (from: string) => keptReader(from, prefix) })),
];
