import { find } from '../findings.ts';
import { type GivenWords, isGiven } from '../options.ts';
import { holdsSecrets, namesSecretFile, usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import type { Call, RuleTable } from '../program.ts';
import { isSecretName } from '../scope.ts';
import type { Finding } from '../verdict.ts';

/** Command lines of clouds and of what provisions them: all of them speak to other machines. */
export const CLOUD: RuleTable = {
  'aws gcloud gsutil az doctl heroku fly flyctl vercel netlify firebase wrangler supabase railway linode-cli hcloud ibmcloud oci s3cmd mc b2 eb sam cdk serverless sls amplify pulumi eksctl databricks snowsql bq':
    { any: true, judge: judgeCloud },
  'terraform tofu terragrunt packer nomad consul': {
    any: true,
    single: true,
    long: 'chdir=',
    on: { chdir: 'edit' },
    sub: {
      'version validate graph show help': { any: true },
      output: {
        any: true,
        single: true,
        // In JSON and raw it prints what it otherwise covers.
        judge: ({ operands, options }) =>
          operands.some(({ start }) => isSecretName(start)) || isGiven({ options }, 'json', 'raw')
            ? [find('secrets', 'an output that may be a secret')]
            : [],
      },
      providers: { any: true, sub: { schema: { any: true } }, effect: 'network' },
      fmt: { any: true, single: true, operands: 'edit' },
      'plan init get refresh import test login console workspace': { any: true, single: true, effect: 'network' },
      'apply destroy': { any: true, single: true, effect: 'wrecks' },
      'state taint untaint force-unlock': { any: true, single: true, effect: 'destroys' },
    },
    effect: 'network',
  },
  'ansible ansible-playbook ansible-galaxy ansible-vault salt puppet chef knife fab cap': {
    any: true,
    effect: 'network',
  },
};

const LOSES =
  /^(rm|rb|mv|delete|delete-.*|remove|remove-.*|terminate-.*|destroy|destroy:.*|drop|purge|purge-.*|deregister-.*|disable-.*|stop|stop-.*|reboot-.*|cancel-.*|revoke-.*|detach-.*|reset|reset-.*|apps:destroy|pg:reset)$/;
const WHOLE =
  /^(rb|terminate-.*|delete-(bucket|db-.*|stack|cluster|account|table|user|role|vpc|file-system|repository|namespace|project|database)|destroy|apps:destroy|pg:reset|projects|groups?|sql|databases?)$/;

/** What copies to a cloud, by its verb. */
const SENDS = /^(cp|sync|mv|rsync|upload|upload-batch|put|put-object|mirror|copy|create|deploy)$/;
const REMOTE = /^[a-z][a-z0-9]*:\/\/|^https?:/;

/** The whole of the project, or credentials, that are put into a cloud. */
function judgeSent(verbs: readonly string[], { words, scope, name }: Call): readonly Finding[] {
  if (!verbs.some((verb) => SENDS.test(verb))) return [];
  const operands = words.filter(({ start }) => !start.startsWith('-'));
  const at = operands.findIndex(({ value }) => SENDS.test(value ?? ''));
  const last = operands.at(-1);
  const isOut = last !== undefined && REMOTE.test(last.start);
  const sources = words.filter((word, index) => {
    const isSource = /^(-s|--source|-f|--file|--body|--source-directory)$/.test(words[index - 1]?.value ?? '');
    return isSource || (isOut && operands.indexOf(word) > at && word !== last && !REMOTE.test(word.start));
  });
  const secret = sources.find((word) =>
    holdsSecrets((word.value ?? word.start).replace(/^file(b)?:\/\//, ''), scope, word.isGlob),
  );
  if (secret !== undefined) return [find('leaks', secret.text)];
  const whole = sources.find((word) => locate(word.value ?? word.start, scope.cwd, scope.ground, word.isGlob).isWhole);
  return whole === undefined ? [] : [find('leaks', `the whole of the project, by ${name}`)];
}

/** A mirrored copy deletes where it lands, which may be here: what is named behind a place in the cloud, or last. */
function emptied({ words, scope }: Call): readonly Finding[] {
  const operands = words.filter(
    ({ start }, at) => !start.startsWith('-') && !/^--(?:exclude|include)$/.test(words[at - 1]?.value ?? ''),
  );
  const source = operands.findIndex(({ start }) => REMOTE.test(start));
  const targets = source < 0 ? operands.slice(-1) : operands.slice(source + 1);
  return targets.filter(({ start }) => !REMOTE.test(start)).flatMap((word) => usePath(word, 'delete', scope));
}

function judgeCloud({ options }: GivenWords, call: Call): readonly Finding[] {
  const { words, scope } = call;
  const verbs = words.flatMap(({ value }) => (value === null || value.startsWith('-') ? [] : [value]));
  const sent = judgeSent(verbs, call);
  const isMirrored =
    verbs.some((verb) => /^(sync|rsync|mirror)$/.test(verb)) &&
    options.some(({ name }) => /^(delete.*|d|remove)$/.test(name));
  if (isMirrored) return [find('network'), find('destroys', 'what is not at the source'), ...emptied(call), ...sent];
  if (sent.length > 0) return [find('network'), ...sent];
  const loses = verbs.find((verb) => LOSES.test(verb));
  const isAll = options.some(({ name }) => ['recursive', 'force', 'all', 'yes', 'quiet', 'r', 'delete'].includes(name));
  if (loses !== undefined)
    return [
      find('network'),
      find(verbs.some((verb) => WHOLE.test(verb)) || isAll ? 'wrecks' : 'destroys', `${loses} in a cloud`),
    ];
  if (
    words.some(({ value }) => value !== null && /secret|password|token|credential|access-key|print-access/.test(value))
  )
    return [find('network'), find('secrets', 'credentials of a cloud')];
  return [find('network'), ...namesSecretFile(words, scope)];
}
