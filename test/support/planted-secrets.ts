import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Home } from './aish.ts';
import { type Canary, word } from './canaries.ts';

/** Secrets laid out where users have them. */
export interface PlantedSecrets {
  readonly canaries: readonly Canary[];
  /** Variables that aish is started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Sections for the configuration: a token of a server, and a variable of one that is started here. */
  readonly serverToken: string;
  readonly serverVariable: string;
  /** For lines that are typed: in an assignment, and as an argument. */
  readonly exported: string;
  readonly argument: string;
  valueOf(name: string): string;
}

/** Lays secrets out in the home, the project and its repository; where they have to be typed or configured, the test does that. */
export function plantSecrets(home: Home, random: () => number): PlantedSecrets {
  const canaries: Canary[] = [];
  const plant = (name: string, value: string): string => {
    canaries.push({ name, value });
    return value;
  };
  // As generators of keys and passwords make them: also with what has to be quoted or encoded somewhere.
  const mixed = (): string => `${word(random, 12)}/${word(random, 10)}+${word(random, 16)}==`;
  const env = {
    GITHUB_TOKEN: plant('environment: token', word(random, 40)),
    SERVICE_PASSWORD: plant('environment: password', mixed()),
    DATABASE_URL: `postgres://shop:${plant('environment: url', word(random, 24))}@db.internal:5432/shop`,
  };
  const files = {
    '.env': `API_KEY="${plant('.env: quoted', word(random, 36))}"\nexport STRIPE_SECRET_KEY=${plant('.env: plain', mixed())}\nPORT=3000\n`,
    '.env.local': `SESSION_SECRET='${plant('.env.local', word(random, 48))}'\n`,
    '.env.other': otherValues(random, plant),
    'packages/api/.env': `MAIL_RELAY=${plant('below: .env', `relay-${word(random, 20)}`)}\nLOG_LEVEL=info\n`,
    'config/database.yml': `production:\n  username: shop\n  password: ${plant('below: database.yml', `Canary${word(random, 18)}77`)}\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home.work, name)), { recursive: true });
    writeFileSync(join(home.work, name), text);
  }
  plantInHome(home, random, plant);
  const remote = plant('git remote', word(random, 40));
  home.git('remote', 'add', 'origin', `https://deploy:${remote}@git.example/shop.git`);
  return {
    canaries,
    env,
    serverToken: plant('config: token of a server', word(random, 32)),
    serverVariable: plant('config: variable of a server', word(random, 32)),
    exported: plant('typed: export', word(random, 32)),
    argument: plant('typed: argument', word(random, 32)),
    valueOf: (name) => canaries.find((canary) => canary.name === name)?.value ?? '',
  };
}

/** Values of names that say nothing, in the forms that environment files have. */
function otherValues(random: () => number, plant: (name: string, value: string) => string): string {
  const small = (length: number): string => word(random, length, 'abcdefghijklmnopqrstuvwxyz');
  return [
    `HASHED="${plant('.env: with signs', `${small(5)}#${small(5)}#Ty66${small(8)}`)}"`,
    `SPACED = "${plant('.env: with blanks', `Vq62 ${small(6)} ${small(6)} Hr51`)}"`,
    `MULTI="${plant('.env: first line', `Qz81-${small(16)}`)}\n${plant('.env: second line', `Wp77-${small(16)}`)}"`,
    `JSONKEY='${JSON.stringify({ type: 'account', private_key_id: plant('.env: in JSON', word(random, 16, '0123456789abcdef')) })}'`,
    `LOWER=${plant('.env: small letters', small(24))}`,
    'MODE=production\n',
  ].join('\n');
}

function plantInHome(home: Home, random: () => number, plant: (name: string, value: string) => string): void {
  for (const folder of ['.ssh', '.aws', '.kaggle', '.restic', '.config/containers', '.config/sops/age'])
    mkdirSync(join(home.home, folder), { mode: 0o700, recursive: true });
  const lines = [1, 2, 3].map((line) => plant(`ssh key, line ${line}`, word(random, 70)));
  const texts = {
    '.ssh/id_ed25519': `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`,
    '.netrc': `machine api.example\n  login me\n  password ${plant('netrc', word(random, 28))}\n`,
    '.aws/credentials': `[default]\naws_access_key_id = AKIA${word(random, 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}\naws_secret_access_key = ${plant('aws', `${word(random, 20)}/${word(random, 19)}`)}\n`,
    '.kaggle/kaggle.json': JSON.stringify({
      username: 'me',
      key: plant('kaggle', word(random, 32, '0123456789abcdef')),
    }),
    '.config/containers/auth.json': JSON.stringify({
      auths: { 'x.example': { auth: btoa(`me:${plant('registry', word(random, 24))}`) } },
    }),
    '.config/sops/age/keys.txt': `# public key: age1x\nAGE-SECRET-KEY-1${plant('read: age', word(random, 58, '023456789ACDEFGHJKLMNPQRSTUVWXYZ'))}\n`,
    '.restic/pw': `${plant('read alone', word(random, 24))}\n`,
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(home.home, name), text, { mode: 0o600 });
}
