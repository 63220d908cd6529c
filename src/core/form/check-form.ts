import type { Form, FormField, FormOption, FormValue, FormValues } from '../../protocol/form.ts';
import * as messages from './messages.ts';

/** A typed value; undefined for a field left out. */
export type ReadValue = { readonly ok: true; readonly value: FormValue | undefined } | { readonly ok: false; readonly problem: string };

type FieldOf<T extends FormField['type']> = Extract<FormField, { type: T }>;

/** Reads what a user typed for a field, and checks it. */
export function readValue(field: FormField, typed: string): ReadValue {
  const text = typed.trim();
  if (text === '') return field.isRequired ? { ok: false, problem: messages.REQUIRED } : { ok: true, value: undefined };
  const value = parse(field, text);
  if (value === undefined) return { ok: false, problem: messages.formatExpected(field) };
  const problem = findProblem(field, value);
  return problem === null ? { ok: true, value } : { ok: false, problem };
}

/** The text that stands for the preset of a field; empty without one. */
export function formatPreset(field: FormField): string {
  switch (field.type) {
    case 'text':
      return field.preset ?? '';
    case 'number':
      return field.preset === undefined ? '' : String(field.preset);
    case 'boolean':
      return field.preset === undefined ? '' : field.preset ? messages.YES : messages.NO;
    case 'choice':
      return field.preset === undefined ? '' : numberOf(field.options, field.preset);
    case 'choices':
      return (field.preset ?? []).map((value) => numberOf(field.options, value)).join(' ');
  }
}

/** The problem of the values of a form: the first field that does not fit, or one that the form does not have. */
export function findFormProblem(form: Form, values: FormValues): string | null {
  const unknown = Object.keys(values).find((name) => form.fields.every((field) => field.name !== name));
  if (unknown !== undefined) return messages.formatUnknownField(unknown);
  for (const field of form.fields) {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    const problem = value === undefined ? (field.isRequired ? messages.REQUIRED : null) : findProblem(field, value);
    if (problem !== null) return messages.formatOfField(field.name, problem);
  }
  return null;
}

function numberOf(options: readonly FormOption[], value: string): string {
  const at = options.findIndex((option) => option.value === value);
  return at === -1 ? '' : String(at + 1);
}

function parse(field: FormField, text: string): FormValue | undefined {
  switch (field.type) {
    case 'text':
      return text;
    case 'number':
      return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined;
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : undefined;
    case 'choice':
      return choose(field.options, text);
    case 'choices': {
      const chosen = text.split(/[\s,]+/).map((word) => choose(field.options, word));
      return chosen.every((value) => value !== undefined) ? [...new Set(chosen)] : undefined;
    }
  }
}

/** The option with this number, value or title. A number is always that of an option, as the screen has it. */
function choose(options: readonly FormOption[], text: string): string | undefined {
  if (/^\d+$/.test(text)) return options[Number(text) - 1]?.value;
  return options.find(({ value, title }) => value === text || title.toLowerCase() === text.toLowerCase())?.value;
}

function findProblem(field: FormField, value: FormValue): string | null {
  switch (field.type) {
    case 'text':
      return typeof value === 'string' ? findTextProblem(field, value) : messages.formatExpected(field);
    case 'number':
      return typeof value === 'number' && fits(field, value) ? null : messages.formatExpected(field);
    case 'boolean':
      return typeof value === 'boolean' ? null : messages.formatExpected(field);
    case 'choice':
      return field.options.some((option) => option.value === value) ? null : messages.formatExpected(field);
    case 'choices':
      return findChoicesProblem(field, value);
  }
}

function fits({ isInteger, minimum, maximum }: FieldOf<'number'>, value: number): boolean {
  if (!Number.isFinite(value) || (isInteger && !Number.isInteger(value))) return false;
  return value >= (minimum ?? Number.NEGATIVE_INFINITY) && value <= (maximum ?? Number.POSITIVE_INFINITY);
}

function findTextProblem(field: FieldOf<'text'>, value: string): string | null {
  const { format, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = field;
  const { length } = [...value];
  const isFormed = format === undefined || FORMATS[format](value);
  return isFormed && length >= minLength && length <= maxLength ? null : messages.formatExpected(field);
}

function findChoicesProblem(field: FieldOf<'choices'>, value: FormValue): string | null {
  const { options, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = field;
  if (!Array.isArray(value)) return messages.formatExpected(field);
  const isKnown = value.every((one) => options.some((option) => option.value === one));
  return isKnown && value.length >= minItems && value.length <= maxItems ? null : messages.formatExpected(field);
}

const FORMATS: Readonly<Record<NonNullable<FieldOf<'text'>['format']>, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text),
  date: isDate,
  'date-time': (text) => {
    const [date = '', time = ''] = text.split(/t/i);
    const hours = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`;
    return isDate(date) && new RegExp(`^${hours}:(?:[0-5]\\d|60)(?:\\.\\d+)?(?:z|[-+]${hours})$`, 'i').test(time);
  },
};

/** A day of the calendar: the 30th of February is none. */
function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return month >= 1 && month <= 12 && day >= 1 && day <= days;
}
