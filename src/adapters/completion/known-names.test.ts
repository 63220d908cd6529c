import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { containerSockets, KnownNames } from './known-names.ts';

test('branches, tags and hosts are known once they were read, and the same names are no news', async () => {
  const root = mkdtempSync(join(tmpdir(), 'known-names-'));
  try {
    for (const folder of ['.git/refs/heads', '.git/refs/remotes/origin', '.ssh', 'src'])
      mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(root, '.git/refs/heads/it'), 'x\n');
    writeFileSync(join(root, '.git/refs/remotes/origin/theirs'), 'x\n');
    writeFileSync(join(root, '.git/packed-refs'), `# pack\n${'a'.repeat(40)} refs/tags/then\n`);
    writeFileSync(join(root, '.ssh/config'), 'Host up\n');
    writeFileSync(join(root, '.ssh/known_hosts'), 'down ssh-ed25519 AAAA\n');
    const names = new KnownNames(root);
    const cwd = join(root, 'src');
    const refs = ['it', 'then', 'theirs', 'origin/theirs', 'what'];
    const look = () => [...refs.map((name) => names.hasRef(name, cwd)), names.hasHost('up'), names.hasHost('down')];
    expect(look()).toEqual(Array(7).fill(false));
    await Promise.all(names.sources.map((source) => source.settled()));
    expect(look()).toEqual([true, true, true, true, false, true, true]);
    const news = names.sources.map((source) => source.news);
    names.expire();
    look();
    await Promise.all(names.sources.map((source) => source.settled()));
    expect(names.sources.map((source) => source.news)).toEqual(news);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test('containers are known by the list of a socket, and a server that says anything else knows none', async () => {
  const root = mkdtempSync(join(tmpdir(), 'known-names-'));
  const answers: Readonly<Record<string, unknown>> = {
    'docker.sock': [{ Names: ['/web', '/that'] }, { Names: null }, 7],
    'podman/podman.sock': { message: 'no' },
  };
  mkdirSync(join(root, 'podman'));
  const asked: string[] = [];
  const servers = Object.entries(answers).map(([name, answer]) =>
    Bun.serve({
      unix: join(root, name),
      fetch: ({ url }) => {
        asked.push(new URL(url).pathname);
        return Response.json(answer);
      },
    }),
  );
  try {
    expect(containerSockets({ DOCKER_HOST: 'tcp://far:2375' })).toEqual(['/run/podman/podman.sock']);
    expect(containerSockets({ DOCKER_HOST: 'unix:///a.sock' })[0]).toBe('/a.sock');
    const names = new KnownNames(root, { HOME: root, XDG_RUNTIME_DIR: root });
    const look = () => ['web', 'that', 'other'].map((name) => names.hasContainer(name));
    expect(look()).toEqual([false, false, false]);
    await Promise.all(names.sources.map((source) => source.settled()));
    expect(look()).toEqual([true, true, false]);
    expect(asked).toEqual(['/containers/json', '/containers/json']);
  } finally {
    for (const server of servers) await server.stop(true);
    rmSync(root, { recursive: true, force: true });
  }
});
