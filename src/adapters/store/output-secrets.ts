import type { SecretByteStream } from '../../core/secrets/matcher.ts';

/** Takes out of an output what may be in no file and in no record. */
export interface OutputSecrets {
  conceal(text: string): string;
  byteStream(): SecretByteStream;
}

/** Where nothing is secret. */
export const NO_SECRETS: OutputSecrets = {
  conceal: (text) => text,
  byteStream: () => ({ push: (bytes) => bytes, end: () => new Uint8Array(0) }),
};
