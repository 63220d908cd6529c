import { expect, test } from 'bun:test';
import type { FormField } from '../../protocol/form.ts';
import * as messages from './messages.ts';

const any = { name: 'a', title: 'A', isRequired: false };
const options = [
  { value: 'x', title: 'X' },
  { value: 'y', title: 'Y' },
];

const FIELDS: readonly FormField[] = [
  { ...any, type: 'text' },
  { ...any, type: 'text', format: 'email', minLength: 1 },
  { ...any, type: 'text', format: 'uri', maxLength: 9 },
  { ...any, type: 'text', format: 'date', minLength: 2, maxLength: 9 },
  { ...any, type: 'text', format: 'date-time' },
  { ...any, type: 'number', isInteger: true, minimum: 1, maximum: 9 },
  { ...any, type: 'number', isInteger: false, minimum: 1 },
  { ...any, type: 'number', isInteger: false, maximum: 9 },
  { ...any, type: 'boolean' },
  { ...any, type: 'choice', options },
  { ...any, type: 'choices', options, minItems: 1, maxItems: 2 },
];

test('every message', () => {
  const { YES, NO, REQUIRED, formatUnknownField, formatOfField, formatExpected } = messages;
  const lines = [YES, NO, REQUIRED, formatUnknownField('b'), formatOfField('a', REQUIRED), ...FIELDS.map(formatExpected)];
  expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    yes
    no
    a value is required
    the form has no field "b"
    a: a value is required
    expected text
    expected an email address, at least 1 character
    expected an address such as https://example.org, at most 9 characters
    expected a date such as 2026-01-31, at least 2 and at most 9 characters
    expected a time such as 2026-01-31T12:00:00Z
    expected a whole number from 1 to 9
    expected a number, at least 1
    expected a number, at most 9
    expected yes or no
    expected one number from 1 to 2
    expected numbers from 1 to 2, at least 1 and at most 2 choices
    "
  `);
});

test('the words of a form in a terminal', () => {
  const constants = Object.values(messages).filter((message) => typeof message === 'string');
  const formatted = [
    messages.formatFormHead('notes'),
    messages.formatServerText('Who are you?'),
    messages.formatAddress('https://example.org/'),
    messages.formatFieldHead(1, 2, true),
    messages.formatFieldHead(2, 2, false),
    messages.formatOption(1, 'Piano'),
    messages.formatHint('expected text'),
    messages.formatBadValue('a value is required'),
  ];
  expect(`\n${[...constants, ...formatted].join('\n')}\n`).toMatchInlineSnapshot(`
    "
    [y] agree to visit it | [n] decline | Ctrl-C cancels
      aish does not open it. Open it in a browser yourself if you trust this server and this address.
    agreed
    declined
    [y] fill in the form | [n] decline | Ctrl-C cancels
      This server gets what you type. Do not type a password or another secret.
    no
    a value is required
    sent to the server
      value: 
    yes
    The MCP server notes asks you for input:
      server: Who are you?
      address: https://example.org/
    Field 1 of 2
    Field 2 of 2 (may be empty)
       1  Piano
      expected text
      This does not fit: a value is required.
    "
  `);
});
