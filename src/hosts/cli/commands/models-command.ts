import { addModel, sectionOf } from '../../../adapters/config/edit-config.ts';
import { configPath } from '../../../adapters/config/load.ts';
import { candidatesOf, discoverModels } from '../../../adapters/model/model-list.ts';
import { type ModelEndpoint, toBaseUrl, toEndpoint } from '../../../adapters/model/models.ts';
import { addressOf, MODEL_PRESETS } from '../../../adapters/model/presets.ts';
import {
  type AddedProvider,
  installProvider,
  KNOWN_PROVIDERS,
  knownProvider,
  listAdded,
  type PackagePin,
  packagesFolder,
  removeProvider,
} from '../../../adapters/model/provider-packages.ts';
import { ProfileStore } from '../../../adapters/store/profile-store.ts';
import { type GivenArgs, misuse, readArgs, type SubcommandArgs } from '../../../core/command-line/subcommand-args.ts';
import { heldContent } from '../../../core/context/compaction.ts';
import { toShownUrl } from '../../../core/model/server-fault.ts';
import { unknownModel } from '../../../core/session/messages.ts';
import type { SessionState } from '../../../core/session/state.ts';
import { formatTable } from '../../../core/terminal/table.ts';
import { sanitizeLine, sanitizeText } from '../../../core/text/sanitize.ts';
import { formatCloud } from '../../../engine/requests/messages.ts';
import type { StoredProfile } from '../../../protocol/endpoint-profile.ts';
import { AishError } from '../../../protocol/error.ts';
import { omitUndefined } from '../../../protocol/json.ts';
import { printProse } from '../setup/output-terminal.ts';
import { PROCESS_OUTPUT, printText } from '../setup/process-output.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';
import * as modelMessages from './messages-models.ts';

/** One model that can be used: its name for `:model`, the server's name for it, and its place. */
interface ListedName {
  readonly name: string;
  readonly model: string;
  readonly place: string;
}

/** `:models` and `aish models`: the models of the configuration, and those found without one. The star marks the one in use. */
export async function showModels({ loaded, env, discovery }: Setup, used: string | null): Promise<string> {
  const configured = Object.entries(loaded.config.models).map(([name, { model, base_url }]) => ({
    name,
    model: model ?? messages.SERVER_CHOOSES,
    place: toShownUrl(base_url),
  }));
  const known = new Set(Object.values(loaded.config.models).map(({ base_url }) => toBaseUrl(base_url)));
  const found = await findModels(env, discovery, known);
  const all = [...configured, ...found];
  if (all.length === 0) return messages.NO_MODELS;
  const current = used ?? all[0]?.name;
  const rows = all.map(({ name, model, place }) =>
    [name === current ? '*' : ' ', name, model, place].map(sanitizeText),
  );
  return [formatTable(rows), ...(found.length === 0 ? [] : ['', messages.FOUND_MODELS])].join('\n');
}

/** `:cloud`: whether the session may move to a cloud model by itself, and what would leave this network. */
export function showCloud(state: SessionState): string {
  return formatCloud(state.settings.cloud === true, heldContent(state));
}

async function findModels(
  env: Setup['env'],
  discovery: Setup['discovery'],
  known: ReadonlySet<string>,
): Promise<readonly ListedName[]> {
  const found = await discoverModels(env, new AbortController().signal, candidatesOf(discovery));
  return found.flatMap(({ endpoint: { name, model, baseUrl }, source, others = [] }) =>
    model === null || known.has(baseUrl)
      ? []
      : [
          { name: `${name}:${model}`, model, place: messages.formatFound(source) },
          ...others.map((other) => ({ name: `${name}:${other}`, model: other, place: messages.ALSO_THERE })),
        ],
  );
}

/** Runs `aish models`: the list, what aish has learned about a server, and its examination. The answer is the exit status. */
export async function runModels(words: readonly string[], setup: Setup): Promise<number> {
  const args = readArgs('models', words);
  if (args.action === 'doctor') return examine(args.words[0] ?? setup.settings.model, setup);
  printProse(await report(args, setup));
  return 0;
}

async function examine(name: string | null, setup: Setup): Promise<number> {
  const { runModelDoctor } = await import('./doctor-command.ts');
  PROCESS_OUTPUT.error(`aish: ${modelMessages.formatAsking(name ?? modelMessages.FIRST_MODEL)}\n`);
  const { text, hasAnswered } = await runModelDoctor(name, setup, new AbortController().signal);
  printText(text);
  return hasAnswered ? 0 : 1;
}

async function report(args: SubcommandArgs<'models'>, setup: Setup): Promise<string> {
  const [name = ''] = args.words;
  switch (args.action) {
    case 'provider':
      return runProvider(args, setup);
    case 'add':
      return add(args, setup);
    case 'show':
    case 'forget':
      return showLearned(name, args.action, setup);
    case 'doctor':
    case 'list':
      return showModels(setup, setup.settings.model);
  }
}

function showLearned(name: string, action: 'show' | 'forget', setup: Setup): string {
  const store = new ProfileStore(setup.paths.state);
  const { baseUrl, model } = findEndpoint(name, setup);
  const known = store.ofServer(baseUrl, model);
  if (known.length === 0) return messages.formatNoProfile(name);
  if (action === 'show') return formatProfiles(name, baseUrl, known);
  for (const [one] of known) store.forget(baseUrl, one);
  return messages.formatForgotten(name);
}

/** The address of a configured model, of a provider's, or of a place where aish looks. No key is needed. */
function findEndpoint(name: string, { loaded, env }: Setup): Pick<ModelEndpoint, 'baseUrl' | 'model'> {
  const { models } = loaded.config;
  const configured = Object.hasOwn(models, name) ? models[name] : undefined;
  if (configured !== undefined) return toEndpoint(name, configured, null);
  const [place = '', ...model] = name.split(':');
  const preset = MODEL_PRESETS.find((one) => one.name === place);
  if (preset !== undefined) {
    const { baseUrl } = toEndpoint(
      name,
      { base_url: addressOf(preset, env), ...omitUndefined({ provider: preset.provider }) },
      null,
    );
    return { baseUrl, model: model.length === 0 ? null : model.join(':') };
  }
  const { code, message, ...hint } = unknownModel(name, Object.keys(models), { isAddable: true });
  throw new AishError(code, message, hint);
}

function formatProfiles(
  name: string,
  baseUrl: string,
  known: readonly (readonly [model: string, stored: StoredProfile])[],
): string {
  const blocks = known.map(([model, { notes }]) => {
    const lines = notes.map(({ at, text, said }) => messages.formatProfileNote(text, sanitizeLine(said), toDay(at)));
    return [`${sanitizeLine(model)} (${toShownUrl(baseUrl)})`, ...lines].join('\n');
  });
  return [...blocks, messages.formatForgetHint(name)].join('\n');
}

function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** `aish models add`: a model file that aish serves itself, or a server by its address. */
async function add({ words, options }: GivenArgs, { loaded, cwd, env }: Setup): Promise<string> {
  const [name = '', model] = words;
  const [gguf, url] = [options.get('--gguf'), options.get('--url')];
  const [port, context] = [options.number('--port'), options.number('--context')];
  const key_env = options.get('--key-env');
  const isOne = (gguf === undefined) !== (url === undefined);
  const isMixed = gguf === undefined ? port !== undefined : model !== undefined || key_env !== undefined;
  if (!isOne || isMixed || port === 0) throw misuse('models', modelMessages.MODEL_ADD_FORMS);
  const path = loaded.file ?? configPath({ env, cwd });
  const section =
    gguf === undefined
      ? { base_url: url ?? '', ...omitUndefined({ model, key_env, context }) }
      : sectionOf({ gguf, cwd, port, context, env }, loaded.config.models);
  await addModel(path, name, section);
  return modelMessages.formatModelAdded(name, path);
}

/** Names that a package cannot take: the wires and presets that aish has itself. */
const OWN_NAMES: readonly string[] = [
  'openai-chat',
  ...MODEL_PRESETS.flatMap(({ name }) => (knownProvider(name) === undefined ? [name] : [])),
];

const PACKAGE = /^((?:@[a-z0-9-][\w.-]*\/)?[a-z0-9-][\w.-]*)@(\d+\.\d+\.\d+(?:-[\w.]+)?)$/;

/** `aish models provider`: lists, adds and removes the packages of providers. Returns the text to print. */
async function runProvider({ words, options }: GivenArgs, { env }: Pick<Setup, 'env'>): Promise<string> {
  const [action = 'list', name, from, ...rest] = words;
  const folder = packagesFolder(env);
  const integrity = options.get('--integrity');
  const isAdd = action === 'add' && name !== undefined;
  if (rest.length > 0 || (!isAdd && (from ?? integrity) !== undefined))
    throw misuse('models', modelMessages.PROVIDER_FORMS);
  if (action === 'list' && name === undefined) return formatList(listAdded(folder));
  if (action === 'remove' && name !== undefined)
    return removeProvider(folder, name)
      ? modelMessages.formatUninstalled(name)
      : modelMessages.formatNotInstalled(name);
  if (!isAdd) throw misuse('models', modelMessages.PROVIDER_FORMS);
  if (from === undefined && OWN_NAMES.includes(name)) return modelMessages.formatOwnName(name);
  const pin = from === undefined ? pinOf(name) : readPackage(name, from, integrity);
  PROCESS_OUTPUT.error(`aish: ${modelMessages.formatInstalling(pin.package, pin.version)}\n`);
  const added = await installProvider(folder, name, pin, { env, now: Date.now() });
  const what = modelMessages.formatCode(added.package, added.version, Math.round(added.bytes / 1000));
  return modelMessages.formatInstalled(name, what, keyOf(name));
}

function pinOf(name: string): PackagePin {
  const known = knownProvider(name);
  if (known !== undefined) return known;
  throw refusal(
    modelMessages.formatUnknownPackage(
      name,
      KNOWN_PROVIDERS.map((one) => one.name),
    ),
    modelMessages.PACKAGE_HINT,
  );
}

/** A package that the user names: without its exact version and integrity it is not installed. */
function readPackage(name: string, from: string, integrity: string | undefined): PackagePin {
  if (OWN_NAMES.includes(name)) throw refusal(modelMessages.formatOwnName(name), modelMessages.OWN_NAME_HINT);
  const [, named, version] = PACKAGE.exec(from) ?? [];
  const isExact = /^[\w-]+$/.test(name) && /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '');
  if (
    named === undefined ||
    version === undefined ||
    integrity === undefined ||
    !isExact ||
    knownProvider(name) !== undefined
  )
    throw refusal(modelMessages.NOT_EXACT_PACKAGE, modelMessages.PACKAGE_HINT);
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
  if (found === undefined) return modelMessages.NOT_INSTALLED;
  const day = toDay(found.at);
  return found.version === version ? modelMessages.formatInstalledOn(day) : modelMessages.formatOutdated(day);
}
