import { expect, test } from 'bun:test';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import { listConfiguredSecrets, readSecretEnv } from './env-values.ts';

const found = (text: string): string[][] => readSecretEnv(text).map(({ name, value }) => [name, value]);

test('every value of an environment file is a secret, whatever its name', () => {
  const text = [
    'HASHED="aa#bb#Ty66uuPP"',
    'SPACED = "Vq62 with blanks inside Hr51"',
    'MULTI="Qz81-first-Xk29kd\nWp77-second-Lm30xx"',
    'LOWER=correcthorsebatterystaple',
    'MAIL_RELAY=mono-canary-relay-zx81',
    'PHRASE=correct-horse-battery-staple',
    'DB_URL=postgres://me:dbPassw0rd9@h/x',
    '# OLD_VALUE="x7-retired-Kd92"',
  ].join('\n');
  expect(found(text)).toEqual([
    ['HASHED', 'aa#bb#Ty66uuPP'],
    ['SPACED', 'Vq62 with blanks inside Hr51'],
    ['MULTI', 'Qz81-first-Xk29kd\nWp77-second-Lm30xx'],
    ['MULTI.1', 'Qz81-first-Xk29kd'],
    ['MULTI.2', 'Wp77-second-Lm30xx'],
    ['LOWER', 'correcthorsebatterystaple'],
    ['MAIL_RELAY', 'mono-canary-relay-zx81'],
    ['PHRASE', 'correct-horse-battery-staple'],
    ['DB_URL', 'postgres://me:dbPassw0rd9@h/x'],
    ['DB_URL.password', 'dbPassw0rd9'],
    ['OLD_VALUE', 'x7-retired-Kd92'],
  ]);
});

test('JSON and lists in a value count part by part', () => {
  const json = '{"type":"service_account","private_key_id":"c0ffee99aa88bb77","n":1}';
  expect(found(`JSONKEY='${json}'\nESCAPED="${json.replaceAll('"', '\\"')}"\npins = ["Xk29-kd-77", "red"]\n`)).toEqual([
    ['JSONKEY.private_key_id', 'c0ffee99aa88bb77'],
    ['ESCAPED.private_key_id', 'c0ffee99aa88bb77'],
    ['pins', 'Xk29-kd-77'],
  ]);
});

test('what is plainly none is none', () => {
  const values = [
    ...['true', 'production', 'postgres', '3000', 'info', 'en_US', 'en_US.UTF-8', 'Europe/Berlin', 'localhost'],
    ...['America/Argentina/Buenos_Aires', 'localhost:5432', 'smtp.example.com:587', 'ada@mail.example', '*.example.com'],
    ...['https://api.example.com/v1?page=2', 'redis://localhost:6379/0', 'sqlite:///data/app.db', './data/app.db'],
    ...['http://localhost:3000,http://127.0.0.1:3000', 'us-east-1', 'gpt-4o-mini', 'claude-sonnet-4-5-20250929'],
    ...['node:20-alpine', 'postgres:16.2', 'python3.11', 'ubuntu22', 'mysql2', '10mb', '86400000', '1234567890', '30s'],
    ...['0.0.0.0', '1024x768', '#ff8800cc', '*/5 * * * *', '0 9 * * MON-FRI', 'My Great Shop', 'debug,info,warn'],
    ...['application/json', 'AES-256-GCM', 'TLSv1.2', 'app_development', '@my-org/package', 'postgresql+asyncpg'],
    ...['123e4567-e89b-12d3-a456-426614174000', '2026-11-21T16:30:16Z', '--max-old-space-size=4096', 'GoogleMaps'],
    ...['prefix-${OTHER}-suffix', '/var/lib/app', 'arn:aws:iam::123456789012:role/Deploy', '1.2.3-beta.4'],
  ];
  const text = values.map((value, at) => `VALUE_${at}A="${value}"`).join('\n');
  expect(found(`${text}\nGIT_COMMIT=9fceb02\nAPP_VERSION=1.2.3-rc4b7\nCOLOR=a1b2c3\n`)).toEqual([]);
});

test('a password that begins as JSON or a list does, or has commas, is a secret as a whole', () => {
  const lines = [
    'DB_PASSWORD=[Zx81!kqPw',
    'API_TOKEN={Zx82!kqPw}',
    'JWT_SECRET=[[[Zx83kqPwm',
    'S1_SECRET={"a":1}Zx84kqPw9',
    'NOTE=[Zx85 kq Pw Lm]',
    'LISTY=Zx8,9kQ,2Lp;4w7=Q9z,Zx89',
    'LISTED=Zx8,9kQ,2Lp',
    'DOLLAR=Zx88$kqPwLm',
    'PREFIXED={"a":"Zx86kqPw-in"}Zx87!kqPw',
  ];
  expect(found(lines.join('\n'))).toEqual([
    ...lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    ['PREFIXED.a', 'Zx86kqPw-in'],
  ]);
});

test('lists of words and numbers, and JSON of nothing else, are none', () => {
  const lines = [
    'A=es6,h2,10mb,v1.2',
    'B=debug,info,1,2,3',
    'C=["http://localhost:3000", "*"]',
    'D={"a": 1, "debug": true, "size": 1234567890}',
    'E=en_US,de-DE;q=0.9',
  ];
  expect(found(lines.join('\n'))).toEqual([]);
});

test('a quote that is never closed ends with its line, and takes no other value with it', () => {
  expect(found('OPEN="never Zx99kqPw\nNEXT_PASSWORD=Zx98kqPwQ\n')).toEqual([
    ['OPEN', 'never Zx99kqPw'],
    ['NEXT_PASSWORD', 'Zx98kqPwQ'],
  ]);
  const [far] = found(`FAR="Zx97kqPw\n${'x=y\n'.repeat(8000)}"\n`);
  expect(far).toEqual(['FAR', 'Zx97kqPw']);
});

test('of a value of very many lines the first ones are looked for alone', () => {
  const lines = Array.from({ length: 500 }, (_, at) => `Zx${at + 10}kqPwLm`);
  expect(found(`MANY="${lines.join('\\n')}"`)).toHaveLength(65);
});

test('the values of every key and token a configuration names are secrets', () => {
  const config = {
    models: { a: { base_url: 'http://a', key_env: 'A_KEY' }, b: { base_url: 'http://b', key_env: 'NOT_SET' } },
    mcp: {
      ...DEFAULT_CONFIG.mcp,
      servers: {
        one: { url: 'http://one', auth_env: 'ONE_TOKEN', enabled: true, timeout_ms: 1 },
        two: { url: 'http://two', auth_token: 'written-down', enabled: true, timeout_ms: 1 },
      },
    },
  };
  const env = {
    A_KEY: ' key-of-a-1 ',
    ONE_TOKEN: 'token-of-one',
    CLOUD_KEY: 'key-of-cloud',
    OTHER: 'no-secret-at-all',
  };
  expect(listConfiguredSecrets(config, env, ['CLOUD_KEY'])).toEqual([
    { name: 'A_KEY', value: 'key-of-a-1', from: 'environment' },
    { name: 'ONE_TOKEN', value: 'token-of-one', from: 'environment' },
    { name: 'CLOUD_KEY', value: 'key-of-cloud', from: 'environment' },
    { name: 'two.auth_token', value: 'written-down', from: 'config' },
  ]);
});

test('what a server is given is secret where its name, its header or its place in an address says so', () => {
  const server = {
    url: 'https://me:of-the-address@one.example/mcp',
    env: { SERVICE_TOKEN: 'of-the-variable-1', MODE: 'production-mode' },
    headers: { Authorization: 'Bearer of-the-header', 'X-Api-Key': 'of-another', Accept: 'application/json' },
    enabled: true,
    timeout_ms: 1,
  };
  const config = { models: {}, mcp: { ...DEFAULT_CONFIG.mcp, servers: { one: server } } };
  expect(listConfiguredSecrets(config, {})).toEqual([
    { name: 'SERVICE_TOKEN', value: 'of-the-variable-1', from: 'config' },
    { name: 'one.Authorization', value: 'of-the-header', from: 'config' },
    { name: 'one.X-Api-Key', value: 'of-another', from: 'config' },
    { name: 'one.url', value: 'of-the-address', from: 'config' },
  ]);
});

test('a short value is none, but from six characters on where they are mixed: any text may hold it', () => {
  const config = { ...DEFAULT_CONFIG, models: { a: { base_url: 'http://a', key_env: 'K' } } };
  const found = ['sk-1234', 'hunt3r', 'p@sswd', 'hunter', '1234567', 'a1-b2', ''].filter(
    (value) => listConfiguredSecrets(config, { K: value }).length > 0,
  );
  expect(found).toEqual(['sk-1234', 'hunt3r', 'p@sswd']);
});
