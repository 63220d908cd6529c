/** The promises about custom commands, skills and hooks. */
export const EXTEND = [
  {
    id: 'extend.commands',
    text: 'a custom command becomes a message with its arguments, model and tools, at the prompt and headless; nothing in it runs',
  },
  {
    id: 'extend.hooks',
    text: 'hooks deny or ask before a call, withhold or add to its result, refuse or add to a message, and hear of the end of a turn',
  },
  {
    id: 'extend.hooks-closed',
    text: 'a hook that fails, takes too long, answers nonsense or has changed counts as one that denies',
  },
  {
    id: 'extend.skills',
    text: 'skills are listed in a request within their budget, and the model reads their files without asking; :skills lists them',
  },
  { id: 'extend.trust', text: 'files of a project count only with content that the user trusts' },
];
