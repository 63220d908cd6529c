import { expect, test } from 'bun:test';
import { readCredentials } from './cloud-credentials.ts';
import { signAws } from './sign-aws.ts';

const KEY = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', region: 'us-east-1' };
const at = new Date('2015-08-30T12:36:00Z');
const sign = (method: string, path: string, token?: string) =>
  signAws(
    { ...KEY, ...(token === undefined ? {} : { token }) },
    { method, url: `https://example.amazonaws.com${path}`, body: '', at },
    'service',
  );

test.each([
  ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'get-vanilla-query-order-key-case',
    'GET',
    '/?Param2=value2&Param1=value1',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
])('the test case %s of AWS is signed as AWS signs it', (_, method, path, signature) => {
  expect(sign(method, path)).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  });
});

test('the token of a temporary key is signed, and goes along', () => {
  const signed = sign('POST', '/', 'TOKEN');
  expect(signed['x-amz-security-token']).toBe('TOKEN');
  expect(signed.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
});

test('an access key is read from the environment, if it is whole', () => {
  const env = { AWS_ACCESS_KEY_ID: ' a ', AWS_SECRET_ACCESS_KEY: 'b', AWS_DEFAULT_REGION: 'eu-west-1' };
  const read = (more: object = {}) => readCredentials('bedrock', { ...env, ...more });
  expect(read()).toEqual({ aws: { id: 'a', secret: 'b', region: 'eu-west-1' } });
  expect(read({ AWS_SESSION_TOKEN: 't', AWS_REGION: 'x' }).aws).toMatchObject({ token: 't', region: 'x' });
  expect(read({ AWS_SECRET_ACCESS_KEY: '' })).toEqual({});
  expect(readCredentials('openai', env)).toEqual({});
});
