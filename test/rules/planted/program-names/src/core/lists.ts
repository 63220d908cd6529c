/** A comment may name git, sudo and rsync. */
export const message = 'commit your work with git, or run the line with sudo';

export const sends = new Set('scp sftp rsync ftp'.split(' '));

export const isPrivileged = /^(?:sudo|doas|su)$/;

export const shows: readonly string[] = [
  'cat',
  'head',
  'tail',
  'grep',
];

export const fetches = { curl: true, wget: true, aria2c: false, rsync: true };

export function isGit(name: string): boolean {
  return name === 'git';
}

export const builtins = `alias bg bind declare dirs disown`;

export const folders = '.cargo/bin .npm/lib ~/.ssh/config';

export const words = ['read', 'write', 'file'];

export const archives = /^(?:ssh|git|https):\/\/.*\.(?:tar|zip|7z|rar)$/;

export const fills = /^(?:git (?:pull|fetch|clone|submodule|lfs)|tar \w+|curl|begin|finish)\b/;
