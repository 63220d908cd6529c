import type { EndpointProfile } from '../../protocol/endpoint-profile.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { applyLesson, DEMANDED_FIELDS, isPlainSchema, type Lesson, OPTIONAL_FIELDS } from './endpoint-profile.ts';
import type { AnswerFault, NamedField } from './server-fault.ts';

/*
 * Servers refuse a request in many words. This file alone reads them: a refusal that names something that the request had becomes a
 * lesson, and the next request does without. A refusal of something that was not sent teaches nothing.
 */

/** The request, as far as a server may refuse it. */
interface SentRequest {
  readonly body: JsonObject;
  readonly messages: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
}

/** The parts of a refusal. */
interface Refusal {
  readonly status: number | undefined;
  readonly words: string;
  /** The fields that the server's validation names. */
  readonly fields: readonly NamedField[];
}

type Reader = (refusal: Refusal, sent: SentRequest, profile: EndpointProfile) => Lesson | null;

/** The first that finds a lesson decides: the more exact ones come first. */
const READERS: readonly Reader[] = [
  readToolLimit,
  readTokenLimit,
  readDemandedField,
  readContentForm,
  readOptionalField,
  readSchema,
  readToolsInStream,
  readNoTools,
  readEmptyContent,
  readToolRole,
  readSystemRole,
  readStream,
];

/** The lesson of a refusal; null if it names nothing that was sent. */
export function readLesson(fault: AnswerFault, body: JsonObject, profile: EndpointProfile): Lesson | null {
  if (fault.kind !== 'server' || !isRefusal(fault)) return null;
  const sent = { body, messages: objectsIn(body.messages), tools: objectsIn(body.tools) };
  const refusal = { status: fault.status, words: fault.message, fields: fault.fields ?? [] };
  for (const read of READERS) {
    const lesson = read(refusal, sent, profile);
    if (lesson !== null) return lesson;
  }
  return null;
}

/** Characters of messages. A server without tools refuses them in the first request, which is shorter. */
const LONG_CONVERSATION = 12_000;

/**
 * The lessons to try after a refusal that names nothing that was sent, or names it in unknown words; the least harmful ones first. Each is
 * tried alone, and then some together, because a server may refuse several things in the same words. They count only if the server then
 * answers, or refuses something else. An error of the server is no refusal unless it comes from turns of tools.
 */
export function guessLessons({ kind, status }: AnswerFault, body: JsonObject, profile: EndpointProfile): readonly (readonly Lesson[])[] {
  const messages = objectsIn(body.messages);
  const isRefused = kind === 'server' && (status === 400 || status === 422 || status === 501);
  const hasToolTurns = messages.some(({ role }) => role === 'tool');
  // A long conversation may be too long, and without tools it would fit.
  const isShort = JSON.stringify(messages).length < LONG_CONVERSATION;
  const guesses: readonly (readonly [Lesson, boolean])[] = [
    [{ type: 'plainest' }, isRefused],
    [{ type: 'plain-schema' }, isRefused && !objectsIn(body.tools).every(hasPlainSchema)],
    [{ type: 'text-tool-turns' }, hasToolTurns && (isRefused || (kind === 'server' && status === 500))],
    [{ type: 'fold-system' }, isRefused && messages[0]?.role === 'system'],
    [{ type: 'no-tools' }, isRefused && isShort && objectsIn(body.tools).length > 0],
  ];
  const all = guesses.flatMap(([lesson, isFit]) => (isFit && applyLesson(profile, lesson) !== null ? [lesson] : []));
  const plain = all.filter(({ type }) => type === 'plainest' || type === 'plain-schema');
  return [...all.map((lesson) => [lesson]), ...[plain, all].filter(({ length }, at) => length > 1 && (at > 0 || length < all.length))];
}

/** Whether a refusal of `stream_options` only says that they belong to a stream. */
export function wantsStream(words: string): boolean {
  return /\bstream(ing|ed|s)?\b/i.test(words.replaceAll(/stream[ _]options/gi, ''));
}

/** Gateways answer 404 for a model without tools, and chat templates fail with 500. */
function isRefusal({ status }: AnswerFault): boolean {
  return status === undefined || [400, 404, 405, 415, 422, 500, 501].includes(status);
}

/** Default for servers that demand a limit; answers of tool loops are shorter. */
const TOKEN_LIMIT = 4096;

function readTokenLimit({ words, fields }: Refusal, { body }: SentRequest): Lesson | null {
  const sent = ['max_tokens', 'max_completion_tokens'].find((name) => body[name] !== undefined);
  const wanted = /max_completion_tokens|max_tokens|max_output_tokens/.exec(words)?.[0];
  const missing = fields.find(({ path, type }) => /^max_(completion_)?tokens$/.test(path) && /missing|required/.test(type));
  if (sent === undefined) {
    const isDemanded =
      missing !== undefined ||
      (wanted !== undefined &&
        /required|missing|must be (set|specified|provided|present)|need|(must|have to|please) (set|specify|provide|send|include)/i.test(
          words,
        ));
    if (!isDemanded) return null;
    return { type: 'token-limit', field: toLimitField(missing?.path ?? wanted), tokens: TOKEN_LIMIT };
  }
  if (wanted === undefined) return null;
  const other = sent === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  const tokens = Number(body[sent]);
  if (words.includes(other) && /unsupported|not supported|unknown|use /i.test(words))
    return { type: 'token-limit', field: toLimitField(other), tokens };
  const most = [...words.matchAll(/\d+/g)].map(([digits]) => Number(digits)).filter((number) => number >= 16 && number < tokens);
  return most.length === 0 ? null : { type: 'token-limit', field: toLimitField(sent), tokens: Math.max(...most) };
}

function toLimitField(name: string | undefined): 'max_tokens' | 'max_completion_tokens' {
  return name === 'max_completion_tokens' ? name : 'max_tokens';
}

const PART = '(?:parameter|param|field|option|argument|property|key|value)';

/** Words that demand a field of this name. A short name is a word of its own, unless it is quoted. */
function demands(name: string): RegExp {
  const named = name.length < 7 ? `["'\`]${name}["'\`]` : `["'\`]?\\b${name}\\b["'\`]?`;
  const before = String.raw`\b(?:missing|requires?|required|needs?):? (?:the )?(?:(?:required )?${PART}:? )?`;
  const behind = String.raw`(?: ${PART})?(?:(?: is|:)? (?:required|missing|needed)| must be (?:set|specified|provided))\b`;
  // A value that is wanted is another matter.
  return new RegExp(`${before}${named}(?! (?:message|role))|${named}${behind}(?! to (?:be )?(?:true|false|\\w+,))`, 'i');
}

/** The server demands a field that the request has not, by a path or in words. */
function readDemandedField({ words, fields }: Refusal, { body }: SentRequest): Lesson | null {
  for (const field of Object.keys(DEMANDED_FIELDS)) {
    const path = field.split('.');
    if (hasField(body, path) || (field.includes('tool') && body.tools === undefined)) continue;
    const isMissing = fields.some((one) => one.path === field && one.type === 'missing');
    if (isMissing || demands(path.at(-1) ?? '').test(words)) return { type: 'add', field };
  }
  return null;
}

/** Words that want the content to be of a kind. */
function wantsContent(kind: string): RegExp {
  const be = `(?:(?:must|should)(?: only)? be|expect(?:ed|s)(?: to be)?|only) (?:as )?(?:an? )?(?:valid )?`;
  return new RegExp(String.raw`\bcontent\b.{0,80}\b(?:${be}${kind})`, 'i');
}

const WANTS_LIST = anyOf(wantsContent('(?:list|array|sequence)\\b'), /\bcontent of type \[\]/);
const WANTS_TEXT = anyOf(wantsContent('string\\b'), /\bcontent of type string\b/);

/** The server takes the content of messages only as a list of parts, or only as text. Words about both are about neither. */
function readContentForm({ words, fields }: Refusal, { messages }: SentRequest, { content }: EndpointProfile): Lesson | null {
  const said = fields.filter(({ path }) => /^messages\.content\b/.test(path)).map((field) => `content: ${field.words}`);
  const all = [words, ...said].map((one) =>
    one.replace(/(invalid type|unmarshal|got|instead of|received)\W{1,3}(an? )?\w+|\w+ instead/gi, ''),
  );
  const [list, text] = [WANTS_LIST, WANTS_TEXT].map((wanted) => all.some((one) => wanted.test(one)));
  if (list === text || content !== undefined) return null;
  const hasParts = messages.some((message) => Array.isArray(message.content));
  if (text === true) return hasParts ? { type: 'content', form: 'text' } : null;
  return messages.some((message) => typeof message.content === 'string') ? { type: 'content', form: 'parts' } : null;
}

const UNKNOWN = anyOf(
  /unknown/,
  /unrecogni[sz]ed/,
  /extra/,
  /additional/,
  /unexpected/,
  /unsupported/,
  /not (be )?(permitted|allowed|supported|expected|accepted|included|implemented|exist)/,
  /cannot find field/,
  /illegal/,
  /invalid/,
  /remove/,
  /must not/,
  /should not/,
  /forbidden/,
);

/** The server names an optional field: by a path, or in words. */
function readOptionalField({ words, fields }: Refusal, { body }: SentRequest, { omit = [] }: EndpointProfile): Lesson | null {
  for (const field of OPTIONAL_FIELDS) {
    if (omit.includes(field) || !hasField(body, field.split('.'))) continue;
    const leaf = field.slice(field.lastIndexOf('.') + 1);
    const isNamed = fields.some(({ path }) => path === field || path.startsWith(`${field}.`) || path.endsWith(`.${leaf}`) || path === leaf);
    const isQuoted = new RegExp(leaf.includes('_') ? `\\b${leaf}\\b` : `["'\`]${leaf}["'\`]`).test(words);
    if (isNamed || (isQuoted && UNKNOWN.test(words))) return { type: 'omit', field };
  }
  return null;
}

function hasField(value: Json | undefined, [name, ...rest]: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((one) => hasField(one, [name ?? '', ...rest]));
  if (name === undefined || !isJsonObject(value) || value[name] === undefined) return false;
  return rest.length === 0 || hasField(value[name], rest);
}

const ONE_TOOL = /only (one|1|a single) (tool|function)\b/i;
const MANY_TOOLS = anyOf(
  /too many (tools|functions)/,
  /(tools|functions)\b.{0,60}\b(at most|no more than|max(imum)?|too long|limit|exceeds?)/,
  /(at most|no more than|max(imum)?( of| number of)?|up to|limit of)\b.{0,30}\b(tools|functions)/,
  ONE_TOOL,
);

function readToolLimit({ words, fields }: Refusal, { tools }: SentRequest): Lesson | null {
  const isLong = fields.some(({ path, type }) => path === 'tools' && type === 'too_long');
  if (tools.length < 2 || !(isLong || MANY_TOOLS.test(words))) return null;
  if (ONE_TOOL.test(words)) return { type: 'most-tools', count: 1 };
  const named = [...words.matchAll(/\d+/g)].map(([digits]) => Number(digits)).filter((number) => number > 0 && number < tools.length);
  return { type: 'most-tools', count: named.length === 0 ? Math.floor(tools.length / 2) : Math.max(...named) };
}

const SCHEMA = /schema|\bparameters\b|function_declarations|\bproperties\b|"?type"? must be/i;

function readSchema({ words, fields }: Refusal, { tools }: SentRequest): Lesson | null {
  const isNamed = fields.some(({ path }) => /^tools\b.*\bparameters\b/.test(path)) || SCHEMA.test(words);
  return isNamed && !tools.every(hasPlainSchema) ? { type: 'plain-schema' } : null;
}

function hasPlainSchema(tool: JsonObject): boolean {
  return !isJsonObject(tool.function) || isPlainSchema(tool.function.parameters);
}

const TOOL_ROLE = anyOf(
  /\brole\b.{0,60}\btool/,
  /['"`]?tool['"`]? (messages?|role)/,
  /unexpected role/,
  /invalid role/,
  /tool_call_id/,
  /tool_calls/,
  /roles must alternate/,
  /['"`]tool['"`] is not one of|(variant|value)\W{1,3}tool\b|unsupported message role/,
);

/** Chat templates fail at the role `tool` in words of their own, so any of their faults counts if the conversation has such turns. */
function readToolRole({ words, fields }: Refusal, { messages }: SentRequest): Lesson | null {
  if (!messages.some(({ role, tool_calls }) => role === 'tool' || tool_calls !== undefined)) return null;
  const isNamed = fields.some(({ path, words: said }) => {
    if (path === 'messages.role') return !/['"]tool['"]/.test(said);
    return /^messages\.(tool_calls|tool_call_id)\b/.test(path);
  });
  const isTemplate = TEMPLATE.test(words) && !SYSTEM_ROLE.test(words);
  return isNamed || isTemplate || TOOL_ROLE.test(words) ? { type: 'text-tool-turns' } : null;
}

const TEMPLATE = /jinja|raise_exception|chat template|this template/i;
const SYSTEM_ROLE = /\bsystem\b.{0,40}\b(role|messages?|prompts?|instructions?)\b|\brole\b.{0,40}\bsystem\b|developer instruction/i;
const NOT_TAKEN = anyOf(
  /(not|n't) (support|allow|permit|accept|enabled|available|valid)/,
  /unsupported/,
  /invalid/,
  /only/,
  /must/,
  /unexpected/,
  /unknown/,
  /supported/,
);

/** The first message of a request without a system message is the user's, and then the roles alternate. */
const FIRST_ROLE = /['"`]system['"`] is not one of|(variant|value)\W{1,3}system\b|first message must be|roles must alternate/i;

function readSystemRole({ words, fields }: Refusal, { messages }: SentRequest): Lesson | null {
  if (messages[0]?.role !== 'system') return null;
  if (FIRST_ROLE.test(words)) return { type: 'fold-system' };
  const isNamed = fields.some(
    ({ path, words: said }) => path === 'messages.role' && /['"]user['"]/.test(said) && !/['"]system['"]/.test(said),
  );
  return isNamed || (SYSTEM_ROLE.test(words) && NOT_TAKEN.test(words)) ? { type: 'fold-system' } : null;
}

const TOOLS = '(tools|tool[ _-]?(use|calls?|calling|choice)|functions?([ _-]calls?| ?calling)?)';
const TAKEN = '(supported|available|allowed|enabled|permitted|implemented)';
const NO_TOOLS = new RegExp(
  [
    String.raw`(not|n't|no|never) (currently )?(support|allow|accept|have|offer|handle)(s|ed|ing)? (the )?["'\`]?${TOOLS}\b`,
    String.raw`\b${TOOLS}["'\`]? (${PART} )?(is|are|was|were)?( currently)? ?(not|un) ?-?(currently |yet )?${TAKEN}`,
    String.raw`\bunsupported (${PART}|feature)?s?:? ?["'\`]?${TOOLS}\b`,
    String.raw`\bthat support ${TOOLS}\b`,
    String.raw`\b(no|unknown|unrecogni[sz]ed)\b.{0,40}\b${TOOLS}\b`,
    'tool choice requires|--enable-auto-tool-choice|--tool-call-parser|requires? --jinja|without tools',
  ].join('|'),
  'i',
);

function readNoTools({ words, fields }: Refusal, { tools, messages }: SentRequest): Lesson | null {
  // A message with calls is refused, and the tools themselves were taken before.
  const isTurn = /\btool_calls\b/.test(words) && messages.some(({ tool_calls }) => tool_calls !== undefined);
  if (tools.length === 0 || isTurn) return null;
  const isNamed = fields.some(({ path }) => path === 'tools' || path === 'tool_choice' || path === 'functions');
  return isNamed || NO_TOOLS.test(words) ? { type: 'no-tools' } : null;
}

const TOOLS_IN_STREAM = /\b(tool|function).{0,40}\b(in|with|when|while)( the)? stream|stream.{0,20}\b(with|and) tool/i;

/** A server that streams no calls may take them in an answer that is not streamed. */
function readToolsInStream({ words }: Refusal, { body, tools }: SentRequest): Lesson | null {
  return body.stream === true && tools.length > 0 && TOOLS_IN_STREAM.test(words) ? { type: 'no-stream' } : null;
}

const NO_STREAM = anyOf(
  /stream(ing|ed)?\b.{0,40}\b(not|un\w*|only|must be|disabled|non-)/,
  /(not|n't) (support|allow|accept)\w* stream/,
  /non-?streaming/,
  /set stream/,
);

function readStream({ words, fields }: Refusal, { body }: SentRequest): Lesson | null {
  if (body.stream !== true) return null;
  return fields.some(({ path }) => path === 'stream') || NO_STREAM.test(words) ? { type: 'no-stream' } : null;
}

const CONTENT = anyOf(
  /\bcontent\b.{0,80}\b(empty|null|none|blank|non-?empty|required|missing|must|should|string)/,
  /(empty|blank|null|missing|non-?empty) (message )?(text )?content/,
  /must not be (empty|blank)/,
  /empty (message|text)/,
);
const FORMS = ['null', 'space', 'omitted', 'text'] as const;

/** Beside calls the content is empty, and servers differ about how: `""`, `null`, a blank, or nothing at all. */
function readEmptyContent({ words, fields }: Refusal, { messages }: SentRequest, { emptyContent }: EndpointProfile): Lesson | null {
  if (!messages.some(({ role, tool_calls }) => role === 'assistant' && tool_calls !== undefined)) return null;
  if (!fields.some(({ path }) => path === 'messages.content') && !CONTENT.test(words)) return null;
  const form = FORMS[emptyContent === undefined ? 0 : FORMS.indexOf(emptyContent) + 1];
  return form === undefined ? null : { type: 'empty-content', form };
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((one: Json): one is JsonObject => isJsonObject(one)) : [];
}

/** One pattern of several, whatever the case of their letters. */
function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'i');
}
