import { formatPreset, readValue } from '../../../core/form/form.ts';
import * as messages from '../../../core/form/messages.ts';
import { styledProse, wrapProse } from '../../../core/terminal/wrap.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { Form, FormAnswer, FormField, FormValue } from '../../../protocol/form.ts';
import { KeyPrompt, type KeyPromptDeps } from './key-prompt.ts';
import { CANCELLED } from './messages.ts';

interface FormQuestionDeps extends KeyPromptDeps {
  /** The user begins to fill in the form, by one key. */
  begun(): void;
  answer(answer: FormAnswer): void;
}

/** Longer words of a server are cut. */
const MOST_CHARACTERS = 2000;

/**
 * Asks what a server wants to know. One key, which counts only when the form has been on the screen, begins or declines; then each field
 * is a line of its own, which only Enter ends. Ctrl-C cancels everywhere.
 */
export class FormQuestion extends KeyPrompt<'y' | 'n', FormQuestionDeps> {
  readonly #form: Form;

  constructor(form: Form, deps: FormQuestionDeps) {
    super(deps);
    this.#form = form;
    this.#show();
  }

  protected press(key: 'y' | 'n'): void {
    if (key === 'n') {
      this.#end({ action: 'decline' }, messages.DECLINED);
      return;
    }
    this.offer({ lines: [], keys: [] });
    this.deps.begun();
    void this.#fill();
  }

  protected interrupt(): void {
    this.#end({ action: 'cancel' }, CANCELLED);
  }

  async #fill(): Promise<void> {
    const values: [string, FormValue][] = [];
    const { fields } = this.#form;
    for (const [at, field] of fields.entries()) {
      this.#print([messages.formatFieldHead(at + 1, fields.length, field.isRequired)], 'bold');
      this.#quote(field.title);
      if (field.about !== undefined) this.#quote(field.about);
      this.#print(describeValues(field));
      const value = await this.#read(field);
      if (this.isOver) return;
      if (value !== undefined) values.push([field.name, value]);
    }
    this.#end(
      { action: 'accept', values: Object.fromEntries(values) },
      this.#form.url === undefined ? messages.SENT : messages.AGREED,
    );
  }

  /** The value of a field; undefined if it is left out, or the form is over. */
  async #read(field: FormField): Promise<FormValue | undefined> {
    for (let typed = formatPreset(field); ; ) {
      const line = await this.readLine(messages.VALUE_PROMPT, typed);
      if (this.isOver) return undefined;
      if (line === null) {
        this.interrupt();
        return undefined;
      }
      const read = readValue(field, line);
      if (read.ok) return read.value;
      this.#print([messages.formatBadValue(read.problem)]);
      typed = line.trim();
    }
  }

  #end(answer: FormAnswer, shown: string): void {
    if (this.isOver) return;
    this.end(shown);
    this.deps.answer(answer);
  }

  #show(): void {
    const { server, message, url } = this.#form;
    this.offer({ lines: [], keys: ['y', 'n'] });
    this.#print([messages.formatFormHead(escapeForDisplay(server))], 'bold');
    this.#quote(message);
    if (url === undefined) this.#print([messages.FORM_NOTE, messages.FORM_KEYS]);
    else {
      // A name with letters of another script is shown as the name server gets it.
      const address = escapeForDisplay(URL.parse(url)?.href ?? url);
      this.#print([messages.formatAddress(address), messages.ADDRESS_NOTE, messages.ADDRESS_KEYS]);
    }
  }

  /** The words of a server, each row with the mark of it. */
  #quote(text: string): void {
    const width = Math.max(20, this.deps.size().columns - messages.formatServerText('').length);
    const rows = cut(text, { multiline: true })
      .split('\n')
      .flatMap((line) => wrapProse(line, width));
    this.say(rows.map((row) => messages.formatServerText(row.trim())));
  }

  #print(lines: readonly string[], style: 'bold' | null = null): void {
    const view = { ...this.deps.size(), theme: this.deps.theme };
    this.say(lines.flatMap((line) => styledProse(view, style, line, style === null ? '  ' : '')));
  }
}

/** Words of a server as nothing but text, and not too many. */
function cut(text: string, options: { readonly multiline?: boolean } = {}): string {
  return escapeForDisplay(text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text, options);
}

function describeValues(field: FormField): readonly string[] {
  const options = 'options' in field ? field.options : [];
  return [
    ...options.map(({ title }, at) => messages.formatOption(at + 1, cut(title))),
    messages.formatHint(messages.formatExpected(field)),
  ];
}
