import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { ReasoningEffort } from '../../protocol/model.ts';
import type { Environment } from '../config/paths.ts';
import { isGeminiEnd, thinkingOf } from './gemini-form.ts';
import { providerDamaged } from './messages-providers.ts';
import { importProvider, packagesFolder, SPECIFICATION } from './provider-packages.ts';
import { createProviderWire, type ProviderFetch, type ProviderForm } from './provider-wire.ts';
import type { Wire } from './wire.ts';

/** Facts about a known package that it does not tell itself. */
interface KnownForm extends Pick<ProviderForm, 'isEnd' | 'isUnknown'> {
  readonly options: (effort: ReasoningEffort | undefined, model: string) => SharedV3ProviderOptions[string];
}

/** Tokens that a model of Bedrock or Cohere may think with, by effort. */
const BUDGETS = { low: 2048, medium: 8192, high: 24_576 } as const;

function budgetOf(effort: ReasoningEffort | undefined, name: string, tokens: string) {
  if (effort === undefined) return {};
  return { [name]: effort === 'none' ? { type: 'disabled' } : { type: 'enabled', [tokens]: BUDGETS[effort] } };
}

const FORMS: Readonly<Record<string, KnownForm>> = {
  bedrock: {
    isEnd: (event) => event.messageStop !== undefined,
    isUnknown: () => false,
    options: (effort) => budgetOf(effort, 'reasoningConfig', 'budgetTokens'),
  },
  cohere: {
    isEnd: (event) => event.type === 'message-end',
    isUnknown: () => false,
    options: (effort) => budgetOf(effort, 'thinking', 'tokenBudget'),
  },
  vertex: { isEnd: isGeminiEnd, isUnknown: () => false, options: (effort, model) => thinkingOf(model, effort) },
};

/** The wire of a provider package that the user has added. Its code is checked against its pin each time. */
export async function openAddedWire(name: string, env: Environment): Promise<Wire> {
  const create = findFactory(await importProvider(packagesFolder(env), name));
  if (create === null) throw providerDamaged(name, SPECIFICATION);
  const known = FORMS[name];
  return createProviderWire({
    provider: name,
    isUnknown: () => false,
    ...known,
    open: (modelId, baseURL, fetch) => openModel(name, create, { modelId, baseURL, fetch }),
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
