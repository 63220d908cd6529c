/* The reports about names of models and providers, their keys and their addresses. */

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

/** `isLocal`: aish searched on this machine only. */
export function noModelFound(isLocal: boolean): AishError {
  return fault(
    'model.none',
    'no model is set up, and aish found none on this machine',
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
