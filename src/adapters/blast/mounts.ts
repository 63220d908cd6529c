import { readFileSync } from 'node:fs';

/** File systems whose answers come from elsewhere, and may not come at all. */
const FAR =
  /^(nfs\d?|cifs|smb\w*|smbfs|9p|fuse|fuse\..+|fuseblk|ceph|glusterfs|afs|lustre|autofs|davfs\d?|ncpfs|beegfs|gfs2?|ocfs2)$/;
/** What is mounted there is the system's own. */
const OWN = /^\/(proc|sys|dev|run)(\/|$)/;

/** Places where another file system begins. */
export interface Mounts {
  readonly points: readonly string[];
  /** Those whose file system may not answer. */
  readonly far: readonly string[];
}

/** What is mounted now, as far as the system tells without a look at any of it. */
export function readMounts(file = '/proc/self/mountinfo'): Mounts {
  try {
    return parseMounts(readFileSync(file, 'utf8'));
  } catch {
    return { points: [], far: [] };
  }
}

/** Reads what Linux tells of its mounts, one a line. */
export function parseMounts(text: string): Mounts {
  const points: string[] = [];
  const far: string[] = [];
  for (const line of text.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const written = before.split(' ')[4];
    if (written === undefined) continue;
    const point = written.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
    points.push(point);
    if (FAR.test(after.split(' ')[0] ?? '') && !OWN.test(point)) far.push(point);
  }
  return { points, far };
}

/** Mount points below a folder. */
export function mountsBelow({ points }: Mounts, folder: string): readonly string[] {
  const prefix = folder === '/' ? '/' : `${folder}/`;
  return points.filter((point) => point.startsWith(prefix) && point !== '/');
}

/** Asks each from a process of its own, for a look at a server that is gone does not come back. */
const ASK = 'n=0; for one; do (test -d "$one"; echo $n) & n=$((n+1)); done; wait';
const PATIENCE_MS = 50;

/** Those of some mounts that do not answer. */
export async function findSilent(far: readonly string[], command = ['/bin/sh', '-c', ASK]): Promise<readonly string[]> {
  if (far.length === 0) return [];
  const child = Bun.spawn([...command, 'sh', ...far], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const over = Promise.withResolvers<null>();
  const end = setTimeout(() => over.resolve(null), PATIENCE_MS);
  const silent = new Set(far.keys());
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (silent.size > 0) {
      const read = await Promise.race([reader.read(), over.promise]);
      if (read === null || read.done) break;
      text += decoder.decode(read.value, { stream: true });
      for (const [, number] of text.matchAll(/(\d+)\n/g)) silent.delete(Number(number));
    }
  } finally {
    clearTimeout(timer);
    clearTimeout(end);
    void reader.cancel();
    child.kill('SIGKILL');
    child.unref();
  }
  return far.filter((_, at) => silent.has(at));
}
