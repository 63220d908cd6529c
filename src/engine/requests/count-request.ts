import type { ModelEndpoint } from '../../adapters/model/models.ts';
import type { EventOf } from '../../protocol/event.ts';
import type { Usage } from '../../protocol/model.ts';

/** The tokens of a request beside the conversation. */
export function countRequest({ name, model, baseUrl }: ModelEndpoint, usage: Usage): EventOf<'request.counted'> {
  return { type: 'request.counted', model: name, served: model, host: new URL(baseUrl).hostname, usage };
}
