/** A value of a form. */
export type FormValue = string | number | boolean | readonly string[];

/** The values of a form by the names of its fields. */
export type FormValues = { readonly [name: string]: FormValue };

/** The formats of a text that MCP knows. */
export const TEXT_FORMATS = ['email', 'uri', 'date', 'date-time'] as const;

/** One of the values that a field allows. */
export interface FormOption {
  readonly value: string;
  readonly title: string;
}

interface AnyField {
  readonly name: string;
  readonly title: string;
  readonly about?: string;
  readonly isRequired: boolean;
}

/** A field of a form. Names, titles and descriptions are a server's words. */
export type FormField =
  | (AnyField & {
      readonly type: 'text';
      readonly format?: (typeof TEXT_FORMATS)[number];
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly preset?: string;
    })
  | (AnyField & {
      readonly type: 'number';
      readonly isInteger: boolean;
      readonly minimum?: number;
      readonly maximum?: number;
      readonly preset?: number;
    })
  | (AnyField & { readonly type: 'boolean'; readonly preset?: boolean })
  | (AnyField & { readonly type: 'choice'; readonly options: readonly FormOption[]; readonly preset?: string })
  | (AnyField & {
      readonly type: 'choices';
      readonly options: readonly FormOption[];
      readonly minItems?: number;
      readonly maxItems?: number;
      readonly preset?: readonly string[];
    });

/** A request of an MCP server for input of the user. */
export interface Form {
  /** The alias of the server. */
  readonly server: string;
  /** The server's words. */
  readonly message: string;
  /** Empty for a page to visit. */
  readonly fields: readonly FormField[];
  /** The address of a page that the user should visit instead. aish opens no page. */
  readonly url?: string;
}

/** The answer to a form. The values go to the server and into no event. */
export type FormAnswer =
  | { readonly action: 'accept'; readonly values: FormValues }
  | { readonly action: 'decline' | 'cancel' };

/** The events of a form. */
export type FormEvent =
  /** The server of a running call asks the user something. `form` is the id for the answer. */
  | { readonly type: 'form.requested'; readonly form: string; readonly callId: string; readonly request: Form }
  /** The values are not in the log: they go to the server alone. `by`: `server` if it, or the end of its call, withdrew the form. */
  | {
      readonly type: 'form.answered';
      readonly form: string;
      readonly callId: string;
      readonly action: FormAnswer['action'];
      readonly by: 'user' | 'headless' | 'server';
      readonly client?: string;
    };
