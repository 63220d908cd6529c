import { type MetaEntry, plain } from './meta-entry.ts';

/** The meta-commands about models. */
export const MODEL_COMMANDS: readonly MetaEntry[] = [
  {
    name: 'model',
    needs: (command) => command.name === 'model' && command.model !== undefined,
    usage: '[name]',
    summary: 'show the current model, or switch to another model',
    detail:
      '[models] in the configuration defines the names; :models lists them. PROVIDER:MODEL needs no configuration. ' +
      ':model auto chooses a model for each message by its difficulty; :why shows the score. @NAME in front of a ' +
      'message asks that model once.',
    arguments: ['model'],
    build: ([model]) => (model === undefined ? { name: 'model' } : { name: 'model', model }),
  },
  plain('models', 'list the models: configured, and found'),
  {
    name: 'doctor',
    needs: 'owner',
    usage: '[name]',
    summary: 'test a model and its server, and say what to change there',
    detail:
      'Without a name, :doctor tests the current model. It asks a few short questions, and Ctrl-C stops it. aish ' +
      'remembers what the server refuses. aish doctor looks at this machine.',
    arguments: ['model'],
    build: ([model]) => (model === undefined ? { name: 'doctor' } : { name: 'doctor', model }),
  },
  {
    name: 'cloud',
    needs: (command) => command.name === 'cloud' && command.on !== undefined,
    usage: '[on|off]',
    summary: 'allow this session to move from a local model to a cloud model',
    detail:
      'aish moves by itself only with :model auto or to a fallback. :cloud shows what would leave this network. A model ' +
      'that you name needs no permission.',
    arguments: ['switch'],
    build: ([word]) => {
      if (word === undefined) return { name: 'cloud' };
      return word === 'on' || word === 'off' ? { name: 'cloud', on: word === 'on' } : null;
    },
  },
];
