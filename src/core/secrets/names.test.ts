import { expect, test } from 'bun:test';
import { isSecretName } from './names.ts';

test('a name that ends in what opens something is that of a secret', () => {
  const names =
    'API_KEY apiKey OPENAI_KEY GITHUB_TOKEN NPM_AUTH_TOKEN _authToken SECRET CLIENT_SECRET DJANGO_SECRET_KEY PASSWORD DB_PASS PGPASSWORD MYSQL_PWD passwd PASSPHRASE AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN GOOGLE_CREDENTIALS client-key-data refresh_token GITHUB_PAT clientSecret x-api-key private_key'.split(
      ' ',
    );
  expect(names.filter((name) => !isSecretName(name))).toEqual([]);
});

test('a name that tells of a secret without giving it is not', () => {
  const names =
    'SSH_AUTH_SOCK GPG_TTY TOKENIZERS_PARALLELISM PASSWORD_STORE_DIR API_KEY_FILE TOKEN_PATH SECRET_NAME AWS_ACCESS_KEY_ID PUBLIC_KEY SORT_KEY key token_type TOKEN_URL MAX_TOKENS tokens nextPageToken PWD OLDPWD PASSWORD_MIN_LENGTH GIT_ASKPASS PATH HOME private_key_id certificate-authority-data keyboard monkey passenger'.split(
      ' ',
    );
  expect(names.filter(isSecretName)).toEqual([]);
});

test('a number behind it changes nothing about a name', () => {
  const names = 'DB_PASSWORD2 DB_PASSWORD_1 API_KEY2 API_TOKEN_V2 SECRET3 apiToken12'.split(' ');
  expect(names.filter((name) => !isSecretName(name))).toEqual([]);
  expect('KEY2 AUTH0 PWD2 OLDPWD2 base64 sort_key2 monkey2 page_v2'.split(' ').filter(isSecretName)).toEqual([]);
});
