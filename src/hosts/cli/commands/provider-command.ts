import { installProvider, type PackagePin } from '../../../adapters/model/install-provider.ts';
import { MODEL_PRESETS } from '../../../adapters/model/presets.ts';
import {
  type AddedProvider,
  KNOWN_PROVIDERS,
  knownProvider,
  listAdded,
  packagesFolder,
  removeProvider,
} from '../../../adapters/model/provider-packages.ts';
import { type GivenArgs, misuse } from '../../../core/command-line/subcommand-args.ts';
import { formatTable } from '../../../core/terminal/table.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import { AishError } from '../../../protocol/error.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages-models.ts';

/** Names that a package cannot take: the wires and presets that aish has itself. */
const OWN_NAMES: readonly string[] = [
  'openai-chat',
  ...MODEL_PRESETS.flatMap(({ name }) => (knownProvider(name) === undefined ? [name] : [])),
];

const PACKAGE = /^((?:@[a-z0-9-][\w.-]*\/)?[a-z0-9-][\w.-]*)@(\d+\.\d+\.\d+(?:-[\w.]+)?)$/;

/** `aish models provider`: lists, adds and removes the packages of providers. Returns the text to print. */
export async function runProvider({ words, options }: GivenArgs, { env }: Pick<Setup, 'env'>): Promise<string> {
  const [action = 'list', name, from, ...rest] = words;
  const folder = packagesFolder(env);
  const integrity = options.get('--integrity');
  const isAdd = action === 'add' && name !== undefined;
  if (rest.length > 0 || (!isAdd && (from ?? integrity) !== undefined)) throw misuse('models', messages.PROVIDER_FORMS);
  if (action === 'list' && name === undefined) return formatList(listAdded(folder));
  if (action === 'remove' && name !== undefined)
    return removeProvider(folder, name) ? messages.formatUninstalled(name) : messages.formatNotInstalled(name);
  if (!isAdd) throw misuse('models', messages.PROVIDER_FORMS);
  if (from === undefined && OWN_NAMES.includes(name)) return messages.formatOwnName(name);
  const pin = from === undefined ? pinOf(name) : readPackage(name, from, integrity);
  PROCESS_OUTPUT.error(`aish: ${messages.formatInstalling(pin.package, pin.version)}\n`);
  const added = await installProvider(folder, name, pin, { env, now: Date.now() });
  const what = messages.formatCode(added.package, added.version, Math.round(added.bytes / 1000));
  return messages.formatInstalled(name, what, keyOf(name));
}

function pinOf(name: string): PackagePin {
  const known = knownProvider(name);
  if (known !== undefined) return known;
  throw refusal(
    messages.formatUnknownPackage(
      name,
      KNOWN_PROVIDERS.map((one) => one.name),
    ),
    messages.PACKAGE_HINT,
  );
}

/** A package that the user names: without its exact version and integrity it is not installed. */
function readPackage(name: string, from: string, integrity: string | undefined): PackagePin {
  if (OWN_NAMES.includes(name)) throw refusal(messages.formatOwnName(name), messages.OWN_NAME_HINT);
  const [, named, version] = PACKAGE.exec(from) ?? [];
  const isExact = /^[\w-]+$/.test(name) && /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '');
  if (
    named === undefined ||
    version === undefined ||
    integrity === undefined ||
    !isExact ||
    knownProvider(name) !== undefined
  )
    throw refusal(messages.NOT_EXACT_PACKAGE, messages.PACKAGE_HINT);
  return { package: named, version, integrity };
}

function refusal(message: string, hint: string): AishError {
  return new AishError('usage', message, { hint });
}

function keyOf(name: string): string | undefined {
  return MODEL_PRESETS.find((one) => one.name === name)?.keyEnv;
}

function formatList(added: readonly AddedProvider[]): string {
  const known = KNOWN_PROVIDERS.map((one) => [
    one.name,
    one.package,
    one.version,
    keyOf(one.name) ?? '',
    stateOf(one, added),
  ]);
  const others = added.filter(({ name }) => knownProvider(name) === undefined);
  const own = others.map((one) => [one.name, one.package, one.version, '', stateOf(one, added)]);
  return formatTable([...known, ...own].map((row) => row.map(sanitizeText)));
}

function stateOf({ name, version }: Pick<AddedProvider, 'name' | 'version'>, added: readonly AddedProvider[]): string {
  const found = added.find((one) => one.name === name);
  if (found === undefined) return messages.NOT_INSTALLED;
  const day = new Date(found.at).toISOString().slice(0, 10);
  return found.version === version ? messages.formatInstalledOn(day) : messages.formatOutdated(day);
}
