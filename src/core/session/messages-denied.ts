/* Why a call is denied because nobody is there to approve it. */

export const DENIALS = {
  cannotUndo: (why: string | undefined): string => `this call cannot be undone: ${why ?? 'no checkpoint covers the change'}`,
  noSecretRule: (secrets: readonly { readonly name: string; readonly to: string }[]): string =>
    `no rule grants ${secrets.map(({ name, to }) => `${name} to ${to}`).join(', ')}`,
  definitionChanged: "the tool's definition has changed since a rule approved it",
  readsOutside: (path: string | undefined): string => `this call reads outside the project: ${path ?? 'a file elsewhere'}`,
  ruleAsks: (rule: string): string => `the rule "${rule}" requires approval`,
  noCommandRule: 'no [safety] rule allows this command, and --approve does not apply to commands',
  halted: 'the session was halted, so every call needs approval',
} as const;

export const DENIED_AFTER_HALT = `${DENIALS.halted}; pass --approve with ask, read-only or all to continue`;

export const formatNotApproved = (mode: 'read-only' | 'all'): string =>
  `no rule allows this call, and nobody is there to approve it; --approve ${mode} allows it`;
