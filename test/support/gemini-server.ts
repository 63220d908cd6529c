import type { JsonObject } from '../../src/protocol/json.ts';
import {
  type AnswerPlan,
  objects,
  type ProviderShape,
  pieces,
  type Signatures,
  sse,
  unknownKeys,
} from './provider-server.ts';

/* Google's Gemini API, v1beta, as its documentation describes it: streamGenerateContent, function calling, thought signatures. */

const SCHEMA = [
  ...['type', 'format', 'title', 'description', 'nullable', 'enum', 'items', 'properties', 'required', 'anyOf'],
  ...[
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'pattern',
  ],
];

/** Documented values for a call that another model made. */
const NO_SIGNATURE = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

/** A Gemini server of Google that refuses what the real one would refuse. */
export const GEMINI: ProviderShape = {
  provider: 'google',
  basePath: '/v1beta',
  model: 'gemini-3-pro-preview',
  isPath: (path) => path === '/v1beta/models/gemini-3-pro-preview:streamGenerateContent',
  keyOf: (headers) => headers.get('x-goog-api-key'),
  faults: (body, headers, signatures) => [
    ...(headers.get('authorization') === null ? [] : ['Expected OAuth 2 access token']),
    ...unknownKeys('body', body, ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig']),
    ...objects(body.tools).flatMap((tool) => [
      ...unknownKeys('tools', tool, ['functionDeclarations']),
      ...objects(tool.functionDeclarations).flatMap(checkDeclaration),
    ]),
    ...checkContents(objects(body.contents), signatures),
  ],
  events: toEvents,
  errorEvent: sse({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
  errorBody: ({ status, type, message }) => ({ error: { code: status, message, status: type } }),
  models: {
    models: [
      {
        name: 'models/gemini-3-pro-preview',
        inputTokenLimit: 1_048_576,
        supportedGenerationMethods: ['generateContent'],
      },
    ],
  },
};

function checkDeclaration(tool: JsonObject): string[] {
  return [
    ...unknownKeys('functionDeclarations', tool, ['name', 'description', 'parameters']),
    ...(tool.parameters === undefined ? [] : checkSchema('parameters', tool.parameters)),
  ];
}

function checkSchema(where: string, schema: unknown): string[] {
  const [known] = objects([schema]);
  if (known === undefined) return [`${where}: not a schema`];
  const inner = objects([known.properties]).flatMap((fields) =>
    Object.entries(fields).flatMap(([key, value]) => checkSchema(`${where}.${key}`, value)),
  );
  return [
    ...unknownKeys(where, known, SCHEMA),
    ...inner,
    ...(known.items === undefined ? [] : checkSchema(`${where}.items`, known.items)),
    ...(Array.isArray(known.type) ? [`${where}.type: Proto field is not repeating`] : []),
  ];
}

function checkContents(contents: readonly JsonObject[], signatures: Signatures): string[] {
  if (contents[0]?.role !== 'user') return ['Please ensure that the conversation starts with a user turn.'];
  return contents.flatMap((content, at) => {
    const parts = objects(content.parts);
    const faults = unknownKeys(`contents[${at}]`, content, ['role', 'parts']);
    if (parts.length === 0) faults.push(`contents[${at}].parts: must not be empty`);
    if (at > 0 && contents[at - 1]?.role === content.role) faults.push(`contents[${at}]: roles must alternate`);
    const known = ['text', 'thought', 'thoughtSignature', 'inlineData', 'functionCall', 'functionResponse'];
    for (const part of parts) {
      faults.push(...unknownKeys(`contents[${at}].parts`, part, known));
      if (part.text === '') faults.push(`contents[${at}].parts: empty text`);
    }
    const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
    const answers = objects(contents[at + 1]?.parts).filter(({ functionResponse }) => functionResponse !== undefined);
    if (calls.length > 0 && answers.length !== calls.length)
      faults.push(
        'Please ensure that the number of function response parts is equal to the number of function call parts.',
      );
    const [first] = calls;
    if (first !== undefined && !isSigned(first, signatures))
      faults.push(`Function call is missing a thought_signature in functionCall parts (contents[${at}])`);
    return faults;
  });
}

function isSigned({ thoughtSignature }: JsonObject, signatures: Signatures): boolean {
  return signatures.textOf(thoughtSignature) !== undefined || NO_SIGNATURE.includes(String(thoughtSignature));
}

let answers = 0;

function toEvents(plan: AnswerPlan, signatures: Signatures): string[] {
  answers += 1;
  const parts: JsonObject[] = [
    ...pieces(plan.thinking ?? '').map((text) => ({ text, thought: true })),
    ...pieces(plan.text ?? '').map((text) => ({ text })),
    ...(plan.calls ?? []).map((call, at) => ({
      functionCall: { name: call.name, args: call.arguments, id: `fc${answers}${at}` },
      // Gemini signs only the first of parallel calls.
      ...(at === 0 ? { thoughtSignature: signatures.sign(call.name) } : {}),
    })),
  ];
  const usageMetadata = {
    promptTokenCount: 10 + (plan.cached ?? 0),
    cachedContentTokenCount: plan.cached ?? 0,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 2,
    totalTokenCount: 17 + (plan.cached ?? 0),
  };
  const ends = { length: 'MAX_TOKENS', filter: 'SAFETY' };
  const finishReason = plan.finish === undefined ? 'STOP' : ends[plan.finish];
  const head = { modelVersion: 'gemini-3-pro-preview', responseId: `r${answers}` };
  const chunk = (list: JsonObject[], more: JsonObject = {}): string =>
    sse({ candidates: [{ content: { parts: list, role: 'model' }, index: 0, ...more }], usageMetadata, ...head });
  return [...parts.map((part) => chunk([part])), chunk([{ text: '' }], { finishReason })];
}
