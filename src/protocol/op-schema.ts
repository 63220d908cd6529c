import * as v from 'valibot';
import { DENIAL_CODES, type Op } from './op.ts';
import type { Query } from './query.ts';

/** Checks data from clients: ops and the bodies of HTTP routes. Only the HTTP API loads them; within one process the types are enough. */

/** The checked data, or the problem and its position. */
export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

const text = v.pipe(v.string(), v.nonEmpty('must not be empty'));
const count = v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(1, 'must be 1 or more'));
const callId = text;

/** The settings that a client outside the process may choose. Only the owner sets rules, checkpoints and `CMD:` lines. */
const settingEntries = {
  model: v.optional(text),
  approve: v.optional(v.picklist(['ask', 'read-only', 'all'])),
  maxSteps: v.optional(count),
  maxToolDepth: v.optional(count),
};

const decisionSchema = v.variant('type', [
  v.strictObject({ type: v.literal('allow') }),
  v.strictObject({ type: v.literal('allow-always'), rule: text }),
  v.strictObject({
    type: v.literal('deny'),
    reason: v.exactOptional(v.string()),
    code: v.exactOptional(v.picklist(DENIAL_CODES)),
  }),
  v.strictObject({ type: v.literal('edit'), command: text }),
]);

const formAnswerSchema = v.variant('action', [
  v.strictObject({
    action: v.literal('accept'),
    values: v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.array(v.string())])),
  }),
  v.strictObject({ action: v.picklist(['decline', 'cancel']) }),
]);

const fileSchema = v.variant('type', [
  v.strictObject({
    type: v.literal('text'),
    path: text,
    about: v.string(),
    text: v.string(),
    server: v.exactOptional(v.literal(true)),
  }),
  v.strictObject({
    type: v.literal('image'),
    path: text,
    about: v.string(),
    mediaType: v.picklist(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: v.pipe(v.string(), v.base64('must be base64')),
  }),
]);

const opSchema = v.variant('type', [
  v.strictObject({
    type: v.literal('send'),
    text: v.string(),
    attachment: v.exactOptional(v.string()),
    files: v.exactOptional(v.array(fileSchema)),
    command: v.exactOptional(v.strictObject({ name: text, path: text, tools: v.exactOptional(v.array(text)) })),
  }),
  v.strictObject({ type: v.literal('run'), line: text, private: v.exactOptional(v.literal(true)) }),
  v.strictObject({
    type: v.literal('decide'),
    callId,
    decision: decisionSchema,
    by: v.picklist(['user', 'headless']),
    prompt: v.exactOptional(count),
  }),
  v.strictObject({
    type: v.literal('answer-form'),
    form: text,
    answer: formAnswerSchema,
    by: v.picklist(['user', 'headless']),
  }),
  v.strictObject({ type: v.literal('interrupt'), after: v.exactOptional(v.literal('step')) }),
  v.strictObject({ type: v.literal('halt'), by: v.exactOptional(v.picklist(['user', 'terminal', 'signal'])) }),
  v.strictObject({
    type: v.literal('restore'),
    checkpoint: v.nullable(text),
    paths: v.exactOptional(v.array(text)),
    direction: v.exactOptional(v.picklist(['undo', 'redo'])),
    steps: v.exactOptional(count),
  }),
  v.strictObject({ type: v.literal('resolve'), choices: v.record(text, v.picklist(['mine', 'theirs', 'merged'])) }),
  v.strictObject({ type: v.literal('trust') }),
  v.strictObject({ type: v.literal('compact'), focus: v.exactOptional(v.string()) }),
  v.strictObject({ type: v.picklist(['pause-contract', 'continue-contract']) }),
  v.strictObject({ type: v.literal('edit-plan'), add: text }),
  v.strictObject({ type: v.literal('edit-plan'), drop: count }),
  v.strictObject({ type: v.literal('rename'), name: text }),
  v.strictObject({ type: v.literal('dry-run'), callId, prompt: v.exactOptional(count) }),
  v.strictObject({ type: v.literal('dry-run'), line: text }),
  v.strictObject({ type: v.literal('apply'), items: v.exactOptional(v.array(count)) }),
  v.strictObject({ type: v.literal('discard') }),
  v.strictObject({ type: v.literal('fork'), to: v.pipe(text, v.regex(/^[0-9a-z]{12}$/)) }),
  v.strictObject({
    type: v.literal('configure'),
    settings: v.strictObject({
      model: v.exactOptional(text),
      approve: v.exactOptional(v.picklist(['ask', 'read-only', 'all'])),
      maxSteps: v.exactOptional(v.nullable(count)),
      maxToolDepth: v.exactOptional(count),
    }),
  }),
]);

const sessionSchema = v.strictObject({
  cwd: v.optional(text),
  resume: v.optional(text),
  settings: v.optional(v.strictObject(settingEntries)),
});

/** Body of `POST /sessions`. */
export type SessionBody = v.InferOutput<typeof sessionSchema>;

const messageSchema = v.strictObject({ role: v.picklist(['system', 'user', 'assistant']), content: v.string() });

/** One message of `POST /chat`. */
export type ChatMessage = v.InferOutput<typeof messageSchema>;

const chatSchema = v.strictObject({
  messages: v.pipe(
    v.array(messageSchema),
    v.minLength(1, 'must contain at least one message'),
    v.check((messages) => messages.at(-1)?.role === 'user', 'must end with a message of the role "user"'),
    v.check((messages) => (messages.at(-1)?.content ?? '').trim() !== '', 'must not end with an empty message'),
  ),
  config: v.optional(v.strictObject({ ...settingEntries, cwd: v.optional(text) })),
});

/** Body of `POST /chat`. */
export type ChatBody = v.InferOutput<typeof chatSchema>;

const showSchema = v.strictObject({
  line: text,
  columns: v.pipe(count, v.maxValue(10_000, 'must be 10000 or less')),
  theme: v.optional(
    v.strictObject({
      colour: v.boolean(),
      name: v.picklist(['auto', 'light', 'dark', 'none']),
      background: v.nullable(v.picklist(['light', 'dark'])),
      exact: v.boolean(),
      words: v.boolean(),
    }),
  ),
});

const querySchema = v.variant(
  'type',
  [
    v.strictObject({ type: v.literal('show'), request: showSchema }),
    v.strictObject({ type: v.literal('names') }),
    v.strictObject({ type: v.literal('words'), words: v.array(text) }),
    v.strictObject({ type: v.literal('place') }),
  ],
  'must be one of show, names, words, place',
);

/** Checks an op from a client. */
export function parseOp(value: unknown): Checked<Op> {
  return check(opSchema, value, 'the op');
}

/** Checks the body of `POST /sessions`. */
export function parseSessionBody(value: unknown): Checked<SessionBody> {
  return check(sessionSchema, value, 'the body');
}

/** Checks the body of `POST /sessions/ID/query`. */
export function parseQuery(value: unknown): Checked<Query> {
  return check(querySchema, value, 'the query');
}

/** Checks the body of `POST /chat`. */
export function parseChatBody(value: unknown): Checked<ChatBody> {
  return check(chatSchema, value, 'the body');
}

function check<T>(schema: v.GenericSchema<unknown, T>, value: unknown, whole: string): Checked<T> {
  const result = v.safeParse(schema, value, { message: mismatch });
  if (result.success) return { ok: true, value: result.output };
  const [issue] = result.issues;
  return { ok: false, problem: `${v.getDotPath(issue) ?? whole}: ${formatIssue(issue)}` };
}

function formatIssue(issue: v.BaseIssue<unknown>): string {
  if (issue.type === 'strict_object') {
    if (issue.expected === 'never') return 'unknown key';
    return issue.expected === 'Object' ? 'must be an object' : 'is missing';
  }
  return issue.message;
}

/** The problem of a value whose schema has no message. */
function mismatch(issue: v.BaseIssue<unknown>): string {
  return `must be ${issue.expected ?? 'something else'}, not ${issue.received}`;
}
