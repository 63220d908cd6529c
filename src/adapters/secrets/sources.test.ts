import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { WatchedFile, WatchedFolder } from './secret-paths.ts';
import { SecretFiles } from './sources.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-secrets-'));
  mkdirSync(join(root, 'home'));
  mkdirSync(join(root, 'project/inner'), { recursive: true });
});
afterEach(() => {
  setSystemTime();
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, path);
}

function read(files = new SecretFiles()): string[][] {
  const place = { cwd: join(root, 'project/inner'), project: join(root, 'project'), home: join(root, 'home') };
  return files.read(place).map(({ name, value, from }) => [name, value, from]);
}

const KEY = Array.from({ length: 3 }, (_, at) =>
  Buffer.from(`line ${at} of some private key that is none ${at * 7919}`).toString('base64'),
).join('\n');
const PEM = `-----BEGIN OPENSSH PRIVATE KEY-----\n${KEY}\n-----END OPENSSH PRIVATE KEY-----\n`;

test('environment files of project and directory have secrets, examples have none', () => {
  write('project/.env', 'API_KEY=one-Key-1234\nPORT=3000\nNODE_ENV=production\n');
  write('project/inner/.env.local', 'URL=postgres://me:dbPassw0rd9@h/x\n');
  write('project/prod.tfvars', 'region = "eu-west-1"\ndb_password = "of-the-cloud-7"\n');
  write('project/.env.example', 'API_KEY=example-Key-1234\n');
  expect(read()).toEqual([
    ['API_KEY', 'one-Key-1234', '.env'],
    ['db_password', 'of-the-cloud-7', 'prod.tfvars'],
    ['URL', 'postgres://me:dbPassw0rd9@h/x', '.env.local'],
    ['URL.password', 'dbPassw0rd9', '.env.local'],
  ]);
});

test('the files where programs keep their passwords are read', () => {
  write('home/.netrc', 'machine a.example login me password netrcPassw0rd\n');
  write('home/.npmrc', '//registry.example/:_authToken=npmTokenValue12345\n');
  write('home/.pypirc', '[pypi]\nusername = __token__\npassword = pypiPassValue12345\n');
  write(
    'home/.aws/credentials',
    '[default]\naws_access_key_id = AKIA2345672345ABCDEF\naws_secret_access_key = wJalrXUtnFEMI/K7MDENGbPxRfiCY\n',
  );
  write('home/.config/gh/hosts.yml', 'github.com:\n    user: me\n    oauth_token: ghTokenOfMine1234\n');
  write(
    'home/.docker/config.json',
    JSON.stringify({ auths: { 'x.example': { auth: Buffer.from('me:dockerPass123').toString('base64') } } }),
  );
  write('home/.kube/config', 'users:\n- name: a\n  user:\n    token: kubeTokenValue1234567\n');
  write('home/.git-credentials', 'https://me:gitCredPw99@github.example\n');
  write(
    'home/.config/gcloud/application_default_credentials.json',
    JSON.stringify({ client_id: '1.apps', refresh_token: '1//refreshTokenValue99' }),
  );
  write('home/.ssh/id_ed25519', PEM);
  write('home/.ssh/id_ed25519.pub', 'ssh-ed25519 AAAA me@host\n');
  expect(new Map(read().map(([name = '', value]) => [name, value]))).toEqual(
    new Map([
      ['ssh.id_ed25519', KEY],
      ['gcloud.refresh_token', '1//refreshTokenValue99'],
      ['netrc.a.example', 'netrcPassw0rd'],
      ['npm._authToken', 'npmTokenValue12345'],
      ['pypi.password', 'pypiPassValue12345'],
      ['aws.aws_secret_access_key', 'wJalrXUtnFEMI/K7MDENGbPxRfiCY'],
      ['aws.aws-access-key', 'AKIA2345672345ABCDEF'],
      ['gh.oauth_token', 'ghTokenOfMine1234'],
      ['docker.auth', Buffer.from('me:dockerPass123').toString('base64')],
      ['docker.auth.password', 'dockerPass123'],
      ['kube.token', 'kubeTokenValue1234567'],
      ['git.github.example', 'gitCredPw99'],
    ]),
  );
});

test('the password of a remote is one, in a linked work tree too', () => {
  const git = (...words: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...words], {
      cwd: join(root, 'project'),
      stdio: 'ignore',
    });
  git('init');
  git('remote', 'add', 'origin', 'https://bob:gitRemotePw77@example.com/a.git');
  git('commit', '--allow-empty', '-m', 'first');
  git('worktree', 'add', join(root, 'linked'));
  const place = { cwd: join(root, 'linked'), project: join(root, 'linked'), home: join(root, 'home') };
  const secret = { name: 'git.example.com', value: 'gitRemotePw77', from: 'git remote' };
  expect(new SecretFiles().read(place)).toContainEqual(secret);
  expect(
    new SecretFiles().read({ ...place, cwd: join(root, 'project'), project: join(root, 'project') }),
  ).toContainEqual(secret);
});

test('of a file the user names each value is a secret', () => {
  write('project/config/live.json', '{"anything":{"at":"all-of-it-1234"},"mode":"production"}');
  write('home/one', 'a-lonely-value-1\n');
  expect(read(new SecretFiles(['config/live.json', '~/one', 'not/there']))).toEqual([
    ['at', 'all-of-it-1234', 'live.json'],
    ['one', 'a-lonely-value-1', 'one'],
  ]);
});

test('what changes is read again, what is new is found, and what is gone is no more', () => {
  const files = new SecretFiles();
  expect(read(files)).toEqual([]);
  const path = write('project/.env', 'API_KEY=first-Key-1234\n');
  expect(read(files)).toEqual([['API_KEY', 'first-Key-1234', '.env']]);
  appendFileSync(path, 'MY_TOKEN=second-Token-1234\n');
  expect(read(files).map(([name]) => name)).toEqual(['API_KEY', 'MY_TOKEN']);
  rmSync(path);
  expect(read(files)).toEqual([]);
});

test('a pipe, a broken link, a folder and a file of bytes are no trouble', () => {
  execFileSync('mkfifo', [join(root, 'project/.env')]);
  symlinkSync('nowhere', join(root, 'project/.env.local'));
  mkdirSync(join(root, 'project/.env.d'));
  write('project/.env.bytes', '\0\xff\xfe=\n');
  write('home/.docker/config.json', '{"auths": {');
  write('home/.kube', 'not a folder');
  expect(read()).toEqual([]);
});

test('a file with secrets is found wherever it lies in a project, and not among what others put there', async () => {
  const files = new SecretFiles();
  write('project/packages/api/.env', 'MAIL_RELAY=mono-canary-relay-zx81\n');
  write('project/deploy/.netrc', 'machine a.example login me password netrcPassw0rd\n');
  write('project/config/database.yml', 'production:\n  username: shop\n  password: canaryDbPass77\n');
  write('project/node_modules/x/.env', 'OTHER=mono-canary-other-zx81\n');
  const project = join(root, 'project');
  await files.lookThrough({ cwd: project, project, home: join(root, 'home') });
  expect(read(files).toSorted()).toEqual([
    ['MAIL_RELAY', 'mono-canary-relay-zx81', 'packages/api/.env'],
    ['database.password', 'canaryDbPass77', 'config/database.yml'],
    ['netrc.a.example', 'netrcPassw0rd', 'deploy/.netrc'],
  ]);
});

test('a file that somebody reads is read as its name and its content say', () => {
  const files = new SecretFiles();
  const place = { cwd: root, project: join(root, 'project'), home: join(root, 'home') };
  const paths = [
    write('home/.restic/pw', 'words-of-my-restic\n'),
    write('home/.new/auth.json', '{"user":"me","key":"0123456789abcdef0123456789abcdef"}'),
    write('elsewhere/.env', 'LATER=mono-canary-later-zx81\n'),
    write('home/.new/table', 'db.example:5432:shop:me:canaryColumn7\n'),
    write('project/wp-config.php', "define( 'DB_PASSWORD', 'canary!Word7' );\n"),
    write('home/.viminfo', ':!API_TOKEN=abcDEF123456ghi789\n'),
  ];
  files.note(paths, place);
  expect(new Map(read(files).map(([name = '', value]) => [name, value]))).toEqual(
    new Map([
      ['pw.value', 'words-of-my-restic'],
      ['auth.key', '0123456789abcdef0123456789abcdef'],
      ['LATER', 'mono-canary-later-zx81'],
      ['table.password', 'canaryColumn7'],
      ['wp-config.DB_PASSWORD', 'canary!Word7'],
      ['token', 'abcDEF123456ghi789'],
    ]),
  );
});

test('what newer programs keep in the home is known from the start', () => {
  const registry = Buffer.from('me:canaryRegistry7').toString('base64');
  const age = `AGE-SECRET-KEY-1${'QZ9C8KJX7M6WPTN5H4L3'.repeat(3).slice(0, 58)}`;
  write('home/.kaggle/kaggle.json', '{"username":"me","key":"0123456789abcdef0123456789abcdef"}');
  write('home/.config/containers/auth.json', JSON.stringify({ auths: { 'x.example': { auth: registry } } }));
  write('home/.config/sops/age/keys.txt', `# created: 2026-01-01\n${age}\n`);
  write('home/.claude/.credentials.json', '{"oauth":{"accessToken":"canary-access-Token-77"}}');
  write('home/.huggingface/token', 'canary-of-Hugging-77');
  expect(new Map(read().map(([name = '', value]) => [name, value]))).toEqual(
    new Map([
      ['huggingface.value', 'canary-of-Hugging-77'],
      ['claude.accessToken', 'canary-access-Token-77'],
      ['kaggle.key', '0123456789abcdef0123456789abcdef'],
      ['containers.auth', registry],
      ['containers.auth.password', 'canaryRegistry7'],
      ['sops.age-key', age],
    ]),
  );
});

/** Values of a file of a kind that costs much, each its own. */
const decoys = (file: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `K_TOKEN=Zx${file}x${at}kqPwLm\n`).join('');

test('many files of decoys are read no further than their share, and those that matter first, which is told once', async () => {
  const files = new SecretFiles();
  const project = join(root, 'project');
  for (let at = 10; at < 20; at += 1) write(`project/d${at}/.env`, decoys(at, 1500));
  for (let at = 10; at < 90; at += 1) write(`project/.env.${at}`, decoys(at, 100));
  write('project/.env', 'ROOT_PASSWORD=canary-Of-Root-77\n');
  write('project/inner/packages/api/.env', 'NEAR_PASSWORD=canary-Near-77\n');
  const place = { cwd: join(project, 'inner/packages'), project, home: join(root, 'home') };
  await files.lookThrough(place);
  const secrets = files.read(place);
  expect(secrets.length).toBe(4000);
  const names = secrets.map(({ name }) => name).filter((name) => name !== 'K_TOKEN');
  expect(names.toSorted()).toEqual(['NEAR_PASSWORD', 'ROOT_PASSWORD']);
  expect(files.takeNote()).toContain('more secrets than aish can read');
  files.read(place);
  expect(files.takeNote()).toBe(null);
});

test('a file is not pushed out by what is large', async () => {
  const files = new SecretFiles();
  const project = join(root, 'project');
  for (let at = 0; at < 8; at += 1)
    write(`project/.env.${at}`, `# ${'x'.repeat(250_000)}\nLARGE_${at}_KEY=canary-Of-${at}-77\n`);
  write('project/.env.local', 'MINE_PASSWORD=canary-Mine-77\n');
  const found = files.read({ cwd: project, project, home: join(root, 'home') }).map(({ name }) => name);
  expect(found).toEqual(['MINE_PASSWORD', 'LARGE_0_KEY', 'LARGE_1_KEY', 'LARGE_2_KEY']);
});

test('a link to a file of the project is read, one that leads out of it is not', async () => {
  const files = new SecretFiles();
  const project = join(root, 'project');
  write('project/common/settings', 'LINKED_PASSWORD=canary-Linked-77\n');
  write('outside', 'FOREIGN_PASSWORD=canary-Foreign-77\n');
  mkdirSync(join(project, 'packages/a'), { recursive: true });
  mkdirSync(join(project, 'packages/b'), { recursive: true });
  symlinkSync('../../common/settings', join(project, 'packages/a/.env'));
  symlinkSync('../../../outside', join(project, 'packages/b/.env'));
  await files.lookThrough({ cwd: project, project, home: join(root, 'home') });
  expect(read(files)).toEqual([['LINKED_PASSWORD', 'canary-Linked-77', 'packages/a/.env']]);
});

test('a file or folder that changed just now is read again: its next change may have the same time', () => {
  const path = write('project/inner/.env', 'A=1\n');
  const reads: string[] = [];
  const note = (what: string) => reads.push(what) > 0;
  const watched = [
    new WatchedFile(path, true, () => note('file')),
    new WatchedFolder(dirname(path), () => note('folder')),
  ];
  for (const later of [1, 10_000]) {
    setSystemTime(statSync(path).ctimeMs + later);
    for (const one of [...watched, ...watched]) 'read' in one ? one.read() : one.list();
  }
  expect(reads).toEqual(['file', 'folder', 'file', 'folder', 'file', 'folder']);
});
