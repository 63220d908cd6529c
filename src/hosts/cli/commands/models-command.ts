import { candidatesOf, discoverModels } from '../../../adapters/model/model-list.ts';
import { toBaseUrl } from '../../../adapters/model/models.ts';
import { heldContent } from '../../../core/context/held-content.ts';
import { toShownUrl } from '../../../core/model/server-fault.ts';
import type { SessionState } from '../../../core/session/state.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import { formatCloud } from '../../../engine/requests/messages.ts';
import { formatTable } from '../screen/table.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';

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
  return found.flatMap(({ endpoint: { name, model, baseUrl }, source }) =>
    model === null || known.has(baseUrl)
      ? []
      : [{ name: `${name}:${model}`, model, place: messages.formatFound(source) }],
  );
}
