import type { ModelRequest } from '../../protocol/model.ts';
import { chatWire } from './chat-wire.ts';
import type { ModelEndpoint } from './models.ts';
import type { Wire } from './wire.ts';

/** The wires of provider packages: they load with the first request to a provider. */
const lazy = {
  providers: (): Promise<typeof import('./provider-forms.ts')> => import('./provider-forms.ts'),
  added: (): Promise<typeof import('./added-wire.ts')> => import('./added-wire.ts'),
};

/** The wire that an endpoint speaks. */
export async function wireOf({ provider }: Pick<ModelEndpoint, 'provider'>): Promise<Wire> {
  switch (provider) {
    case 'anthropic':
      return (await lazy.providers()).anthropicWire;
    case 'openai':
      return (await lazy.providers()).openaiWire;
    case 'azure':
      return (await lazy.providers()).azureWire;
    case 'google':
      return (await lazy.providers()).googleWire;
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
