import { readFileSync } from 'node:fs';

/** Places where another file system begins, as the system lists them. */
export function readMounts(file = '/proc/self/mountinfo'): readonly string[] {
  try {
    return parseMounts(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
}

/** Reads the mount points that Linux lists, one a line. */
export function parseMounts(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const written = line.split(' - ')[0]?.split(' ')[4];
    if (written === undefined) return [];
    return [written.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))];
  });
}

/** Mount points below a folder. */
export function mountsBelow(points: readonly string[], folder: string): readonly string[] {
  const prefix = folder === '/' ? '/' : `${folder}/`;
  return points.filter((point) => point.startsWith(prefix) && point !== '/');
}
