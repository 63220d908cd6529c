import type { Json } from '../../protocol/json.ts';
import type { ListKind } from './server-event.ts';

/** A list of a server, by the method that asks for it and the key of its items. */
export interface ListRequest {
  readonly method: 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list';
  readonly key: string;
  readonly kind: ListKind;
}

/** The list of tools, which every server with tools has. */
export const TOOL_LIST: ListRequest = { method: 'tools/list', key: 'tools', kind: 'tools' };

/** The items of a list; `isCut` if the server has more than aish takes. */
export interface Listed {
  readonly items: readonly Json[];
  readonly isCut: boolean;
}

/** The other lists. */
export const RESOURCE_LIST: ListRequest = { method: 'resources/list', key: 'resources', kind: 'resources' };
export const TEMPLATE_LIST: ListRequest = {
  method: 'resources/templates/list',
  key: 'resourceTemplates',
  kind: 'resources',
};
export const PROMPT_LIST: ListRequest = { method: 'prompts/list', key: 'prompts', kind: 'prompts' };
