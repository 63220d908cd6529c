import type { ModelRequest } from '../../protocol/model.ts';
import { chatWire } from './chat-wire.ts';
import type { ModelEndpoint } from './models.ts';
import type { Wire } from './wire.ts';

/** The wires of providers: each package loads with the first request to its provider. */
const lazy = {
  anthropic: (): Promise<typeof import('./anthropic-wire.ts')> => import('./anthropic-wire.ts'),
  openai: (): Promise<typeof import('./openai-wire.ts')> => import('./openai-wire.ts'),
  google: (): Promise<typeof import('./google-wire.ts')> => import('./google-wire.ts'),
  added: (): Promise<typeof import('./added-wire.ts')> => import('./added-wire.ts'),
};

/** The wire that an endpoint speaks. */
export async function wireOf({ provider }: Pick<ModelEndpoint, 'provider'>): Promise<Wire> {
  switch (provider) {
    case 'anthropic':
      return (await lazy.anthropic()).wire;
    case 'openai':
      return (await lazy.openai()).wire;
    case 'azure':
      return (await lazy.openai()).azureWire;
    case 'google':
      return (await lazy.google()).wire;
    case 'openai-chat':
    case undefined:
      return chatWire;
    default:
      return (await lazy.added()).openAddedWire(provider, process.env);
  }
}

/** The body that a request to an endpoint has. Nothing is sent. */
export async function bodyOf(endpoint: ModelEndpoint, request: ModelRequest): Promise<string> {
  const wire = await wireOf(endpoint);
  const projected = Promise.withResolvers<string>();
  const open = async ({ body }: { readonly body: string }): Promise<never> => {
    projected.resolve(body);
    throw new Error('not sent');
  };
  const silent = { onDelta: () => {}, onGrowth: () => {}, onSign: () => {}, isBroken: () => false };
  const over = (): void => projected.reject(new Error('the wire sent nothing'));
  wire.answer(request, { endpoint, open, ...silent }).then(over, over);
  return projected.promise;
}
