/* The reports about provider packages. */

import type { AishError } from '../../protocol/error.ts';
import { fault } from './messages.ts';

interface Package {
  readonly package: string;
  readonly version: string;
}

const ADD_AGAIN = (name: string): string => `install it again: aish models provider add ${name}`;

/** `isKnown`: aish has a pin for it; `known`: the names of those that aish knows. */
export function providerMissing(name: string, isKnown: boolean, known: readonly string[]): AishError {
  return fault(
    'model.provider-missing',
    `the package of provider "${name}" is not installed`,
    isKnown
      ? `aish models provider add ${name}`
      : `check provider in the configuration; aish can install ${known.join(', ')}`,
  );
}

export function providerChanged({ name, ...pin }: Package & { readonly name: string }, path: string): AishError {
  return fault(
    'model.provider-changed',
    `${path} is not the code of ${formatPackage(pin)} that aish trusts, so aish does not run it`,
    ADD_AGAIN(name),
  );
}

/** `specification`: the version of the AI SDK's language-model specification that aish speaks. */
export function providerDamaged(name: string, specification: string): AishError {
  return fault(
    'model.provider-changed',
    `the package of provider "${name}" does not make a language model of specification ${specification}`,
    'install a version of it that does: AI SDK 6 has this specification',
  );
}

/** `said`: one line of the installer's words. */
export function providerNotInstalled(pin: Package, said: string): AishError {
  return fault(
    'model.provider-not-installed',
    `cannot install ${formatPackage(pin)}: ${said}`,
    'check the network, HTTPS_PROXY, and the registry in ~/.npmrc',
  );
}

/** `found`: the integrity or the hash that came instead. */
export function providerUnpinned(pin: Package, what: 'integrity' | 'code', found: string): AishError {
  return fault(
    'model.provider-unpinned',
    `${formatPackage(pin)} has ${what === 'code' ? 'other code' : 'another integrity'} than the pin says (${found || 'none'}); aish removed it`,
    'another registry, or a proxy, may have changed the package',
  );
}

/** `file`: the credentials of Google. */
export function accountDamaged(file: string): AishError {
  return fault(
    'model.bad-key',
    `${file} holds no service account and no login of gcloud`,
    'set GOOGLE_APPLICATION_CREDENTIALS to the JSON file of a service account, or run gcloud auth application-default login',
  );
}

/** `status`: null if the server did not answer; `said`: its words. */
export function accountRefused(url: string, status: number | null, said: string): AishError {
  return fault(
    status === null ? 'model.unreachable' : 'model.unauthorized',
    status === null
      ? `${url} does not answer, so aish has no token for Vertex`
      : `${url} gives no token (${status}): ${said || 'no reason given'}`,
    status === null
      ? 'check the network and HTTPS_PROXY'
      : 'check the account, its key and the clock of this machine, or log in again',
  );
}

function formatPackage({ package: name, version }: Package): string {
  return `${name} ${version}`;
}
