import type { Secret } from '../../core/secrets/secret.ts';

/** Where secrets are looked for. */
export interface SecretPlace {
  readonly cwd: string;
  /** Root of the project; null outside of one. */
  readonly project: string | null;
  readonly home: string;
}

/** The files that hold secrets, read again only when they changed. */
export class SecretFiles {
  /** The secrets of the files of a place. Never throws: a file that cannot be read holds none. */
  read(_place: SecretPlace): readonly Secret[] {
    return [];
  }
}
