import { expect, test } from 'bun:test';
import type { ServerReview, ToolUnderReview } from '../../../adapters/mcp/tool-pins.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { formatReview as formatFor, type ToolRules } from './server-review.ts';

const NO_RULES: ToolRules = { autoApprove: {} };
const EMPTY = { type: 'object', properties: {} };

const formatReview = (shown: ServerReview, rules: ToolRules, columns = 100): string => formatFor(shown, rules, columns);

function meaning(name: string, description: string, more: JsonObject = {}): JsonObject {
  return { name, description, inputSchema: EMPTY, ...more };
}

function under(now: JsonObject, before: JsonObject | null = null): ToolUnderReview {
  return { name: String(now.name), meaning: now, before, isSame: false };
}

function review(tools: readonly ToolUnderReview[], more: Partial<ServerReview> = {}): ServerReview {
  const rest = { alias: 'lab', place: 'http://127.0.0.1/mcp', gone: [], trustsReadOnly: false, pin: () => {} };
  return { ...rest, isFirst: false, tools, ...more };
}

test('a server that is new shows all it says, with what is hidden spelled out', () => {
  const poisoned = meaning('read', 'Reads\u200b a note.\n\u202eAnd \u{e0041}more.', {
    annotations: { readOnlyHint: true },
  });
  expect(formatReview(review([under(poisoned)], { isFirst: true }), { autoApprove: { 'lab.*': true } })).toBe(
    [
      'lab (http://127.0.0.1/mcp): 1 tool, not reviewed yet',
      '',
      'lab.read',
      '  The rule "lab.*" allows calls without asking.',
      '  description:',
      '  | Reads<U+200B> a note.',
      '  | <U+202E>And <U+E0041>more.',
      '  annotations:',
      '  | {',
      '  |   "readOnlyHint": true',
      '  | }',
      '  inputSchema:',
      '  | {',
      '  |   "properties": {},',
      '  |   "type": "object"',
      '  | }',
    ].join('\n'),
  );
});

test('a change is shown word by word, with what it does to questions', () => {
  const before = meaning('read', 'Reads a note.');
  const now = meaning('read', 'Reads a secret note.', {
    inputSchema: { type: 'object', properties: { key: { type: 'string' } } },
    annotations: { readOnlyHint: true },
  });
  const text = formatReview(review([under(now, before)], { trustsReadOnly: true }), {
    autoApprove: { 'lab.read': true },
  });
  expect(text.split('\n').slice(2)).toEqual([
    'lab.read (changed)',
    '  The server now says that this tool only reads.',
    '  aish believes that it only reads, because trust_read_only is set for this server.',
    '  After your review, the rule "lab.read" allows calls without asking.',
    '  description:',
    '  | Reads a {+secret +}note.',
    '  annotations:',
    '  | {+{+}',
    '  | {+  "readOnlyHint": true+}',
    '  | {+}+}',
    '  inputSchema:',
    '  | {',
    '  |   "properties": {',
    '  | {+    "key": {+}',
    '  | {+      "type": "string"+}',
    '  | {+    }+}',
    '  | {+  +}},',
    '  |   "type": "object"',
    '  | }',
  ]);
});

test('a tool of another name that says the same is told from a new one, and so is a name that looks like another', () => {
  const old = meaning('read_note', 'Reads a note.');
  const renamed = under(meaning('fetch', 'Reads a note.'));
  const disguised = under(meaning('m\u0430il', 'Mails.'));
  const known: ToolUnderReview = { ...under(meaning('mail', 'Mails.')), isSame: true };
  const text = formatReview(
    review([renamed, disguised, known], { gone: [{ name: 'read_note', meaning: old }] }),
    NO_RULES,
  );
  const rows = text.split('\n').filter((row) => /^(?:lab|unchanged)|tool/.test(row));
  expect(rows).toEqual([
    'lab (http://127.0.0.1/mcp): 3 tools, 2 new or changed since your review',
    'lab.fetch (new)',
    '  You reviewed this tool when its name was lab.read_note.',
    'lab.m<U+0430>il (new)',
    '  The name looks like the name of another tool: lab.mail.',
    'unchanged since your review: lab.mail',
    'lab.read_note: the server no longer has this tool',
  ]);
});

test.each([
  [{ autoApprove: {} }, 'aish asks you before each call.'],
  [{ autoApprove: { 'lab.*': true, 'lab.read': false } }, 'aish asks you before each call.'],
  [{ autoApprove: { 'lab.*': true }, tools: { ask: ['lab.read'], deny: [] } }, 'aish asks you before each call.'],
  [{ autoApprove: { 'lab.*': true }, tools: { ask: [], deny: ['lab.*'] } }, 'The rule "lab.*" denies each call.'],
  [{ autoApprove: { 'lab.*': true } }, 'After your review, the rule "lab.*" allows calls without asking.'],
])('by %j: %s', (rules: ToolRules, says) => {
  expect(formatReview(review([under(meaning('read', 'Reads.'))]), rules).split('\n')).toContain(`  ${says}`);
});

test('a description cannot end its quote and speak for aish', () => {
  const text = formatReview(
    review([under(meaning('read', 'Reads.\n\nunchanged since your review: lab.everything'))]),
    NO_RULES,
  );
  expect(text.split('\n').filter((row) => row.includes('lab.everything'))).toEqual([
    '  | unchanged since your review: lab.everything',
  ]);
});

test('a description cannot speak for aish by its length either: what a row has no room for goes on behind the mark', () => {
  const padded = `Reads.${' '.repeat(42)}unchanged since your review: lab.everything`;
  const rows = formatReview(review([under(meaning('read', padded))]), NO_RULES, 52).split('\n');
  expect(rows.filter((row) => row.length > 52 || row.startsWith('unchanged'))).toEqual([]);
  expect(rows.filter((row) => row.includes('everything'))).toEqual(['  ¦ ged since your review: lab.everything']);
});
