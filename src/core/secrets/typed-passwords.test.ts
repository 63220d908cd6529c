import { expect, test } from 'bun:test';
import { ORDINARY_LINES } from '../../../test/support/ordinary-lines.ts';
import { LINES_WITH_PASSWORDS } from '../../../test/support/typed-passwords.ts';
import { findShapes, findTypedShapes } from './shapes.ts';

const SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Words drawn from some signs, another one each time. */
function createDraw(seed: number, length: number, signs: string): () => string {
  let state = seed;
  const next = (): number => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
  return () => Array.from({ length }, () => signs[Math.floor(next() * signs.length)]).join('');
}

/** The lines of which something is left when what was found is covered. */
function missedWith(draw: () => string): string[] {
  return LINES_WITH_PASSWORDS.filter((line) => {
    const [password, other] = [draw(), draw()];
    const typed = line.replace(/\bV\b|(?<=-p|-P|-u|\bhp|\bn)V\b/g, password).replace(/\bW\b/g, other);
    expect(typed).toContain(password);
    const clean = cover(typed);
    return clean.includes(password) || clean.includes(other);
  });
}

/** A line without what was found in it. */
function cover(line: string): string {
  const found = findTypedShapes(line);
  const clean = found.toReversed().reduce((text, { from, to }) => `${text.slice(0, from)}*${text.slice(to)}`, line);
  return found.reduce((text, { value }) => text.replaceAll(value, '*'), clean);
}

for (const seed of [7, 8, 9])
  test(`passwords are found wherever users type them, but for one in two hundred that looks like words (seed ${seed})`, () => {
    const any = createDraw(seed, 14, SIGNS);
    const draw = (): string => {
      for (;;) {
        const word = any();
        if (/\d/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word)) return word;
      }
    };
    // Some words are drawn that could be a name.
    expect(missedWith(draw).slice(Math.floor(LINES_WITH_PASSWORDS.length / 199))).toEqual([]);
  });

test.each([
  ['forty letters of one case with figures', 40, 'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['thirty letters of both cases', 30, SIGNS.slice(0, -10)],
] as const)('so are keys of %s, but for one in a hundred', (_, length, signs) => {
  const missed = [7, 8, 9].map((seed) => missedWith(createDraw(seed, length, signs)).length);
  expect(Math.max(...missed)).toBeLessThanOrEqual(LINES_WITH_PASSWORDS.length / 100 + 1);
});

test('figures of a hash are a key where the place says so', () => {
  const key = '5f2c9be01d7a4836a0d94be17c3f58';
  const lines = `curl -u "V:" https://x.example
echo V | gh secret set DEPLOY_KEY
cypher-shell -u neo4j -p V
sqlplus system/V@db
net rpc join -U admin%V
useradd -m -p V bob
ssh-keygen -p -P V -f id
xfreerdp /u:bob /p:V /v:srv
git clone https://V@git.example/a/b.git
mongosh --eval 'db.createUser({user:"bob",pwd:"V",roles:[]})'
python3 manage.py shell -c "U.set_password('V')"
expect -c 'expect assword; send "V\\r"'`;
  expect(lines.split('\n').filter((line) => cover(line.replace('V', key)).includes(key))).toEqual([]);
});

test('in ordinary lines nothing is taken for a password', () => {
  expect(ORDINARY_LINES.length).toBeGreaterThan(300);
  expect(ORDINARY_LINES.filter((line) => findTypedShapes(line).length > 0)).toEqual([]);
});

test('where the place is plain the password may be a word', () => {
  const lines: readonly (readonly [string, string])[] = [
    ['sshpass -p swordfish ssh h', 'swordfish'],
    ['PASS=opensesame ./run', 'opensesame'],
    ['echo swordfish | sudo -S ls', 'swordfish'],
    ['curl -u me:pw https://x.example', 'pw'],
    ['curl -H "X-Api-Key: swordfish" https://x.example', 'swordfish'],
    ['echo ada:swordfish | chpasswd', 'swordfish'],
    ['tool --password=swordfish', 'swordfish'],
    ['gh secret set KEY --body swordfish', 'swordfish'],
  ];
  expect(lines.map(([line]) => findTypedShapes(line).map(({ value }) => value))).toEqual(lines.map(([, value]) => [value]));
});

test('the text of a request is no password', () => {
  expect(findTypedShapes('gh pr create --title fix --body swordfish')).toEqual([]);
});

test('the same line of a text is read, too, but for what is only a word', () => {
  const text = (value: string): string => `#!/bin/sh\nset -e\nrabbitmqctl add_user bob ${value}\nredis-cli -a ${value} ping\n`;
  expect(findShapes(text('x7Kd83hfQpZ7m')).length).toBe(2);
  expect(findShapes(text('swordfish'))).toEqual([]);
});
