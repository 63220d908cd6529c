import type { Argument } from '../argument.ts';
import { find } from '../findings.ts';
import type { GivenWords } from '../options.ts';
import { locate } from '../place.ts';
import type { Call, ProgramRule, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';
import { scriptOf } from './started-words.ts';

const READS: ProgramRule = { any: true, on: { bootstrap: 'changes' } };
const DESTROYS: ProgramRule = { any: true, effect: 'destroys' };

const RESOURCE: RuleTable = {
  'ls list inspect df history top port logs stats diff ps info show': READS,
  'rm remove kill stop leave': DESTROYS,
  prune: { any: true, effect: 'wrecks' },
};

const EXEC_SHORT = 'e:u:w:n:c:ditT';
const EXEC_LONG =
  'env= env-file= user= workdir= detach-keys= index= container= namespace= interactive tty detach privileged';

const COMPOSE: ProgramRule = {
  any: true,
  short: 'f:p:',
  sub: {
    'ps ls images logs top port version events stats': READS,
    config: { any: true, on: { 'o output': 'replace', 'lock-image-digests resolve-image-digests': 'network' } },
    exec: { any: true, stops: true, short: EXEC_SHORT, long: EXEC_LONG, judge: judgeInside },
    'up start restart run create build pull push watch unpause pause cp scale attach': {
      any: true,
      effect: 'changes',
    },
    down: {
      any: true,
      judge: ({ options }) =>
        options.some(({ name }) => ['v', 'volumes', 'rmi'].includes(name))
          ? [find('wrecks', 'volumes and images')]
          : [find('destroys', 'containers')],
    },
    'stop kill rm': DESTROYS,
  },
  effect: 'changes',
};

/** Containers, and what keeps many of them. */
export const CONTAINERS: RuleTable = {
  'docker podman nerdctl': {
    any: true,
    short: 'H:c:l:',
    long: 'host= context= config= log-level=',
    on: {
      'H host context c remote r url connection': 'network',
      'config runtime hooks-dir conmon module network-cmd-path': 'runs',
    },
    sub: {
      'ps images inspect logs stats top port version info diff events history': READS,
      'manifest trust': { any: true, effect: 'network' },
      'container image volume network system context buildx builder node service stack secret swarm plugin': {
        any: true,
        sub: RESOURCE,
        effect: 'changes',
      },
      'run create': { any: true, judge: judgeRun },
      exec: { any: true, stops: true, short: EXEC_SHORT, long: EXEC_LONG, judge: judgeInside },
      'build start restart cp commit tag rename update attach load import save export unpause pause wait': {
        any: true,
        effect: 'changes',
      },
      'pull push login logout search': { any: true, effect: 'network' },
      'rm rmi stop kill': DESTROYS,
      compose: COMPOSE,
      help: READS,
    },
    effect: 'changes',
  },
  'docker-compose podman-compose': COMPOSE,
  'kubectl k oc': {
    any: true,
    short: 'n:c:f:l:o:',
    long: 'namespace= context= kubeconfig= cluster= user= server= token= selector= output= filename=',
    judge: judgeKubectl,
  },
  'helm helmfile': {
    any: true,
    sub: {
      'list ls status get history show template lint version env search dependency': { any: true, effect: 'network' },
      'uninstall delete rollback': DESTROYS,
      'install upgrade repo pull push': { any: true, effect: 'network' },
    },
    effect: 'network',
  },
  'k9s minikube kind k3d k3s kubeadm kustomize skaffold argocd flux istioctl': {
    any: true,
    judge: ({ operands }) =>
      /^(delete|destroy|reset|uninstall|rm)/.test(operands[0]?.start ?? '')
        ? [find('wrecks', 'a cluster')]
        : [find('network')],
  },
  'vagrant virsh VBoxManage qemu-system-x86_64 lxc lxc-stop multipass': {
    any: true,
    on: { 'c connect': 'network' },
    judge: ({ operands }) =>
      /^(list|status|global-status|info|version|dominfo|domstate|nodeinfo|net-list|pool-list|vol-list|ls)$/.test(
        operands[0]?.value ?? '',
      )
        ? []
        : /^(destroy|delete|undefine|rm|stop|halt|purge)/.test(operands[0]?.start ?? '')
          ? [find('destroys', 'a machine')]
          : [find('changes', 'a machine')],
  },
};

/** A command in a container that goes on: what it destroys there is gone. It touches nothing here. */
function judgeInside({ operands, options }: GivenWords, call: Call): readonly Finding[] {
  const script = scriptOf(operands.slice(1));
  if (script !== null) call.judgeScript(script, { watcher: undefined, cwd: '/' });
  const isGreater = options.some(({ name }) => name === 'privileged');
  return [find(isGreater ? 'privileged' : 'runs', 'a command in a container'), find('network', 'a container')];
}

const LOSES =
  /(^|[\s;&|'"/])(rm|rmdir|shred|dd|mkfs\S*|wipefs|truncate|unlink)\s|\bfind\s.*-delete|\bchmod\s+-R|\bchown\s+-R|>\s*\/\S|\b(mv|cp)\s|\btee\s/;

/** What of the host a container is given: folders by their paths, and volumes by their names. */
function mountsOf(words: readonly Argument[]): readonly string[] {
  return words.flatMap((word, at) => {
    const value =
      /^(?:-v|--volume=|--mount=)(.+)$/.exec(word.start)?.[1] ??
      (/^(-v|--volume|--mount)$/.test(words[at - 1]?.start ?? '') ? word.start : '');
    return /(?:^|,)(?:source|src)=([^,]+)/.exec(value)?.[1] ?? /^([^:,]+):/.exec(value)?.[1] ?? [];
  });
}

function isInside(host: string, { cwd, ground }: Call['scope']): boolean {
  const place = locate(host, cwd, ground);
  return place.path === null || ((place.zone === 'project' || place.zone === 'temporary') && !place.isGuarded);
}

/** What a container does to what it is given of the host. */
function judgeMounts({ words, scope }: Call): readonly Finding[] {
  const mounts = mountsOf(words);
  if (LOSES.test(words.map(({ start }) => start).join(' ')))
    return mounts.map((host) =>
      find(!/^[/~.]/.test(host) || isInside(host, scope) ? 'destroys' : 'wrecks', `what is in ${host}`),
    );
  const outside = mounts.find((host) => /^[/~.]/.test(host) && !isInside(host, scope));
  return outside === undefined ? [] : [find('privileged', `a container with ${outside} of the host`)];
}

/** A container with the rights or the files of the host is the host. */
function judgeRun(_: GivenWords, call: Call): readonly Finding[] {
  const { words, name } = call;
  const text = words.map(({ start }) => start).join(' ');
  const given = judgeMounts(call);
  if (given.length > 0) return [...given, find('network', 'a container')];
  if (
    /--privileged|--pid[= ]host|--net(work)?[= ]host|--userns[= ]host|--cap-add|--security-opt|--device|docker\.sock/.test(
      text,
    )
  )
    return [find('privileged', 'a container with rights of the host')];
  return [find('runs', `${name} in a container`), find('network', 'a container')];
}

const ASKING =
  /^(get|describe|logs|top|explain|api-resources|api-versions|version|cluster-info|config|auth|diff|events|wait)$/;

function judgeKubectl({ operands, options }: GivenWords, call: Call): readonly Finding[] {
  const [verb, kind, name] = operands;
  if (verb === undefined) return [];
  if (verb.value === null) return [find('unclear', 'the verb of kubectl')];
  if (verb.value === 'version' && options.some((option) => option.name === 'client')) return [];
  if (verb.value === 'config' && /^(current-context|get-contexts|get-clusters|get-users)$/.test(kind?.value ?? ''))
    return [];
  if (verb.value === 'config') return [judgeKubeconfig(kind?.start ?? '')];
  if (verb.value === 'completion' || verb.value === 'options' || verb.value === 'help') return [];
  const all =
    options.some((option) => option.name === 'all' || option.name === 'all-namespaces' || option.name === 'A') ||
    /^(ns|namespace|namespaces|node|nodes|pv|crd)/.test(kind?.start ?? '');
  const mark = call.words.findIndex(({ value }) => value === '--');
  const script = verb.value === 'exec' && mark >= 0 ? scriptOf(call.words.slice(mark + 1)) : null;
  if (script !== null) call.judgeScript(script, { watcher: undefined, cwd: '/' });
  if (verb.value === 'delete')
    return [
      find(all && name !== undefined ? 'wrecks' : all ? 'wrecks' : 'destroys', 'what runs in a cluster'),
      find('network'),
    ];
  if (/^(drain|cordon|scale|rollout|replace|patch|taint)$/.test(verb.value))
    return [find('destroys', 'what runs in a cluster'), find('network')];
  if (verb.value === 'get' && /^secrets?(\/|$)/.test(kind?.start ?? ''))
    return [find('network'), find('secrets', 'secrets of a cluster')];
  return [find('network', ASKING.test(verb.value) ? 'asks a cluster' : 'changes a cluster')];
}

/** The settings of a client are files; some of them are credentials. */
function judgeKubeconfig(verb: string): Finding {
  if (/^(delete|unset)/.test(verb)) return find('destroys', 'settings of the client of a cluster');
  return find(verb === 'view' ? 'secrets' : 'changes', 'settings of the client of a cluster');
}
