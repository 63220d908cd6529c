/** The promises about custom commands, skills and hooks. */
export const EXTEND = [
  {
    id: 'extend.commands',
    text: 'a custom command becomes a message with its arguments, model and tools, at the prompt and headless; nothing in it runs',
  },
  { id: 'extend.trust', text: 'files of a project count only with content that the user trusts' },
];
