import { expect, test } from 'bun:test';
import { splitThoughts, ThinkSplitter } from './reasoning.ts';

/** An answer cut at all places of a list. */
function splitAt(content: string, cuts: readonly number[], isOpen = false): readonly [string, string] {
  const splitter = new ThinkSplitter({ isOpen });
  let text = '';
  let reasoning = '';
  let from = 0;
  const pieces = [...cuts, content.length].flatMap((cut) => {
    const piece = content.slice(from, cut);
    from = cut;
    return splitter.push(piece);
  });
  for (const piece of [...pieces, ...splitter.end()]) {
    if (piece.type === 'retract') [text, reasoning] = ['', reasoning + text];
    else if (piece.type === 'text') text += piece.text;
    else reasoning += piece.text;
  }
  return [text, reasoning];
}

const bytewise = (text: string): number[] => Array.from({ length: text.length }, (_, at) => at);
const everyCut = (text: string): readonly (readonly number[])[] => [[], bytewise(text), ...bytewise(text).map((at) => [at])];

const THOUGHTS: readonly (readonly [string, string, string])[] = [
  ['<think>Hm.</think>Yes.', 'Yes.', 'Hm.'],
  ['<think>\nHm.\n</think>\n\nYes.', 'Yes.', '\nHm.\n'],
  ['\n<think>Hm.</think>\nYes.', '\nYes.', 'Hm.'],
  ['<thinking>Hm.</thinking>Yes.', 'Yes.', 'Hm.'],
  ['<reasoning>Hm.</reasoning>\nYes.', 'Yes.', 'Hm.'],
  ['<thought>Hm.</thought>Yes.', 'Yes.', 'Hm.'],
  ['[THINK]Hm.[/THINK]Yes.', 'Yes.', 'Hm.'],
  ['◁think▷Hm.◁/think▷Yes.', 'Yes.', 'Hm.'],
  ['<THINK>Hm.</THINK>Yes.', 'Yes.', 'Hm.'],
  ['<seed:think>Hm.</seed:think>Yes.', 'Yes.', 'Hm.'],
  ['<|START_THINKING|>Hm.<|END_THINKING|>Yes.', 'Yes.', 'Hm.'],
  ['<|begin_of_thought|>Hm.<|end_of_thought|>Yes.', 'Yes.', 'Hm.'],
  ['<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.', 'Yes.', 'Hm.'],
  ['<|channel>thought\nHm.<channel|>Yes.', 'Yes.', 'Hm.'],
  ['<think>a</think>One.\n<think>b</think>Two.', 'One.\nTwo.', 'ab'],
  ['So <think>a</think>it is.', 'So it is.', 'a'],
  ['<think>Only that', '', 'Only that'],
  ['<think>a < b and [1]</think>c < d [2] <e', 'c < d [2] <e', 'a < b and [1]'],
  ['<think></think>Yes.', 'Yes.', ''],
  ['Okay, the user asks.\n</think>\n\nYes.', 'Yes.', 'Okay, the user asks.\n'],
  ['Okay, the user asks.</think>Yes.', 'Yes.', 'Okay, the user asks.'],
  ['It has `a` and\n```\ncode\n```\n[/THINK]Yes.', 'Yes.', 'It has `a` and\n```\ncode\n```\n'],
  ['</think>\nYes.', 'Yes.', ''],
  ['Yes.<|im_end|>', 'Yes.', ''],
  ['Yes.</s>\n', 'Yes.', ''],
  ['<|thought_start|>Hm.<|thought_end|>\nYes.', 'Yes.', 'Hm.'],
  ['<|inner_prefix|>Hm.<|inner_suffix|>Yes.', 'Yes.', 'Hm.'],
  ['[unused16]Hm.[unused17]Yes.', 'Yes.', 'Hm.'],
  ['<think:opensource>Hm.</think:opensource>Yes.', 'Yes.', 'Hm.'],
  ['<|start_header_id|>assistant<|end_header_id|>\n\nYes.<|eot_id|>', 'Yes.', ''],
  ['<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>', 'Yes.', 'Hm.'],
  ['<|open|>think<|sep|>Hm.<|close|>think<|sep|><|open|>response<|sep|>Yes.<|close|>response<|sep|><|close|>message<|sep|>', 'Yes.', 'Hm.'],
  ['<think>Hm.</think>Yes.\n<|EOT_ID|>', 'Yes.', 'Hm.'],
];

test('reasoning is split from the text, wherever the stream is cut', () => {
  const wrong = THOUGHTS.flatMap(([content, text, reasoning]) =>
    everyCut(content).flatMap((cuts) => {
      const [gotText, gotReasoning] = splitAt(content, cuts);
      const isRight = gotText.trim() === text.trim() && gotReasoning === reasoning;
      return isRight ? [] : [{ content, cuts: cuts.length > 1 ? 'all' : cuts, gotText, gotReasoning }];
    }),
  );
  expect(wrong).toEqual([]);
});

const MENTIONS: readonly string[] = [
  'The `<think>` tag opens reasoning.',
  'The <think> tag opens reasoning and </think> ends it.',
  'Models write "<think>" first.',
  'Use `<think>…</think>` around it.',
  'It wraps the text in <think>...</think> tags.',
  '```xml\n<think>a</think>\n```\nThat is all.',
  'Remove it with `sed "s/<think>.*<\\/think>//"`.',
  'if (a <b) { c[0] = "<thinking>"; }',
  'The XML is <doc><reasoning>a</reasoning></doc>.',
  'DeepSeek puts </think> behind its reasoning.',
  'It ends with `</think>`.',
  'It ends with </think>, then the answer.',
  'A regular [THIN] and [think about it].',
  'The tag (<think>) is a token.',
  'The turn ends with <|im_end|>',
  'The turn ends with `<|im_end|>`',
  'The mark is "</s>',
  'The price is <s>9</s>',
  'It is <|im_end|> and <|im_end|>more.',
  '```\na<|im_end|>\n```',
];

test('a tag that a text mentions stays in the text', () => {
  const wrong = MENTIONS.flatMap((content) =>
    everyCut(content).flatMap((cuts) => {
      const [text, reasoning] = splitAt(content, cuts);
      return text === content && reasoning === '' ? [] : [{ content, cuts: cuts.length > 1 ? 'all' : cuts, text, reasoning }];
    }),
  );
  expect(wrong).toEqual([]);
});

test('reasoning that began inside of a text and has no end is text', () => {
  const content = 'The rule is\n<think>go on';
  expect(everyCut(content).filter((cuts) => splitAt(content, cuts)[0] !== content)).toEqual([]);
});

test('an answer that begins inside of its reasoning is split at the end of it, and without one it is text', () => {
  const content = 'Hm.\n</think>\nYes.';
  expect(everyCut(content).map((cuts) => splitAt(content, cuts, true))).toEqual(everyCut(content).map(() => ['Yes.', 'Hm.\n']));
  expect(splitAt('Only text.', [3], true)).toEqual(['Only text.', '']);
});

test('behind reasoning that came apart, an end without a beginning is text', () => {
  expect(splitThoughts('list</think>le', { isApart: true })).toMatchObject({ text: 'list</think>le', reasoning: '' });
});

test('the tags are known as they came', () => {
  expect(splitThoughts('<think>a</think>b').tags).toEqual({ open: '<think>', close: '</think>' });
  expect(splitThoughts('a</think>b').tags).toEqual({ open: '', close: '</think>' });
  expect(splitThoughts('plain').tags).toBeNull();
});
