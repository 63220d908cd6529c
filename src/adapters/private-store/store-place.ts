import { dirname, sep } from 'node:path';

/** The folders that say which places are nobody's project. All are absolute and free of links. */
export interface Surroundings {
  readonly home: string;
  /** Where aish keeps what it keeps. */
  readonly state: string;
  /** Folder for temporary files. */
  readonly temporary: string;
}

/** Folders of the system, with all in them. */
const SYSTEM =
  '/bin /boot /dev /etc /lib /lib32 /lib64 /proc /sbin /sys /usr /System /Library /Applications /private/etc'.split(
    ' ',
  );

/** Folders that hold those of many others; what lies in them may well be somebody's. */
const CROSSROADS =
  '/ /home /Users /root /opt /srv /mnt /media /run /run/user /tmp /var /var/tmp /Volumes /private /private/tmp /private/var'.split(
    ' ',
  );

/** Why no pictures are taken of a directory outside of a repository; null where they may be. */
export function refusePlace(root: string, { home, state, temporary }: Surroundings): string | null {
  if (root === home) return 'no checkpoint is kept of your home directory';
  if (root === temporary || CROSSROADS.includes(root) || ['/home', '/Users'].includes(dirname(root))) {
    return `no checkpoint is kept of ${root}: too much lies there that is no project`;
  }
  if (isInside(root, home) || isInside(root, state))
    return `no checkpoint is kept of ${root}: your home directory is in it`;
  if (SYSTEM.some((folder) => isInside(folder, root)))
    return `no checkpoint is kept of ${root}: it belongs to the system`;
  return isInside(state, root) ? 'no checkpoint is kept of what aish keeps itself' : null;
}

/** True where a path is a folder or lies below it. */
function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
