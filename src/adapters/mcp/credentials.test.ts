import { expect, test } from 'bun:test';
import { isSafeForToken, redact, toSecrets, toToken } from './credentials.ts';

test('a literal token comes before the variable, and none is fine', () => {
  const environment = { TOKEN: 'from-variable' };
  const configs = [{ auth_token: 'literal', auth_env: 'TOKEN' }, { auth_env: 'TOKEN' }, {}];
  expect(configs.map((config) => toToken('nc', config, environment))).toEqual(['literal', 'from-variable', null]);
});

test('a named variable that is not set is an error that says which', () => {
  expect(() => toToken('nc', { auth_env: 'NC_TOKEN' }, {})).toThrow(
    'server "nc" takes its token from NC_TOKEN, which is not set',
  );
});

test('a token is safe over https and on loopback only', () => {
  const urls = [
    'https://a.example/',
    'http://localhost:1/',
    'http://127.9.9.9/',
    'http://[::1]/',
    'http://10.0.0.1/',
    'http://127.evil.example/',
  ];
  expect(urls.map((url) => isSafeForToken(new URL(url)))).toEqual([true, true, true, true, false, false]);
});

test('tokens, header values, address secrets and secret variables are taken out of texts, harmless values are not', () => {
  const config = {
    url: 'https://me:hunter22@a.example/mcp?key=query-secret',
    headers: { 'x-api-key': 'header-secret', authorization: 'Basic basic-secret' },
    env: { API_KEY: 'variable-secret', MODE: 'production' },
  };
  const text = 'bearer-secret header-secret basic-secret hunter22 query-secret variable-secret production';
  expect(redact(text, toSecrets(config, 'bearer-secret'))).toBe(`${'[hidden] '.repeat(6)}production`);
});

test('a password that is no valid escape is taken out as it is written', () => {
  expect(redact('x 100%secret x', toSecrets({ url: 'https://me:100%secret@a.example/' }, null))).toBe('x [hidden] x');
});
