/* The reports about models and providers: their names, keys, addresses and packages. */

import type { AishError } from '../../protocol/error.ts';
import { fault, formatLimit } from './messages.ts';

export function noModelConfigured(): AishError {
  return fault(
    'model.none',
    'no model is configured',
    'add a [models.NAME] section with base_url to the configuration, or start a local model server',
  );
}

export function listTimedOut(model: string, server: string, limitMs: number): AishError {
  return fault(
    'model.timeout',
    `${server} did not list its models within ${formatLimit(limitMs)}`,
    `set model in [models.${model}] to the name that the server uses, so that aish needs no list`,
  );
}

export function noModelList(model: string, server: string, status: number): AishError {
  return fault(
    'model.no-list',
    `${server} has no list of models (${status}), and [models.${model}] names none`,
    `set model in [models.${model}] to the name that the server uses; if that does not help, check base_url`,
  );
}

export function noModelLoaded(name: string): AishError {
  return fault(
    'model.none',
    `the server of model "${name}" has no model loaded`,
    `load one on the server, or set model in [models.${name}]`,
  );
}

/** `isLocal`: aish searched on this machine only. `foreign`: the address of a server that another user runs. */
export function noModelFound(isLocal: boolean, foreign?: string): AishError {
  const message = 'no model is set up, and aish found none on this machine';
  if (foreign !== undefined)
    return fault(
      'model.none',
      `${message} but that of another user, at ${foreign}`,
      `if you trust that user with your messages, add [models.NAME] with base_url = "${foreign}" to the configuration`,
    );
  return fault(
    'model.none',
    message,
    isLocal
      ? 'start a model server on this machine, or correct the configuration: aish config check'
      : 'start a llama.cpp server (llama-server -m MODEL.gguf --jinja), or export OPENAI_API_KEY, or add [models.NAME] to the configuration',
  );
}

export function unknownModel(name: string, near: readonly string[], configured: readonly string[]): AishError {
  const hint =
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `configured: ${configured.join(', ') || 'none'}`;
  return fault('model.unknown', `no model "${name}" is configured`, hint);
}

/** `near`: names that a mistyped one may stand for. */
export function unknownPreset(name: string, near: readonly string[], known: readonly string[]): AishError {
  const hint =
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `known providers and servers: ${known.join(', ')}`;
  return fault('model.unknown', `aish knows no provider "${name}"`, hint);
}

export function keyOfPresetNotSet(title: string, variable: string): AishError {
  return fault(
    'model.no-key',
    `${title} needs a key, but the environment variable ${variable} is not set`,
    `export ${variable}=… before you start aish`,
  );
}

/** `variable`: a part of the provider's address. */
export function placeNotSet(title: string, variable: string): AishError {
  return fault(
    'model.no-key',
    `the address of ${title} needs the environment variable ${variable}`,
    `export ${variable}=… before you start aish`,
  );
}

export function keyNotSet(model: string, variable: string): AishError {
  return fault(
    'model.no-key',
    `model "${model}" needs a key, but the environment variable ${variable} is not set`,
    `export ${variable}=… before you start aish, or change key_env in [models.${model}]`,
  );
}

export function keyDamaged(model: string, variable: string | undefined): AishError {
  return fault(
    'model.bad-key',
    `the key of model "${model}" contains characters that no API key has`,
    `set ${variable ?? 'the variable'} again, without line breaks and quotation marks`,
  );
}

export function badAddress(address: string): AishError {
  return fault(
    'model.bad-address',
    `"${address}" is not the address of a model server`,
    'write base_url as http://HOST:PORT/v1 or https://HOST/v1',
  );
}

export function notAModelList(model: string): AishError {
  return fault(
    'model.not-json',
    `the server of model "${model}" did not answer with a list of models`,
    'check base_url: it ends before /chat/completions, usually in /v1',
  );
}

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
