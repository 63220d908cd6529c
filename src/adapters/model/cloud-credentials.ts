/** An access key of AWS, which signs each request and is never sent. */
export interface AwsKey {
  readonly id: string;
  readonly secret: string;
  /** Temporary keys have one. */
  readonly token?: string;
  readonly region: string;
}

/** Credentials for a provider that takes no key, or whose key is not set. */
export interface CloudCredentials {
  readonly aws?: AwsKey;
  readonly google?: GoogleLogin;
}

/** A service account of Google, or a login of gcloud. */
export interface GoogleLogin {
  /** The JSON file that holds it. */
  readonly file: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The credentials in the environment, by the names of all programs of AWS and Google; empty without any. */
export function readCredentials(provider: string | undefined, env: Environment): CloudCredentials {
  const aws = provider === 'bedrock' ? readAwsKey(env) : null;
  const file = provider === 'vertex' ? env.GOOGLE_APPLICATION_CREDENTIALS?.trim() : undefined;
  return aws !== null ? { aws } : file ? { google: { file } } : {};
}

function readAwsKey(env: Environment): AwsKey | null {
  const [id = '', secret = '', region = '', token] = [
    env.AWS_ACCESS_KEY_ID,
    env.AWS_SECRET_ACCESS_KEY,
    env.AWS_REGION ?? env.AWS_DEFAULT_REGION,
    env.AWS_SESSION_TOKEN,
  ].map((value) => value?.trim());
  return id === '' || secret === '' ? null : { id, secret, region, ...(token ? { token } : {}) };
}
