import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { Environment } from '../config/paths.ts';
import { providerDamaged } from './messages-providers.ts';
import { ADDED_FORMS } from './provider-forms.ts';
import { importProvider, packagesFolder, SPECIFICATION } from './provider-packages.ts';
import { createProviderWire, type ProviderFetch } from './provider-wire.ts';
import type { Wire } from './wire.ts';

/** The wire of a provider package that the user has added. Its code is checked against its pin each time. */
export async function openAddedWire(name: string, env: Environment): Promise<Wire> {
  const create = findFactory(await importProvider(packagesFolder(env), name));
  if (create === null) throw providerDamaged(name, SPECIFICATION);
  const known = ADDED_FORMS[name];
  return createProviderWire({
    provider: name,
    isUnknown: () => false,
    ...known,
    open: async (modelId, baseURL, fetch) => openModel(name, create, { modelId, baseURL, fetch }),
    options: ({ model, reasoningEffort }) => ({ [name]: known?.options(reasoningEffort, model ?? '') ?? {} }),
  });
}

type Factory = (settings: object) => unknown;

/** `createCohere`, `createAmazonBedrock` and the like: the shortest name, since longer ones make something special. */
function findFactory(module: Readonly<Record<string, unknown>>): Factory | null {
  const names = Object.keys(module).filter((name) => /^create[A-Z]/.test(name));
  const [name = ''] = names.sort((one, other) => one.length - other.length);
  const found = module[name];
  return isFunction(found) ? found : null;
}

/** The model of a package over aish's own fetch. The connection puts the key in the place of `none`. */
function openModel(
  name: string,
  create: Factory,
  { modelId, ...place }: { readonly modelId: string; readonly baseURL: string; readonly fetch: ProviderFetch },
): LanguageModelV3 {
  const provider: unknown = create({ ...place, apiKey: 'none' });
  const make = isFunction(provider) ? provider : methodOf(provider, 'languageModel');
  const model = make?.(modelId);
  if (!isLanguageModel(model)) throw providerDamaged(name, SPECIFICATION);
  return model;
}

function methodOf(value: unknown, name: string): ((argument: unknown) => unknown) | null {
  if (typeof value !== 'object' || value === null) return null;
  const method: unknown = Reflect.get(value, name);
  return isFunction(method) ? method.bind(value) : null;
}

function isFunction(value: unknown): value is (argument: unknown) => unknown {
  return typeof value === 'function';
}

function isLanguageModel(value: unknown): value is LanguageModelV3 {
  if (typeof value !== 'object' || value === null) return false;
  return Reflect.get(value, 'specificationVersion') === SPECIFICATION && isFunction(Reflect.get(value, 'doStream'));
}
