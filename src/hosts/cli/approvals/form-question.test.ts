import { expect, test } from 'bun:test';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import type { Form } from '../../../protocol/form.ts';
import { FormQuestion } from './form-question.ts';

const FORM: Form = {
  server: 'notes',
  message: 'Who are you?\n[y] \x1b[2Jtrust me',
  fields: [
    { type: 'text', name: 'name', title: 'Name', isRequired: true },
    { type: 'number', name: 'age', title: 'Age', isRequired: false, isInteger: true, preset: 3 },
  ],
};

/** The answers, and what is printed, after these reads. */
async function given(reads: readonly string[], form = FORM): Promise<{ said: readonly unknown[]; printed: string }> {
  const said: unknown[] = [];
  let printed = '';
  const question = new FormQuestion(form, {
    print: (text) => {
      printed += text;
    },
    write: () => {},
    size: () => ({ columns: 100, rows: 30 }),
    theme: PLAIN_THEME,
    begun: () => said.push('begun'),
    answer: (answer) => said.push(answer),
  });
  for (const read of reads) {
    question.feed(Buffer.from(read));
    // An editor that ends a line tells it in its turn.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  question.close();
  return { said, printed };
}

test('each field is read as a line, and a preset is offered', async () => {
  const { said } = await given(['y', 'Ada', '\r', '\r']);
  expect(said).toEqual(['begun', { action: 'accept', values: { name: 'Ada', age: 3 } }]);
});

test('a value that does not fit is said and read again', async () => {
  const { said, printed } = await given(['y', '\r', 'Ada\r', 'x\r', '\x15', '\r']);
  expect(printed).toContain('This does not fit: a value is required.');
  expect(printed).toContain('This does not fit: expected a whole number.');
  expect(said).toEqual(['begun', { action: 'accept', values: { name: 'Ada' } }]);
});

test.each([
  ['n declines', ['n'], [{ action: 'decline' }]],
  ['Ctrl-C cancels before', ['\x03'], [{ action: 'cancel' }]],
  ['Ctrl-C cancels between', ['y', 'Ada\r', '\x03', 'x\r'], ['begun', { action: 'cancel' }]],
  ['no other key and no paste answers', ['\r', 'yes', '\x1b[200~y\x1b[201~', 'a', '\x04'], []],
  ['a form that is left open answers nothing', ['y', 'Ada\r'], ['begun']],
])('%s', async (_, reads, answers) => {
  expect((await given(reads)).said).toEqual(answers);
});

test('what a server says is marked on each line, and cannot draw', async () => {
  const { printed } = await given(['n']);
  expect(printed).toMatchSnapshot();
});

test('an address is shown, and agreed to with a key', async () => {
  const form: Form = { server: 'notes', message: 'Log in.', fields: [], url: 'https://ex\u0430mple.org/login?a=1' };
  const { said, printed } = await given(['y'], form);
  expect(said).toEqual(['begun', { action: 'accept', values: {} }]);
  expect(printed).toMatchSnapshot();
});
