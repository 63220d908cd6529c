import { expect, test } from 'bun:test';
import { locate } from './place.ts';
import { isEnvironmentFile, isSecretFileName, liesInSecretFolder, mayHoldSecret, SECRET_FOLDERS_ANYWHERE } from './protected-files.ts';

const CONTEXT = { project: '/home/ann/shop', home: '/home/ann' };

function secretsAmong(paths: string, isGlob = false): readonly string[] {
  const all = paths.split(/\s+/);
  return all.filter((path) => locate(path.replace(/^~/, CONTEXT.home), CONTEXT.project, CONTEXT, isGlob).isSecret);
}

test('where programs keep what lets them in is a secret, and so is what users write to each other', () => {
  const paths = [
    '~/.kaggle/kaggle.json ~/.config/sops/age/keys.txt ~/.config/containers/auth.json ~/.restic/pw ~/.claude.json',
    '~/.claude/.credentials.json ~/.codex/auth.json ~/.config/github-copilot/hosts.json ~/.config/glab-cli/config.yml',
    '~/.composer/auth.json ~/.fly/config.yml ~/.netlify/config.json ~/.vercel/auth.json ~/.config/stripe/config.toml',
    '~/.config/ngrok/ngrok.yml ~/.wrangler/config/default.toml ~/.huggingface/token ~/.cache/huggingface/token',
    '~/.aliyun/config.json ~/.config/hcloud/cli.toml ~/.config/helm/registry/config.json ~/.subversion/auth/svn/x',
    '~/.config/filezilla/sitemanager.xml ~/.terraformrc ~/.terraform.d/credentials.tfrc.json ~/.bitcoin/wallet.dat',
    '~/.electrum/wallets/one ~/.config/Signal/config.json ~/.thunderbird/p/x ~/Mail/inbox ~/.viminfo ~/.lesshst',
    '/etc/wireguard/wg0.conf /etc/NetworkManager/system-connections/home',
    'packages/api/.env .dev.vars .envrc config/database.yml appsettings.Production.json local.settings.json',
  ].join(' ');
  expect(secretsAmong(paths)).toEqual(paths.split(' '));
});

test('in a dot folder of the home a name that says so is enough, whatever program it is of', () => {
  const paths =
    '~/.new/credentials.db ~/.config/new/auth.json ~/.config/new/api-token ~/.new/keys.txt ~/.new/my-secret ~/.x/token_cache.json';
  expect(secretsAmong(paths)).toEqual(paths.split(' '));
  expect(secretsAmong('~/.new/auth* ~/.config/new/*token* ~/.config/*/*.json ~/.new/*', true)).toEqual([
    '~/.new/auth*',
    '~/.config/new/*token*',
    '~/.config/*/*.json',
  ]);
});

test('code, public keys and settings are none, and a name tells nothing in a project', () => {
  const paths = [
    '~/.ssh/config ~/.ssh/known_hosts ~/.ssh/authorized_keys ~/.ssh/id_rsa.pub ~/.bashrc ~/.gitconfig ~/.profile',
    '~/.config/nvim/lua/secret.lua ~/.cargo/registry/src/x/token.rs ~/.config/fish/config.fish ~/.claude/settings.json',
    '~/.cache/hub/tokenizer.json ~/.cache/hub/special_tokens_map.json ~/.local/share/x/tokenizer_config.json',
    'src/token.ts src/auth.json src/secrets.ts tokens.json docs/wallet.md keys.txt .env.example backup.sql ~/notes/token',
  ].join(' ');
  expect(secretsAmong(paths)).toEqual([]);
});

test('one list of names serves gate, sandbox, checkpoints and what is searched for', () => {
  const names =
    '.env .ENV .env.local .env-prod prod.env terraform.tfvars id_ed25519 server.key .netrc kubeconfig .bash_history credentials.json'.split(
      ' ',
    );
  expect(names.filter(isSecretFileName)).toEqual(names);
  expect(names.filter(mayHoldSecret)).toEqual(names);
  expect(secretsAmong(names.map((name) => `deep/${name}`).join(' '))).toEqual(names.map((name) => `deep/${name}`));
  const shown = '.env.example .env.local.example example.env id_rsa.pub terraform.tfvars.example environment.ts'.split(' ');
  expect(shown.filter((name) => mayHoldSecret(`/deep/${name}`))).toEqual([]);
  expect(secretsAmong(shown.join(' '))).toEqual([]);
});

test('environment files are told from other secrets, examples from both', () => {
  const names = '.env .envrc .env.local .dev.vars prod.env a.tfvars'.split(' ');
  expect([...names, '.env.sample', '.netrc', 'sample.env'].filter(isEnvironmentFile)).toEqual(names);
});

test('a copy of a folder of credentials in a project is as secret to the gate as it is to the sandbox', () => {
  const copies = SECRET_FOLDERS_ANYWHERE.map((path) => `dots/${path.replaceAll('*', 'name')}`);
  expect(copies.filter((path) => !liesInSecretFolder(path))).toEqual([]);
  expect(copies.filter((path) => secretsAmong(path).length === 0)).toEqual([]);
  expect(secretsAmong('dots/.kube/* dots/.ku*/config .ssh/w*', true)).toHaveLength(3);
});

test('in a folder of ssh all but what lies beside the keys is secret', () => {
  const keys = '~/.ssh/work ~/.ssh/config_work .ssh/work dots/.ssh/work.txt';
  const beside = '~/.ssh ~/.ssh/config ~/.ssh/config.d/work ~/.ssh/known_hosts .ssh/work.pub dots/.ssh/authorized_keys';
  expect(secretsAmong(`${keys} ${beside}`)).toEqual(keys.split(' '));
  expect(`${keys} ${beside}`.split(' ').filter(liesInSecretFolder)).toEqual(keys.split(' '));
});
