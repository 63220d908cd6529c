import type { Json } from '../../protocol/json.ts';
import type { EndpointProfile } from '../../protocol/model.ts';
import { REASONING_FIELDS } from './completion-assembler.ts';

/** One thing that a refusal teaches about a server. */
export type Lesson =
  /** An optional field of the request that the server refuses, as a path without positions: `messages.reasoning_content`. */
  | { readonly type: 'omit'; readonly field: string }
  /** The server refuses the role `tool`, so calls and results go as text. */
  | { readonly type: 'text-tool-turns' }
  | { readonly type: 'no-tools' }
  | { readonly type: 'most-tools'; readonly count: number }
  /** The server refuses the role `system`, so its text goes in front of the first message of the user. */
  | { readonly type: 'fold-system' }
  | { readonly type: 'empty-content'; readonly form: EmptyContent }
  | { readonly type: 'content'; readonly form: NonNullable<EndpointProfile['content']> }
  /** A field that the server demands. */
  | { readonly type: 'add'; readonly field: string }
  | { readonly type: 'token-limit'; readonly field: TokenLimitField; readonly tokens: number }
  | { readonly type: 'no-stream' }
  /** Only the smallest subset of JSON Schema goes with a tool. */
  | { readonly type: 'plain-schema' }
  /** The server named nothing: every optional field is left out. */
  | { readonly type: 'plainest' };

/** `text`: no content beside calls is taken, so calls and results go as text. */
type EmptyContent = NonNullable<EndpointProfile['emptyContent']> | 'text';
type TokenLimitField = NonNullable<EndpointProfile['tokenLimit']>['field'];

/** The fields of a message or a request that any server can do without. */
export const OPTIONAL_FIELDS: readonly string[] = [
  'stream_options',
  ...REASONING_FIELDS.map((name) => `messages.${name}`),
  'messages.reasoning_details',
  'messages.tool_calls.extra_content',
  'return_progress',
  'parallel_tool_calls',
];

/** The values of fields that aish sends only to servers that demand them: the usual ones. */
export const DEMANDED_FIELDS: Readonly<Record<string, Json>> = {
  'tools.function.strict': false,
  'tools.function.parameters.additionalProperties': false,
  tool_choice: 'auto',
  parallel_tool_calls: true,
  temperature: 1,
  top_p: 1,
  n: 1,
  user: 'aish',
};

/** The profile after a lesson; null if the profile holds the lesson already. */
export function applyLesson(profile: EndpointProfile, lesson: Lesson): EndpointProfile | null {
  const next = withLesson(profile, lesson);
  return JSON.stringify(next) === JSON.stringify(profile) ? null : next;
}

function withLesson(profile: EndpointProfile, lesson: Lesson): EndpointProfile {
  switch (lesson.type) {
    case 'omit':
      return { ...profile, omit: addFields(profile, [lesson.field]) };
    case 'text-tool-turns':
      return { ...profile, toolTurns: 'text' };
    case 'no-tools':
      return { ...profile, tools: 'none' };
    case 'most-tools':
      return { ...profile, mostTools: lesson.count };
    case 'fold-system':
      return { ...profile, system: 'user' };
    case 'empty-content':
      return lesson.form === 'text' ? { ...profile, toolTurns: 'text' } : { ...profile, emptyContent: lesson.form };
    case 'content':
      return { ...profile, content: lesson.form };
    case 'add':
      return { ...profile, add: [...new Set([...(profile.add ?? []), lesson.field])].sort() };
    case 'token-limit':
      return { ...profile, tokenLimit: { field: lesson.field, tokens: lesson.tokens } };
    case 'no-stream':
      return { ...profile, stream: false, omit: addFields(profile, ['stream_options']) };
    case 'plain-schema':
      return { ...profile, schema: 'plain' };
    case 'plainest':
      return { ...profile, omit: addFields(profile, OPTIONAL_FIELDS) };
  }
}

function addFields({ omit = [] }: EndpointProfile, fields: readonly string[]): readonly string[] {
  return [...new Set([...omit, ...fields])].sort();
}
