import type { FormField } from '../../protocol/form.ts';

/** The words for a boolean. */
export const YES = 'yes';
export const NO = 'no';

export const REQUIRED = 'a value is required';
export const formatUnknownField = (name: string): string => `the form has no field "${name}"`;
export const formatOfField = (name: string, problem: string): string => `${name}: ${problem}`;

/** The values that a field takes. */
export function formatExpected(field: FormField): string {
  switch (field.type) {
    case 'text':
      return formatText(field);
    case 'number':
      return `expected ${field.isInteger ? 'a whole number' : 'a number'}${formatRange(field.minimum, field.maximum)}`;
    case 'boolean':
      return 'expected yes or no';
    case 'choice':
      return `expected one number from 1 to ${field.options.length}`;
    case 'choices':
      return `expected numbers from 1 to ${field.options.length}${formatCount(field.minItems, field.maxItems, 'choice')}`;
  }
}

const FORMAT_NAMES = {
  email: 'an email address',
  uri: 'an address such as https://example.org',
  date: 'a date such as 2026-01-31',
  'date-time': 'a time such as 2026-01-31T12:00:00Z',
} as const;

function formatText({ format, minLength, maxLength }: Extract<FormField, { type: 'text' }>): string {
  const what = format === undefined ? 'text' : FORMAT_NAMES[format];
  return `expected ${what}${formatCount(minLength, maxLength, 'character')}`;
}

function formatRange(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  if (least !== undefined) return `, at least ${least}`;
  return most === undefined ? '' : `, at most ${most}`;
}

function formatCount(least: number | undefined, most: number | undefined, noun: string): string {
  const parts = [...(least === undefined || least === 0 ? [] : [`at least ${least}`]), ...(most === undefined ? [] : [`at most ${most}`])];
  return parts.length === 0 ? '' : `, ${parts.join(' and ')} ${noun}${(most ?? least) === 1 ? '' : 's'}`;
}

/** The words of a form in a terminal. */
export const formatFormHead = (server: string): string => `The MCP server ${server} asks you for input:`;
/** Marks what a server says. */
export const formatServerText = (text: string): string => `  server: ${text}`;
export const FORM_NOTE = '  This server gets what you type. Do not type a password or another secret.';
export const FORM_KEYS = '[y] fill in the form | [n] decline | Ctrl-C cancels';
export const formatAddress = (url: string): string => `  address: ${url}`;
export const ADDRESS_NOTE = '  aish does not open it. Open it in a browser yourself if you trust this server and this address.';
export const ADDRESS_KEYS = '[y] agree to visit it | [n] decline | Ctrl-C cancels';
export const formatFieldHead = (at: number, count: number, isRequired: boolean): string =>
  `Field ${at} of ${count}${isRequired ? '' : ' (may be empty)'}`;
export const formatOption = (number: number, title: string): string => `  ${String(number).padStart(2)}  ${title}`;
export const formatHint = (expected: string): string => `  ${expected}`;
export const VALUE_PROMPT = '  value: ';
export const formatBadValue = (problem: string): string => `  This does not fit: ${problem}.`;
export const SENT = 'sent to the server';
export const AGREED = 'agreed';
export const DECLINED = 'declined';
