import { expect, test } from 'bun:test';
import { asOtherUser, NOBODY } from '../../../test/support/other-user.ts';
import { discoverModels, findModel } from '../model/model-list.ts';
import { isOfAnotherPerson, strangersAt } from './port-users.ts';

const OTHER = asOtherUser();

/** A model server that the user of these words runs. */
async function serving(words: readonly string[], hostname: string) {
  const script = `const server = Bun.serve({ hostname: ${JSON.stringify(hostname)}, port: 0, fetch: () => Response.json({ data: [{ id: 'theirs' }] }) });
console.log(server.port);`;
  const program = Bun.spawn([...words, '-e', script], { cwd: '/', env: {}, stdout: 'pipe' });
  const { value } = await program.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  return { url: `http://127.0.0.1:${port}/v1`, [Symbol.dispose]: () => program.kill('SIGKILL') };
}

test('neither your own server, nor a port that nobody listens at, nor another machine has a stranger', async () => {
  using own = await serving([process.execPath], '127.0.0.1');
  const addresses = [own.url, 'http://127.0.0.1:1/v1', 'https://example.com/v1'];
  expect(addresses.map(strangersAt)).toEqual([[], [], []]);
});

test.skipIf(OTHER === null).each(['127.0.0.1', '0.0.0.0', '::', '127.0.0.2'])(
  'another user who listens on %s is a stranger, and no model is found there',
  async (hostname) => {
    using other = await serving(OTHER ?? [], hostname);
    expect([strangersAt(other.url), isOfAnotherPerson(other.url)]).toEqual([[NOBODY], true]);
    const candidates = [{ name: 'theirs', title: 'Theirs', baseUrl: other.url }];
    expect(await discoverModels({}, new AbortController().signal, candidates)).toEqual([]);
    const failure: unknown = await findModel({}, undefined, candidates).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({
      code: 'model.none',
      message: expect.stringContaining(`another user, at ${other.url}`),
    });
  },
);

test.each([
  [998, false],
  [1001, true],
  [61_500, false],
  [1_234_567, true],
])('user %i is another person: %p', async (user, isPerson) => {
  const words = asOtherUser(user);
  if (words === null) return;
  using other = await serving(words, '127.0.0.1');
  expect([strangersAt(other.url), isOfAnotherPerson(other.url)]).toEqual([[user], isPerson]);
});
