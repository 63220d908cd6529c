import { joinedRegExp } from '../../text/joined-regexp.ts';
import { effectsOf } from '../effects.ts';
import { hasOption, type Invocation, isGiven } from '../parse.ts';
import { holdsSecrets, namesSecretFile, usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import { isSecretName } from '../scope.ts';
import { type Call, type SpecTable, variants } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';
import { task } from './tasks.ts';

/** Command-line tools of clouds and provisioning systems, all of which contact other machines. */
export const CLOUD: SpecTable = {
  ...variants(
    { any: true, custom: classifyCloud },
    {
      [`aws gcloud gsutil az doctl ibmcloud supabase sam cdk serverless sls pulumi linode-cli hcloud oci s3cmd mc b2
        eb amplify eksctl databricks snowsql bq`]: {},
      'heroku fly flyctl vercel netlify firebase wrangler railway': { startsCommands: true },
    },
  ),
  'terraform tofu terragrunt packer nomad consul': {
    any: true,
    single: true,
    options: 'chdir=',
    on: { chdir: 'edit' },
    sub: {
      'version help': { any: true },
      // These start the providers in the project.
      'validate graph': task({
        single: true,
        options: 'json no-color no-tests test-directory= plan= draw-cycles type= module-depth= var= var-file=',
      }),
      // With JSON output it prints values that it otherwise redacts.
      show: { ...task({ single: true, options: 'json no-color module-depth=' }), on: { json: 'secrets' } },
      output: {
        any: true,
        single: true,
        // With JSON or raw output it prints values that it otherwise redacts.
        custom: ({ operands, options }) =>
          operands.some(({ start }) => isSecretName(start)) || isGiven({ options }, 'json', 'raw')
            ? [effect('secrets', 'an output that may be a secret')]
            : [effect('task')],
      },
      providers: {
        any: true,
        sub: { schema: { any: true } },
        custom: ({ operands }) => [effect(operands.length === 0 ? 'task' : 'network')],
      },
      workspace: { any: true, sub: { show: { any: true } }, effect: 'network' },
      inspect: task({ single: true, options: '' }),
      fmt: {
        single: true,
        options: 'check diff recursive no-color list= write=',
        custom: ({ options, operands }, { scope }) => {
          const edits = !isGiven({ options }, 'check') && !options.some((one) => one.name === 'write' && one.value?.value === 'false');
          if (edits && operands.length === 0) return [effect('task')];
          return operands.flatMap((word) => usePath(word, edits ? 'edit' : 'content', scope));
        },
      },
      'plan init get refresh import test login console': { any: true, single: true, effect: 'network' },
      'apply destroy': { any: true, single: true, effect: 'wrecks' },
      'state taint untaint force-unlock': { any: true, single: true, effect: 'destroys' },
    },
    effect: 'network',
  },
  ...variants(
    { any: true, startsCommands: true, effect: 'network' },
    {
      'ansible ansible-vault salt puppet chef knife fab cap': {},
      'ansible-galaxy': {
        sub: {
          list: { lenient: true, options: '-p:v roles-path=', operands: 'name' },
          'collection role': { any: true, sub: { list: { lenient: true, options: '-p:v format=', operands: 'name' } }, effect: 'network' },
        },
      },
      // Lists and checks start the inventory and the plugins in the project.
      'ansible-playbook': { custom: classifyPlaybook },
    },
  ),
  'ansible-doc': { lenient: true, options: '-lFst:jv list list_files snippet type= json metadata-dump', operands: 'text' },
  'ansible-config': {
    any: true,
    sub: { 'list dump': { lenient: true, options: '-t:v type= only-changed format=' }, view: { lenient: true, options: '-v' } },
    effect: 'changes',
  },
};

const PLAYBOOK_LISTS: Parameters<typeof task>[0] = {
  options: '-i:l:t:v syntax-check list-tasks list-tags list-hosts inventory= limit= tags= skip-tags=',
};

function classifyPlaybook(given: Invocation, call: Call): readonly Effect[] {
  if (!hasOption(given, 'syntax-check list-tasks list-tags list-hosts')) return [effect('network')];
  return effectsOf(task(PLAYBOOK_LISTS), call);
}

/** Subcommands that read local data only: settings without credentials, and known names. */
const KEPT: Readonly<Record<string, RegExp>> = {
  aws: /^(help|(\S+ ){1,2}help|configure (list|list-profiles)|configure get (region|output|\w+\.region|\w+\.output))$/,
  gcloud:
    /^(help( \S+)*|topic \S+|info|version|auth list|config (list|configurations list|get(-value)? (project|account|(compute|core)\/\w+)))$/,
  az: /^(version|account (show|list)|cloud (show|list)|config get( defaults(\.\w+)?)?)$/,
};

/** Options that only select or format the output. */
const SHOWN = /^(-o|--output|--format|--profile|--query|--filter|--all|--region|--only-show-errors)$/;

function isKept({ options }: Invocation, { name, words }: Call): boolean {
  if (!options.every((one) => SHOWN.test(`${one.name.length > 1 ? '--' : '-'}${one.name}`))) return false;
  const values = words.flatMap(({ value, start }, at) => {
    const isOfOption = start.startsWith('-') || (SHOWN.test(words[at - 1]?.value ?? '') && words[at - 1]?.value !== '--all');
    return isOfOption ? [] : [value ?? '\0'];
  });
  return KEPT[name]?.test(values.join(' ')) === true;
}

const LOSES = joinedRegExp(
  '',
  '^(rm|rb|mv|delete|delete-.*|remove|remove-.*|terminate-.*|destroy|destroy:.*|drop|purge|purge-.*',
  '|deregister-.*|disable-.*|stop|stop-.*|reboot-.*|cancel-.*|revoke-.*|detach-.*|reset|reset-.*|apps:destroy',
  '|pg:reset)$',
);
const WHOLE = joinedRegExp(
  '',
  '^(rb|terminate-.*|delete-(bucket|db-.*|stack|cluster|account|table|user|role|vpc|file-system|repository',
  '|namespace|project|database)|destroy|apps:destroy|pg:reset|projects|groups?|sql|databases?)$',
);

/** Verbs that copy to a cloud. */
const SENDS = /^(cp|sync|mv|rsync|upload|upload-batch|put|put-object|mirror|copy|create|deploy)$/;
const REMOTE = /^[a-z][a-z0-9]*:\/\/|^https?:/;

/** Sending the whole project, or credentials, to a cloud. */
function classifySent(verbs: readonly string[], { words, scope, name }: Call): readonly Effect[] {
  if (!verbs.some((verb) => SENDS.test(verb))) return [];
  const operands = words.filter(({ start }) => !start.startsWith('-'));
  const at = operands.findIndex(({ value }) => SENDS.test(value ?? ''));
  const last = operands.at(-1);
  const isOut = last !== undefined && REMOTE.test(last.start);
  const sources = words.filter((word, index) => {
    const isSource = /^(-s|--source|-f|--file|--body|--source-directory)$/.test(words[index - 1]?.value ?? '');
    return isSource || (isOut && operands.indexOf(word) > at && word !== last && !REMOTE.test(word.start));
  });
  const secret = sources.find((word) => holdsSecrets((word.value ?? word.start).replace(/^file(b)?:\/\//, ''), scope, word.isGlob));
  if (secret !== undefined) return [effect('leaks', secret.text)];
  const whole = sources.find((word) => locate(word.value ?? word.start, scope.cwd, scope.context, word.isGlob).isWhole);
  return whole === undefined ? [] : [effect('leaks', `the whole of the project, by ${name}`)];
}

/** A mirroring copy deletes at its target, which may be local: the path after a cloud path, or the last one. */
function emptied({ words, scope }: Call): readonly Effect[] {
  const operands = words.filter(({ start }, at) => !start.startsWith('-') && !/^--(?:exclude|include)$/.test(words[at - 1]?.value ?? ''));
  const source = operands.findIndex(({ start }) => REMOTE.test(start));
  const targets = source < 0 ? operands.slice(-1) : operands.slice(source + 1);
  return targets.filter(({ start }) => !REMOTE.test(start)).flatMap((word) => usePath(word, 'delete', scope));
}

function classifyCloud(given: Invocation, call: Call): readonly Effect[] {
  if (isKept(given, call)) return [];
  const { options } = given;
  const { words, scope } = call;
  const verbs = words.flatMap(({ value }) => (value === null || value.startsWith('-') ? [] : [value]));
  const sent = classifySent(verbs, call);
  const isMirrored =
    verbs.some((verb) => /^(sync|rsync|mirror)$/.test(verb)) && options.some(({ name }) => /^(delete.*|d|remove)$/.test(name));
  if (isMirrored) return [effect('network'), effect('destroys', 'files that the source does not have'), ...emptied(call), ...sent];
  if (sent.length > 0) return [effect('network'), ...sent];
  const loses = verbs.find((verb) => LOSES.test(verb));
  const isAll = hasOption({ options }, 'recursive force all yes quiet r delete');
  if (loses !== undefined)
    return [effect('network'), effect(verbs.some((verb) => WHOLE.test(verb)) || isAll ? 'wrecks' : 'destroys', `${loses} in a cloud`)];
  if (words.some(({ value }) => value !== null && /secret|password|token|credential|access-key|print-access/.test(value)))
    return [effect('network'), effect('secrets', 'credentials of a cloud')];
  return [effect('network'), ...namesSecretFile(words, scope)];
}
