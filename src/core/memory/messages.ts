/** The marks of facts that the model reads. */

export const formatReplaced = (older: string): string => `(newer; an earlier fact says: ${older})`;

export const FROM_UNTRUSTED = '(learned while reading untrusted content)';
