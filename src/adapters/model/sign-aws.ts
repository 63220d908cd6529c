import { sha256 } from '../../core/text/sha256.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { AwsKey } from './cloud-credentials.ts';

interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly at: Date;
}

/** The headers that sign a request by Signature Version 4. */
export function signAws(
  { id, secret, token, region }: AwsKey,
  { method, url, body, at }: SignedRequest,
  service = 'bedrock',
): Readonly<Record<string, string>> {
  const { host, pathname, searchParams } = new URL(url);
  const time = at.toISOString().replace(/[:-]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const own = { 'x-amz-date': time, ...omitUndefined({ 'x-amz-security-token': token }) };
  const headers = Object.entries({ host, ...own });
  const names = headers.map(([name]) => name).join(';');
  const query = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const canonical = [
    method,
    // The path of the address is encoded already, and AWS wants it encoded again.
    pathname.split('/').map(encode).join('/'),
    query.join('&'),
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const key = scope.split('/').reduce<string | Uint8Array>((made, part) => hmac(made, part), `AWS4${secret}`);
  const signature = Buffer.from(hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`)).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...own, authorization };
}

function hmac(key: string | Uint8Array, text: string): Uint8Array {
  return new Bun.CryptoHasher('sha256', key).update(text).digest();
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
