import { join } from 'node:path';
import { isThere } from '../system/file-status.ts';

/** The sockets where docker and podman listen. A server elsewhere is not asked, because that takes too long for a prompt. */
export function containerSockets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { DOCKER_HOST, HOME = '/', XDG_RUNTIME_DIR } = env;
  const docker =
    DOCKER_HOST === undefined
      ? ['/var/run/docker.sock', join(HOME, '.docker/run/docker.sock'), ...within(XDG_RUNTIME_DIR, 'docker.sock')]
      : [/^unix:\/\/(.+)$/.exec(DOCKER_HOST)?.[1] ?? []].flat();
  return [...docker, '/run/podman/podman.sock', ...within(XDG_RUNTIME_DIR, 'podman/podman.sock')];
}

function within(folder: string | undefined, name: string): readonly string[] {
  return folder === undefined ? [] : [join(folder, name)];
}

/** Time for the list of containers; a line waits about as long. */
const CONTAINERS_MS = 300;

/** The names of all containers, the stopped ones among them. */
export async function listContainers(env: Readonly<Record<string, string | undefined>>): Promise<readonly string[]> {
  const found = await Promise.all(
    containerSockets(env).map(async (unix) => {
      if (!(await isThere(unix))) return [];
      const signal = AbortSignal.timeout(CONTAINERS_MS);
      const listed: unknown = await fetch('http://localhost/containers/json?all=1', { unix, signal })
        .then((response) => response.json())
        .catch(() => []);
      return Array.isArray(listed) ? listed.flatMap(namesOf) : [];
    }),
  );
  return found.flat();
}

function namesOf(container: unknown): readonly string[] {
  const names = typeof container === 'object' && container !== null && 'Names' in container ? container.Names : [];
  return Array.isArray(names)
    ? names.flatMap((name) => (typeof name === 'string' ? [name.replace(/^\//, '')] : []))
    : [];
}
