import { toShownVariable } from '../../core/secrets/shapes.ts';
import { attempt } from '../../core/text/attempt.ts';
import { nearestNames } from '../../core/text/nearest.ts';
import { omitUndefined } from '../../protocol/json.ts';
import { keyOfPresetNotSet, placeNotSet, unknownPreset } from './messages-providers.ts';
import { type ModelEndpoint, readCredentials, toEndpoint } from './models.ts';

/** A known place of models: a provider, or a server on this machine. `PRESET:MODEL` names one of its models without a configuration. */
export interface ModelPreset {
  readonly name: string;
  /** The name for users. */
  readonly title: string;
  readonly baseUrl: string;
  /** The wire, if it is a package that the user adds. The address may then have variables in it: `{AWS_REGION}`. */
  readonly provider?: string;
  /** The variable whose key opens it; a preset without one is a server on this machine. */
  readonly keyEnv?: string;
  /** A variable that may hold another address. */
  readonly baseUrlEnv?: string;
  /** The model to use if the server's list does not tell which ones are meant for chat. */
  readonly model?: string;
  /** The models that take images, by their names; none if absent. */
  readonly images?: RegExp;
  /** aish uses it only if a user names it: a key for another program does not make it the model of aish. */
  readonly isNamedOnly?: true;
}

/** The presets, those that aish prefers first. */
export const MODEL_PRESETS: readonly ModelPreset[] = [
  {
    name: 'openai',
    title: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keyEnv: 'OPENAI_API_KEY',
    baseUrlEnv: 'OPENAI_BASE_URL',
    model: 'gpt-5-mini',
    images: /^(gpt-4o|gpt-4\.1|gpt-5|o3$|o4-mini)/,
  },
  {
    name: 'anthropic',
    title: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyEnv: 'ANTHROPIC_API_KEY',
    model: 'claude-sonnet-4-5',
    images: /^claude-(?!2|instant)/,
  },
  {
    name: 'google',
    title: 'Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyEnv: 'GEMINI_API_KEY',
    model: 'gemini-flash-latest',
    images: /^gemini-/,
  },
  {
    name: 'openrouter',
    title: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyEnv: 'OPENROUTER_API_KEY',
    model: 'openrouter/auto',
  },
  named('groq', 'Groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  named('mistral', 'Mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
  named('deepseek', 'DeepSeek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  named('xai', 'xAI', 'https://api.x.ai/v1', 'XAI_API_KEY'),
  added('azure', 'Azure OpenAI', 'https://{AZURE_RESOURCE_NAME}.openai.azure.com/openai/v1', 'AZURE_API_KEY'),
  added('bedrock', 'Amazon Bedrock', 'https://bedrock-runtime.{AWS_REGION}.amazonaws.com', 'AWS_BEARER_TOKEN_BEDROCK'),
  added('cohere', 'Cohere', 'https://api.cohere.com/v2', 'COHERE_API_KEY'),
  added('vertex', 'Vertex AI', 'https://aiplatform.googleapis.com/v1/publishers/google', 'GOOGLE_VERTEX_API_KEY'),
  { name: 'llama.cpp', title: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080/v1' },
  { name: 'llama.cpp-8081', title: 'llama.cpp', baseUrl: 'http://127.0.0.1:8081/v1' },
  { name: 'ollama', title: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'lmstudio', title: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1' },
  { name: 'vllm', title: 'vLLM', baseUrl: 'http://127.0.0.1:8000/v1' },
];

function named(name: string, title: string, baseUrl: string, keyEnv: string): ModelPreset {
  return { name, title, baseUrl, keyEnv, isNamedOnly: true };
}

function added(name: string, title: string, baseUrl: string, keyEnv: string): ModelPreset {
  return { ...named(name, title, baseUrl, keyEnv), provider: name };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The endpoint of `PRESET:MODEL`. The name of a model may have colons of its own. */
export function resolvePreset(name: string, env: Environment, presets = MODEL_PRESETS): ModelEndpoint {
  const colon = name.indexOf(':');
  const wanted = name.slice(0, colon);
  const preset = presets.find((one) => one.name === wanted);
  if (preset === undefined) {
    const names = presets.map((one) => one.name);
    throw unknownPreset(wanted, nearestNames(wanted, names, 2), names);
  }
  const found = endpointOf({ ...preset, model: name.slice(colon + 1) }, name, env);
  if (found !== null) return found;
  throw keyOfPresetNotSet(preset.title, toShownVariable(preset.keyEnv ?? ''));
}

/** Whether `PRESET:MODEL` names a model that takes images. The request reports an unknown preset or a missing key. */
export function takesImages(name: string | null, env: Environment): boolean {
  return name?.includes(':') === true && attempt(() => resolvePreset(name, env).images === true, false);
}

/** The endpoint of a preset under a name; null without the key that it needs. */
export function endpointOf(preset: ModelPreset, name: string, env: Environment): ModelEndpoint | null {
  const { keyEnv, baseUrlEnv, model, images, provider } = preset;
  const key = keyEnv === undefined ? undefined : env[keyEnv]?.trim();
  const credentials = key ? {} : readCredentials(provider, env);
  const hasNone = Object.keys(credentials).length === 0;
  if (keyEnv !== undefined && !key && hasNone) return null;
  const moved = movedTo(preset, env);
  // The preferred model of a provider need not be on another server that took its place.
  const isDefault = moved !== null && name === preset.name && baseUrlEnv !== undefined;
  const config = {
    base_url: addressOf(preset, env),
    ...omitUndefined({ provider, key_env: hasNone ? keyEnv : undefined, model: isDefault ? undefined : model }),
    ...(moved === null && images?.test(model ?? '') === true ? { images: true } : {}),
  };
  return { ...toEndpoint(name, config, key || null), ...credentials };
}

/** The address of Vertex for credentials instead of a key. */
const VERTEX_PROJECT =
  'https://{GOOGLE_VERTEX_LOCATION}-aiplatform.googleapis.com/v1beta1/projects/{GOOGLE_VERTEX_PROJECT}' +
  '/locations/{GOOGLE_VERTEX_LOCATION}/publishers/google';

/** The address of a preset, with the values of its variables. */
export function addressOf(preset: ModelPreset, env: Environment): string {
  const { title, keyEnv = '', provider } = preset;
  const isKeyless = !env[keyEnv]?.trim() && readCredentials(provider, env).google !== undefined;
  const baseUrl = isKeyless ? VERTEX_PROJECT : preset.baseUrl;
  const fillIn = (_: string, variable: string): string => {
    const value = env[variable]?.trim() ?? '';
    if (!/^[\w-]+$/.test(value)) throw placeNotSet(title, variable);
    return value;
  };
  return movedTo(preset, env) ?? baseUrl.replace(/\{(\w+)\}/g, fillIn).replace('//global-', '//');
}

/** The address that a variable puts in the place of the preset's own; null without one. */
export function movedTo({ baseUrlEnv }: ModelPreset, env: Environment): string | null {
  const address = baseUrlEnv === undefined ? undefined : env[baseUrlEnv]?.trim();
  return address === undefined || address === '' ? null : address;
}
