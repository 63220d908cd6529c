import { isJsonObject } from '../../protocol/json.ts';
import type { ModelRequest } from '../../protocol/model.ts';
import { askJson } from './model-list.ts';
import type { ModelEndpoint } from './models.ts';
import { toWireBody } from './wire-body.ts';

/** Lets a llama.cpp server count the tokens of a request, with its chat template; null if this release of it cannot. */
export async function countTokens(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<number | null> {
  const body = toWireBody(endpoint, request);
  const counted = await askJson(endpoint, '/v1/chat/completions/input_tokens', body, signal);
  return isJsonObject(counted) && typeof counted.input_tokens === 'number' ? counted.input_tokens : null;
}
