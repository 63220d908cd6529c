import * as v from 'valibot';
import { DENIAL_CODES, type Op } from './op.ts';
import type { Query } from './query.ts';

/** Checks data from clients: ops and the bodies of HTTP routes. Only the HTTP API loads them; within one process the types are enough. */

/** The checked data, or the problem and its position. */
export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

const text = v.pipe(v.string(), v.nonEmpty('must not be empty'));
const directory = v.pipe(text, v.excludes('\0', 'must not contain NUL'));
const count = v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(1, 'must be 1 or more'));

const maybe = v.exactOptional;
const approve = v.picklist(['ask', 'read-only', 'all']);
const by = v.picklist(['user', 'headless']);

/** An object of a type with these other entries. */
function ofType<const T extends string, E extends v.ObjectEntries>(type: T, entries: E) {
  return v.strictObject({ type: v.literal(type), ...entries });
}

const decisionSchema = v.variant('type', [
  ofType('allow', {}),
  ofType('allow-always', { rule: text }),
  ofType('deny', { reason: maybe(v.string()), code: maybe(v.picklist(DENIAL_CODES)) }),
  ofType('edit', { command: text }),
]);

const formAnswerSchema = v.variant('action', [
  v.strictObject({
    action: v.literal('accept'),
    values: v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.array(v.string())])),
  }),
  v.strictObject({ action: v.picklist(['decline', 'cancel']) }),
]);

const fileSchema = v.variant('type', [
  ofType('text', { path: text, about: v.string(), text: v.string(), server: maybe(v.literal(true)) }),
  ofType('image', {
    path: text,
    about: v.string(),
    mediaType: v.picklist(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: v.pipe(v.string(), v.base64('must be base64')),
  }),
]);

const opSchema = v.variant('type', [
  ofType('send', {
    text: v.string(),
    attachment: maybe(v.string()),
    files: maybe(v.array(fileSchema)),
    command: maybe(v.strictObject({ name: text, path: text, tools: maybe(v.array(text)) })),
  }),
  ofType('run', { line: text, private: maybe(v.literal(true)) }),
  ofType('decide', { callId: text, decision: decisionSchema, by, prompt: maybe(count) }),
  ofType('answer-form', { form: text, answer: formAnswerSchema, by }),
  ofType('interrupt', { after: maybe(v.literal('step')) }),
  ofType('halt', { by: maybe(v.picklist(['user', 'terminal', 'signal'])) }),
  ofType('restore', {
    checkpoint: v.nullable(text),
    paths: maybe(v.array(text)),
    direction: maybe(v.picklist(['undo', 'redo'])),
    steps: maybe(count),
  }),
  ofType('resolve', { choices: v.record(text, v.picklist(['mine', 'theirs', 'merged'])) }),
  ofType('trust', {}),
  ofType('compact', { focus: maybe(v.string()) }),
  v.strictObject({ type: v.picklist(['pause-contract', 'continue-contract']) }),
  ofType('edit-plan', { add: text }),
  ofType('edit-plan', { drop: count }),
  ofType('rename', { name: text }),
  ofType('dry-run', { callId: text, prompt: maybe(count) }),
  ofType('dry-run', { line: text }),
  ofType('apply', { items: maybe(v.array(count)) }),
  ofType('discard', {}),
  ofType('fork', { to: v.pipe(text, v.regex(/^[0-9a-z]{12}$/)) }),
  ofType('configure', {
    settings: v.strictObject({
      model: maybe(text),
      approve: maybe(approve),
      maxSteps: maybe(v.nullable(count)),
      maxToolDepth: maybe(count),
    }),
  }),
]);

/** The settings that a client outside the process may choose. Only the owner sets rules, checkpoints and `CMD:` lines. */
const settingEntries = {
  model: v.optional(text),
  approve: v.optional(approve),
  maxSteps: v.optional(count),
  maxToolDepth: v.optional(count),
};

const sessionSchema = v.strictObject({
  cwd: v.optional(directory),
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
  config: v.optional(v.strictObject({ ...settingEntries, cwd: v.optional(directory) })),
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
    ofType('show', { request: showSchema }),
    ofType('names', {}),
    ofType('words', { words: v.array(text) }),
    ofType('place', {}),
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
