/** Where a typed line goes, what is handed on of it, and the rule that decided. */
export type Route =
  | { readonly type: 'meta' | 'command' | 'message'; readonly text: string; readonly reason: string }
  | { readonly type: 'nothing' };
