import { addModel, sectionOf } from '../../../adapters/config/edit-config.ts';
import { configPath } from '../../../adapters/config/load.ts';
import { countOf, misuse, readActionArgs } from '../../../core/command-line/subcommand-args.ts';
import { omitUndefined } from '../../../protocol/json.ts';
import type { Setup } from '../setup/setup.ts';
import { formatModelAdded, MODEL_ADD_FORMS } from './messages.ts';

const LARGEST_PORT = 65_535;

/** `aish models add`: a model file that aish serves itself, or a server by its address. */
export async function runModelsAdd(args: readonly string[], { loaded, cwd, env }: Setup): Promise<string> {
  const { words, options } = readActionArgs('models', ['add'], args);
  const [name, model, ...rest] = words;
  const [gguf, url] = [options.get('--gguf'), options.get('--url')];
  const port = countOf('models', '--port', options.get('--port'));
  const context = countOf('models', '--context', options.get('--context'));
  const key_env = options.get('--key-env');
  const isOne = (gguf === undefined) !== (url === undefined);
  const isMixed = gguf === undefined ? port !== undefined : model !== undefined || key_env !== undefined;
  if (name === undefined || rest.length > 0 || !isOne || isMixed || (port ?? 0) > LARGEST_PORT)
    throw misuse('models', MODEL_ADD_FORMS);
  const path = loaded.file ?? configPath({ env, cwd });
  const section =
    gguf === undefined
      ? { base_url: url ?? '', ...omitUndefined({ model, key_env, context }) }
      : sectionOf({ gguf, cwd, port, context, env }, loaded.config.models);
  await addModel(path, name, section);
  return formatModelAdded(name, path);
}
