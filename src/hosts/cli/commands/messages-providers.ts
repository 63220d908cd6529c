/* The texts of `aish models add` and `aish models provider`. */

export const MODEL_ADD_FORMS =
  'aish models add takes NAME --gguf PATH [--port N] [--context N], or NAME [MODEL] --url URL [--key-env VAR] [--context N]';
export const formatModelAdded = (name: string, path: string): string =>
  `aish added ${name} to ${path}. To use it: aish --model ${name}, or :model ${name}`;

export const PROVIDER_FORMS =
  'aish models provider takes list, add NAME, add NAME PACKAGE@VERSION --integrity SHA512, or remove NAME';

/** `known`: the providers that need no package name. */
export const formatUnknownPackage = (name: string, known: readonly string[]): string =>
  `aish has no pin for provider ${name}; it has pins for ${known.join(', ')}`;
export const PACKAGE_HINT =
  'for another package: aish models provider add NAME PACKAGE@VERSION --integrity SHA512; npm view PACKAGE@VERSION dist.integrity prints it';
export const formatOwnName = (name: string): string => `${name} needs no package: aish has this name itself`;
export const OWN_NAME_HINT = 'choose another name, or use it as it is: aish --model PROVIDER:MODEL';
export const NOT_EXACT_PACKAGE = 'a package is PACKAGE@VERSION with one exact version, and --integrity is its sha512-…';

export const formatInstalling = (from: string, version: string): string => `installing ${from} ${version}`;
/** `key`: the variable with the API key; undefined if aish does not know it. */
export const formatInstalled = (name: string, what: string, key: string | undefined): string =>
  key === undefined
    ? `${name} is installed: ${what}. Use it with provider = "${name}", base_url, model and key_env in [models.NAME].`
    : `${name} is installed: ${what}. Put the key into ${key}, then: aish --model ${name}:MODEL`;
export const formatCode = (from: string, version: string, kilobytes: number): string =>
  `${from} ${version}, ${kilobytes} kB of code`;
export const formatUninstalled = (name: string): string => `aish removed the package of provider ${name}`;
export const formatNotInstalled = (name: string): string => `no package of provider ${name} is installed`;

export const NOT_INSTALLED = 'not installed';
export const formatInstalledOn = (day: string): string => `installed ${day}`;
export const formatOutdated = (day: string): string => `installed ${day} with another version; add it again`;
