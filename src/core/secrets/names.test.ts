import { expect, test } from 'bun:test';
import { isOrdinary, isSecretName } from './names.ts';

test('a name that ends in what opens something is that of a secret', () => {
  const names = (
    'API_KEY apiKey OPENAI_KEY GITHUB_TOKEN NPM_AUTH_TOKEN _authToken SECRET CLIENT_SECRET ' +
    'DJANGO_SECRET_KEY PASSWORD DB_PASS PGPASSWORD MYSQL_PWD passwd PASSPHRASE AWS_SECRET_ACCESS_KEY ' +
    'AWS_SESSION_TOKEN GOOGLE_CREDENTIALS client-key-data refresh_token GITHUB_PAT clientSecret ' +
    'x-api-key private_key'
  ).split(' ');
  expect(names.filter((name) => !isSecretName(name))).toEqual([]);
});

test('a name that tells of a secret without giving it is not', () => {
  const names = (
    'SSH_AUTH_SOCK GPG_TTY TOKENIZERS_PARALLELISM PASSWORD_STORE_DIR API_KEY_FILE TOKEN_PATH SECRET_NAME ' +
    'AWS_ACCESS_KEY_ID PUBLIC_KEY SORT_KEY key token_type TOKEN_URL MAX_TOKENS tokens nextPageToken PWD ' +
    'OLDPWD PASSWORD_MIN_LENGTH GIT_ASKPASS PATH HOME private_key_id certificate-authority-data keyboard ' +
    'monkey passenger'
  ).split(' ');
  expect(names.filter(isSecretName)).toEqual([]);
});

test('a number behind it changes nothing about a name', () => {
  const names = 'DB_PASSWORD2 DB_PASSWORD_1 API_KEY2 API_TOKEN_V2 SECRET3 apiToken12'.split(' ');
  expect(names.filter((name) => !isSecretName(name))).toEqual([]);
  expect('KEY2 AUTH0 PWD2 OLDPWD2 base64 sort_key2 monkey2 page_v2'.split(' ').filter(isSecretName)).toEqual([]);
});

test('words, short numbers, paths, addresses and what stands for a secret to come are none', () => {
  const values = [
    ...[
      'true',
      'production',
      'localhost',
      'Development',
      'postgres',
      'my-dev-db',
      'docker',
      'v1.2.3',
      '1234567',
      '127.0.0.1:5432',
      '2026-11-21',
    ],
    ...['/home/somebody/.config/key', '~/keys/id_rsa', './secrets.json', 'C:\\keys\\one', 'https://example.com/a/b'],
    ...['$OTHER_VARIABLE', '${{ secrets.TOKEN }}', '<your-token>', 'xxxxxxxxxxxx', '********', 'your-token-here', 'op://vault/item/field'],
  ];
  expect(values.filter((value) => !isOrdinary(value))).toEqual([]);
});

test('what somebody chose or drew is one', () => {
  const values = [
    'hunter2!x',
    'hunt3r',
    '12345678',
    'Tr0ub4dor&3',
    'correct-horse-battery-staple',
    'correcthorsebattery',
    '/aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hI7',
    'deadbeef1234',
  ];
  expect(values.filter((value) => isOrdinary(value))).toEqual([]);
});

test('a name of the user is ordinary where it is told', () => {
  expect(isOrdinary('some1body', new Set(['some1body']))).toBe(true);
});

test('a few everyday words with blanks are none, a pass phrase is one', () => {
  expect(['exit 0; cwd', ' the quick', 'the quick, 2'].filter((value) => !isOrdinary(value))).toEqual([]);
  const phrases = ['four words of mine', 'purple monkey dishwasher', 'my dog 77', 'ab Zx9 kq'];
  expect(phrases.filter((value) => isOrdinary(value))).toEqual([]);
});
