import { describe, expect, test } from 'bun:test';
import { findShapes, toShownVariable, toShownWords } from './shapes.ts';

const found = (text: string): string[][] => findShapes(text).map(({ name, value }) => [name, value]);

/** Put together here, so that nobody who looks for leaked tokens finds one in this file. */
const letters = (count: number): string => 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hI7jL9'.repeat(4).slice(0, count);
const TOKENS: readonly (readonly [string, string])[] = [
  ['github-token', `ghp_${letters(36)}`],
  ['github-token', `github_pat_${letters(60)}`],
  ['gitlab-token', `glpat-${letters(20)}`],
  ['anthropic-key', `sk-ant-api03-${letters(40)}`],
  ['openai-key', `sk-${letters(48)}`],
  ['openai-key', `sk-proj-${letters(60)}`],
  ['stripe-key', `sk_live_${letters(24)}`],
  ['aws-access-key', 'AKIA2345672345ABCDEF'],
  ['slack-token', `xoxb-${'1234567890-'}${letters(24)}`],
  ['google-api-key', `AIza${letters(35)}`],
  ['google-token', `ya29.${letters(40)}`],
  ['npm-token', `npm_${letters(36)}`],
  ['pypi-token', `pypi-${letters(80)}`],
  ['hugging-face-token', `hf_${letters(34)}`],
  ['sendgrid-key', `SG.${letters(22)}.${letters(43)}`],
  ['age-key', `AGE-SECRET-KEY-1${'QZ9C8KJX7M6WPTN5H4L3'.repeat(3).slice(0, 58)}`],
  ['digitalocean-token', `dop_v1_${'0123456789abcdef'.repeat(4)}`],
  ['jwt', `eyJ${letters(20)}.eyJ${letters(30)}.${letters(43)}`],
];

describe('a token is told by its beginning', () => {
  for (const [name, token] of TOKENS) test(`${name} ${token.slice(0, 8)}…`, () => expect(found(`x="${token}",`)).toEqual([[name, token]]));
});

describe('what stands around it tells a secret', () => {
  const key = Array.from({ length: 3 }, () => letters(64)).join('\n');
  const cases: readonly (readonly [string, string[][]])[] = [
    [`-----BEGIN RSA PRIVATE KEY-----\n${key}\nAb1=\n-----END RSA PRIVATE KEY-----\n`, [['private-key', `${key}\nAb1=`]]],
    [`-----BEGIN PRIVATE KEY-----\n${key}\nls -la\nREADME.md\n`, [['private-key', key]]],
    [`{"k":"-----BEGIN PRIVATE KEY-----\\n${letters(64)}\\n-----END PRIVATE KEY-----\\n"}`, [['private-key', `${letters(64)}\\n`]]],
    ['Authorization: Basic bWU6aHVudGVyMg==', [['authorization', 'bWU6aHVudGVyMg==']]],
    ["curl -H 'authorization: bearer abc.def-123456'", [['authorization', 'abc.def-123456']]],
    ['git clone https://me:ghx81jQ9aa@example.com/a/b', [['url-password', 'ghx81jQ9aa']]],
    ['postgres://app:hunter2@db/x', [['url-password', 'hunter2']]],
    ['mysql -u root -ph4ckm3Now db', [['password', 'h4ckm3Now']]],
    ['curl -u me:s3cr3tPa55 https://x.example', [['password', 's3cr3tPa55']]],
    [`https://hooks.slack.com/services/T0123/B0123/${letters(24)}`, [['slack-webhook', `T0123/B0123/${letters(24)}`]]],
    ['export DB_PASSWORD=Tr0ub4dor&3', [['password', 'Tr0ub4dor&3']]],
    ['login --password "hunter2hunter2"', [['password', 'hunter2hunter2']]],
    ['deploy --token=abcdEF0123456789xyz', [['token', 'abcdEF0123456789xyz']]],
    ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzKEYz', [['key', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzKEYz']]],
    ['{"client_secret": "GOCSPX-aB3dE5gH7jK9mN1pQ3s"}', [['secret', 'GOCSPX-aB3dE5gH7jK9mN1pQ3s']]],
    ['GET /cb?access_token=2YotnFZFEjr1zCsicMWpAA&state=xyz', [['token', '2YotnFZFEjr1zCsicMWpAA']]],
    ['database:\n  password: CanaryYaml7766\n', [['password', 'CanaryYaml7766']]],
    ['db.password = CanaryProp7766 # live\n', [['password', 'CanaryProp7766']]],
    ['  password: hunter2hunter2\n', [['password', 'hunter2hunter2']]],
    ['spring.password = Sup3rS3cret', [['password', 'Sup3rS3cret']]],
    ["curl -H 'Authorization: ApiKey CanaryHdr4433xx'", [['authorization', 'CanaryHdr4433xx']]],
    ["curl -b 'session=CanaryHdr4433abcd' x", [['password', 'CanaryHdr4433abcd']]],
    ['gh secret set X -b CanaryGh1234', [['password', 'CanaryGh1234']]],
    ['npm config set //r.example/:_authToken CanaryNpm123456', [['token', 'CanaryNpm123456']]],
    ['<password>XmlPass9988</password>', [['password', 'XmlPass9988']]],
    ['<s:Secret type="a">\n  aB3dE5gH7jK9mN1\n</s:Secret>', [['secret', 'aB3dE5gH7jK9mN1']]],
    ['secret_key = "hunter2hunter2"', [['key', 'hunter2hunter2']]],
    ['- name: DB_PASSWORD\n  value: "CanaryKube7766"', [['password', 'CanaryKube7766']]],
    ['<add key="ApiToken" value="aB3dE5gH7jK9mN1"/>', [['token', 'aB3dE5gH7jK9mN1']]],
    ['<key>ApiToken</key>\n  <string>aB3dE5gH7jK9mN1</string>', [['token', 'aB3dE5gH7jK9mN1']]],
    ['PresharedKey = aB3dE5gH7jK9mN1pQ3sT5vW7yZ9=', [['key', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9=']]],
    ['curl -H "X-Api-Key: CanaryHdr4433" https://x.example', [['key', 'CanaryHdr4433']]],
    ['> X-Auth-Token: CanaryHdr4433 and more', [['token', 'CanaryHdr4433']]],
    ['docker login -u a -p CanaryDocker88 x', [['password', 'CanaryDocker88']]],
    ['openssl enc -k CanarySsl1234 -in k.js', [['password', 'CanarySsl1234']]],
    ['openssl rsa -passin pass:CanarySsl1234 -in k', [['password', 'CanarySsl1234']]],
    ['redis-cli -h x -a CanaryRedis12 ping', [['password', 'CanaryRedis12']]],
    [`{"auths":{"x.example":{"auth":"${btoa('me:CanaryReg1234')}"}}}`, [['token', btoa('me:CanaryReg1234')]]],
    [`//r.example/:_auth=${btoa('me:CanaryReg1234')}`, [['token', btoa('me:CanaryReg1234')]]],
    ["curl -u 'bob:ab;cdefgh12' h", [['password', 'ab;cdefgh12']]],
    ["curl -u bob:'ab;cdefgh12' h", [['password', 'ab;cdefgh12']]],
    ['curl "http://h/?a=1&b" -u "bob:ab&cd ef;12" h', [['password', 'ab&cd ef;12']]],
    ["curl -d 'a=1&b=2' -u bob:s3cr3tPa55 h", [['password', 's3cr3tPa55']]],
    ["mysql -p'ab;12cdEF' x", [['password', 'ab;12cdEF']]],
    ['mysql -pab\\;12cdEF x', [['password', 'ab;12cdEF']]],
    ["sshpass -p 'my;pass12' ssh h", [['password', 'my;pass12']]],
    ["redis-cli -a 'ab|cd;ef1' ping", [['password', 'ab|cd;ef1']]],
    ['docker run -e API_TOKEN=tkn_9281hh2A71 image', [['token', 'tkn_9281hh2A71']]],
  ];
  for (const [text, wanted] of cases) test(JSON.stringify(text).slice(0, 70), () => expect(found(text)).toEqual(wanted));
});

describe('each line of a key is found behind what programs put before it', () => {
  const body = Array.from({ length: 4 }, (_, at) => letters(70).slice(at, at + 64));
  const lines = ['-----BEGIN OPENSSH PRIVATE KEY-----', ...body, '-----END OPENSSH PRIVATE KEY-----'];
  const before: Readonly<Record<string, (line: string, at: number) => string>> = {
    'a path, as grep -r does': (line) => `~user/other2/id_rsa:${line}`,
    'a path and a number, as grep -rn does': (line, at) => `my-keys/id_rsa:${at + 8}:${line}`,
    'a number, as nl and cat -n do': (line, at) => `${String(at + 8).padStart(6)}\t${line}`,
    'a number and a bar': (line, at) => `${at + 8} | ${line}`,
    'whatever sed is told': (line) => `part: ${line}`,
    'a plus, as diff does': (line) => `+${line}`,
    'a minus, as diff does': (line) => `-${line}`,
    'a quotation sign': (line) => `> ${line}`,
    'a number, and a dollar sign behind, as cat -An does': (line, at) => `${String(at + 8).padStart(6)}^I${line}$`,
  };
  for (const [title, write] of Object.entries(before))
    test(title, () => {
      const text = `README.md: about\n${lines.map(write).join('\n')}\nother: text\n`;
      const clean = findShapes(text).reduceRight((all, { from, to }) => `${all.slice(0, from)}*${all.slice(to)}`, text);
      expect(body.filter((line) => clean.includes(line.slice(0, 20)))).toEqual([]);
      expect(clean).toContain('README.md: about');
      expect(clean).toContain('other: text');
    });
  test('a pair alone on its line is one behind a path and a number, too', () => {
    const text = 'config/app.yml:12:  password: CanaryYaml7766\n    13\tpassword: CanaryYaml8877\n';
    expect(found(text)).toEqual([
      ['password', 'CanaryYaml7766'],
      ['password', 'CanaryYaml8877'],
    ]);
  });
});

describe('a value of letters alone is one beside a name that tells', () => {
  const forms: readonly string[] = [
    'password = "V"',
    'password: V',
    '"access_token": "V"',
    '<password>V</password>',
    'DB_PASSWORD=V',
    "CREATE USER app IDENTIFIED BY 'V';",
    "ALTER ROLE app WITH PASSWORD 'V';",
    '| password | V |',
    '| `api_key` | `V` |',
    'The password is V.',
    'the token for deploys is `V`',
    '**Password:** V',
    'PASSWORD V',
    'Server=db;Password=V;Encrypt=true',
    'pwd=V;',
    '$config["password"] = "V";',
    'jdbc:x?user=a&password=V',
    '- name: DB_PASSWORD\n  value: "V"',
  ];
  const values = ['hunterBlueSkyRiver', 'cNgHTCdpeqFmhyRdgaPk', 'Kd83hfQpZ7mvXw2LrT', 'x7k2m9q4w1z8p3n6'];
  for (const form of forms)
    test(JSON.stringify(form), () =>
      expect(values.map((value) => findShapes(`first\n${form.replace('V', value)}\nlast\n`).map((one) => one.value))).toEqual(
        values.map((value) => [value]),
      ),
    );
  test('a user that many things have with a password', () =>
    expect(found('login: admin:Kd83hfQpZ7mvXw2 and root:wheel admin:administrators')).toEqual([['password', 'Kd83hfQpZ7mvXw2']]));
});

describe('what only looks so stays', () => {
  const traps: readonly string[] = [
    'commit 9fceb02d0ae598e95dc970b74767f19372d61af8\nAuthor: A <a@b.example>',
    'token 9fceb02d0ae598e95dc970b74767f19372d61af8 was seen',
    '"integrity": "sha512-KVgEpRoqEf+ktJ9pTPm0KXdVhQZLmfwXAcVn4zWiN4sKgYwpl6nEHiUfS0gHxMvbC7sHbTmB4fLdsBT1sUqxvw=="',
    'checksum = "b3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hI7jL9mN1pQ3"',
    'id = "123e4567-e89b-12d3-a456-426614174000"\ntoken: 123e4567-e89b-12d3-a456-426614174000',
    `-----BEGIN CERTIFICATE-----\n${letters(64)}\n-----END CERTIFICATE-----`,
    `-----BEGIN PUBLIC KEY-----\n${letters(64)}\n-----END PUBLIC KEY-----`,
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${letters(43)} me@host`,
    `![](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA${letters(120)})`,
    '.css-1x2y3z4{color:#a1b2c3}.sc-a1B2c3D4e5F6{margin:0}',
    'const token = await getToken(request.headers.authorization);',
    'token: string; password?: string | undefined',
    'secret: process.env.SECRET_KEY_2, apiKey: config.apiKey2.value1',
    'password: String\ntoken: Base64Url\n  apiKey: apiKey2,\n  secret: sha256\n  token = parseToken2\nsecretKey := deriveKey32',
    'Map<Token>(Secret12345678) <password></password> <Token>{token}</Token> <key>Label</key><string>com.example.a1b2c3d4e5</string>',
    '"auth": "required" auth: "aGVsbG8gd29ybGQh" docker login registry.example.com:5000 -p 8443:443',
    '- name: PORT\n  value: "aB3dE5gH7jK9mN1" tokenizer: value = compute1234567',
    'set password expiration12 and set tokenIndex something; dataset token collection; http -a and https://a.example:80',
    'const encryptedKey = decodeBase64url(part);',
    'password: ********\npassword: <your-password>\nPASSWORD=changeme\nAPI_KEY=your-api-key-here-1',
    'PASSWORD=${DB_PASSWORD_1} --password "$PASSWORD_2" token={{ secrets.TOKEN_3 }}',
    'SSH_AUTH_SOCK=/tmp/ssh-a1B2c3D4/agent.123 TOKENIZERS_PARALLELISM=false GPG_TTY=/dev/pts/1',
    '"nextPageToken": "CAUQAB12345aaaZZ99"',
    'password_encryption = scram-sha-256',
    'token: ExclamationToken | QuestionToken; progressToken: z.optional(ProgressTokenSchema) /** @see accessTokenField */',
    '"password": "Please enter" password: "currentPassword", token: "accessTokenField", secret = "clientSecretValue"',
    "['token', 'typeParameters', 'propertyName'] password: Capabilities\\n| Token | Description |",
    'The token is required. The password was changed yesterday. The secret is kept in a vault: the key is short',
    'Authorization: Bearer ⟨secret:API_KEY⟩ password=⟨secret:password-2⟩',
    'https://user:password@host.example/ and http://a.example:8080/b@c and ssh://git@host.example:22/x',
    'the token expires in 3600s; a secret: never tell; keys are sorted by key',
    'my $Token = qr/[\\x21\\x23-\\x27]/; *META_KEY = \\&Some2::Util9::META_KEY;',
    'sk-learn-and-other-words-of-a-name sk-button-primary-2 task-force-one',
    'v1.2.3 1700000000000 2026-11-21T16:30:16Z 192.168.100.200:8080',
  ];
  for (const text of traps) test(JSON.stringify(text).slice(0, 70), () => expect(found(text)).toEqual([]));
});

test('a command is shown without the passwords among its words', () => {
  const words = ['npx', 'server', '--token', "it's 1", '--api-key=aB3dE5gH7jK9', '-p', 'Kd83hfQpZ7mvXw', '--port', '1'];
  expect(toShownWords(words)).toEqual(['npx', 'server', '--token', '…', '--api-key=…', '-p', '…', '--port', '1']);
  expect(toShownWords(['psql', 'postgres://me:hunter2@db/x', 'hunter2'])).toEqual(['psql', 'postgres://me:…@db/x', 'hunter2']);
});

test('a key in the place of the name of a variable is not shown', () => {
  const keys = ['my key 1', 'sk-abcdefghijklmnop', 'hf_aB3dE5gH7jK9mN1pQ3', 'Kd83hfQpZ7mvXw2LrT', ''];
  expect([keys.map(toShownVariable), toShownVariable('OPENAI_API_KEY2')]).toEqual([keys.map(() => '…'), 'OPENAI_API_KEY2']);
});
