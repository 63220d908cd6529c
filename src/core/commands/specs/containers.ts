import { joinedRegExp } from '../../text/joined-regexp.ts';
import type { Argument } from '../argument.ts';
import { scriptOf } from '../custom/started-code.ts';
import { hasOption, type Invocation, isGiven, means } from '../parse.ts';
import { useTree } from '../path-use.ts';
import { locate } from '../place.ts';
import type { Call, CommandSpec, SpecTable } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

const READS: CommandSpec = { any: true, on: { bootstrap: 'changes' } };
const DESTROYS: CommandSpec = { any: true, effect: 'destroys' };
/** Fields of the inspect output without environment and arguments, nor above these. */
const PLAIN_FIELD = joinedRegExp(
  '',
  String.raw`^\.(Id|Names?|Created|CreatedAt|Image|Driver|Mounts|RestartCount|Platform|LogPath|SizeRw|SizeRootFs|Size|RepoTags`,
  String.raw`|RepoDigests|Architecture|Os|Mountpoint|Scope|(State|NetworkSettings|RootFS|IPAM)(\.\w+)*`,
  String.raw`|Config\.(Image|User|WorkingDir|ExposedPorts|Hostname|StopSignal)`,
  String.raw`|HostConfig\.(RestartPolicy(\.\w+)?|NetworkMode|Memory|NanoCpus))$`,
);

/** Whether a template contains only plain fields and text. */
function isPlainTemplate(template: string): boolean {
  const holes = template.match(/\{\{.*?\}\}/gs) ?? [];
  const fields = holes.flatMap((hole) => hole.slice(2, -2).match(/[.$][\w.]*/g) ?? []);
  const isSimple = holes.every((hole) => /^\{\{-?\s*(json\s+)?\.[\w.]+\s*-?\}\}$/.test(hole));
  return holes.length > 0 && isSimple && fields.every((field) => PLAIN_FIELD.test(field));
}

/** The settings of a container include its environment, and a format template may print any of them. */
const INSPECT: CommandSpec = {
  any: true,
  options: '-f:s format= type= size',
  custom: ({ options }) => {
    const formats = options.flatMap(({ name, value }) => (means(name, 'format') || name === 'f' ? [value?.value ?? ''] : []));
    const isPlain = formats.length > 0 && formats.every(isPlainTemplate);
    return isPlain ? [] : [effect('secrets', 'the environment of containers')];
  },
};

/** A command in a running container: files it destroys there are lost. */
const EXEC: CommandSpec = {
  any: true,
  options: '-e:u:w:n:c: env= env-file= user= workdir= detach-keys= index= container= namespace=',
  inner: { after: 1 },
  elsewhere: 'container',
  custom: classifyInside,
};

const RESOURCE: SpecTable = {
  exec: EXEC,
  'ls list df history top port logs stats diff ps info show': READS,
  inspect: INSPECT,
  'rm remove kill stop leave': DESTROYS,
  prune: { any: true, effect: 'wrecks' },
};

const COMPOSE: CommandSpec = {
  any: true,
  options: '-f:p:',
  sub: {
    'ps ls images logs top port version events stats': READS,
    // It prints the values of `.env`, unless an option limits it to names or to nothing.
    config: {
      any: true,
      on: { 'o output': 'replace', 'lock-image-digests resolve-image-digests': 'network' },
      custom: ({ options }) =>
        options.some(({ name }) => /^(q|quiet|services|volumes|images|profiles|networks|hash|no-interpolate)$/.test(name))
          ? []
          : [effect('secrets', 'the environment of services')],
    },
    exec: EXEC,
    'up start restart run create build pull push watch unpause pause cp scale attach': { any: true, effect: 'changes' },
    down: {
      any: true,
      custom: ({ options }) =>
        hasOption({ options }, 'v volumes rmi') ? [effect('wrecks', 'volumes and images')] : [effect('destroys', 'containers')],
    },
    'stop kill rm': DESTROYS,
  },
  effect: 'changes',
};

const CHART: CommandSpec = {
  any: true,
  options: `-f:n: values= set= set-string= set-file= set-json= namespace= output-dir= post-renderer= repo= version= kube-version=
    api-versions=`,
  on: { 'output-dir': 'changes', 'post-renderer post-renderer-args': 'starts', 'f values': 'content', 'set-file': 'beyond' },
};

/** Containers and their orchestration. */
export const CONTAINERS: SpecTable = {
  'docker podman nerdctl': {
    any: true,
    options: '-H:c:l: host= context= config= log-level=',
    on: { 'H host context c remote r url connection': 'network', 'config runtime hooks-dir conmon module network-cmd-path': 'runs' },
    sub: {
      inspect: INSPECT,
      'ps images logs stats top port version info diff events history': READS,
      'manifest trust': { any: true, effect: 'network' },
      'container image service plugin config stack': { any: true, sub: RESOURCE, effect: 'changes' },
      'volume network system context buildx builder node secret swarm pod machine': {
        any: true,
        sub: { ...RESOURCE, inspect: READS, version: READS },
        effect: 'changes',
      },
      'run create': { any: true, custom: classifyRun },
      exec: EXEC,
      'build start restart cp commit tag rename update attach load import save export unpause pause wait': { any: true, effect: 'changes' },
      'pull push login logout search': { any: true, effect: 'network' },
      'rm rmi stop kill': DESTROYS,
      compose: COMPOSE,
      help: READS,
    },
    effect: 'changes',
  },
  'docker-compose podman-compose': { ...COMPOSE },
  'kubectl k oc': {
    any: true,
    options: '-n:c:f:l:o: namespace= context= kubeconfig= cluster= user= server= token= selector= output= filename=',
    sub: {
      exec: {
        any: true,
        options: '-c:f:n: container= filename= pod-running-timeout= namespace= context= kubeconfig= cluster= user= server= token=',
        inner: { after: 1 },
        elsewhere: 'container',
        custom: classifyInPod,
      },
    },
    custom: classifyKubectl,
  },
  'helm helmfile': {
    any: true,
    sub: {
      version: { lenient: true, options: '-c short client template=' },
      'template show': { ...CHART, custom: (given, call) => classifyChart(given, call, given.operands.filter(isPath)) },
      lint: { ...CHART, custom: (given, call) => classifyChart(given, call, given.operands) },
      'dependency dep': {
        any: true,
        sub: { 'list ls': { ...CHART, custom: (given, call) => classifyChart(given, call, given.operands) } },
        effect: 'network',
      },
      repo: { any: true, sub: { 'list ls': { any: true } }, effect: 'network' },
      plugin: { any: true, sub: { 'list ls': { any: true } }, effect: 'network' },
      completion: { any: true },
      'list ls status get history env search': { any: true, effect: 'network' },
      'uninstall delete rollback': DESTROYS,
      'install upgrade pull push': { any: true, effect: 'network' },
    },
    effect: 'network',
  },
  'k9s minikube kind k3d k3s kubeadm kustomize skaffold argocd flux istioctl': {
    any: true,
    custom: ({ operands }) =>
      /^(delete|destroy|reset|uninstall|rm)/.test(operands[0]?.start ?? '') ? [effect('wrecks', 'a cluster')] : [effect('network')],
  },
  'vagrant virsh VBoxManage qemu-system-x86_64 lxc lxc-stop multipass': {
    any: true,
    sub: { exec: EXEC },
    startsCommands: true,
    on: { 'c connect': 'network' },
    custom: ({ operands }, { name }) =>
      /^(list|status|global-status|info|version|dominfo|domstate|nodeinfo|net-list|pool-list|vol-list|ls)$/.test(operands[0]?.value ?? '')
        ? name === 'vagrant'
          ? [effect('task')]
          : []
        : /^(destroy|delete|undefine|rm|stop|halt|purge)/.test(operands[0]?.start ?? '')
          ? [effect('destroys', 'a machine')]
          : [effect('changes', 'a machine')],
  },
};

/** A local chart is read; any other is fetched, and so are values from an address. */
function classifyChart({ options }: Invocation, { name, scope }: Call, charts: readonly Argument[]): readonly Effect[] {
  const asks = options.some((one) =>
    /^(validate|dependency-update|repo|devel|verify|kube-(?!version)\w+|is-upgrade|dry-run)/.test(one.name),
  );
  const isFetched = options.some(({ value }) => /:\/\//.test(value?.start ?? ''));
  if (asks || isFetched || charts.length === 0) return [effect('network', `${name} of a chart`)];
  return charts.flatMap((word) => useTree(word, scope));
}

function isPath({ start }: Argument): boolean {
  return /^\.{0,2}\/|^\.{1,2}$/.test(start);
}

/** The command changes nothing on this machine. */
function classifyInside(given: Invocation, call: Call): readonly Effect[] {
  classifyThere(given, call);
  const isGreater = isGiven(given, 'privileged');
  return [effect(isGreater ? 'privileged' : 'runs', 'a command in a container'), effect('network', 'a container')];
}

function classifyInPod(given: Invocation, call: Call): readonly Effect[] {
  classifyThere(given, call);
  return [effect('network', 'changes a cluster')];
}

function classifyThere({ operands }: Invocation, call: Call): void {
  const script = scriptOf(operands.slice(1));
  if (script !== null) call.classifyScript(script, { trace: null, cwd: '/' });
}

const LOSES = joinedRegExp(
  '',
  String.raw`(^|[\s;&|'"/])(rm|rmdir|shred|dd|mkfs(?:(?![;&|'"/]mkfs)\S)*|wipefs|truncate|unlink)\s`,
  String.raw`|\bfind\s(?:(?!\bfind\s).)*-delete|\bchmod\s+-R|\bchown\s+-R|>\s*\/\S|\b(mv|cp)\s|\btee\s`,
);

/** Parts of the host that a container gets: folders by path, and volumes by name. */
function mountsOf(words: readonly Argument[]): readonly string[] {
  return words.flatMap((word, at) => {
    const value =
      /^(?:-v|--volume=|--mount=)(.+)$/.exec(word.start)?.[1] ??
      (/^(-v|--volume|--mount)$/.test(words[at - 1]?.start ?? '') ? word.start : '');
    return /(?:^|,)(?:source|src)=([^,]+)/.exec(value)?.[1] ?? /^([^:,]+):/.exec(value)?.[1] ?? [];
  });
}

function isInside(host: string, { cwd, context }: Call['scope']): boolean {
  const place = locate(host, cwd, context);
  return place.path === null || ((place.zone === 'project' || place.zone === 'temporary') && !place.isGuarded);
}

/** Effects of a container on the parts of the host that it gets. */
function classifyMounts({ words, scope }: Call): readonly Effect[] {
  const mounts = mountsOf(words);
  if (LOSES.test(words.map(({ start }) => start).join(' ')))
    return mounts.map((host) => effect(!/^[/~.]/.test(host) || isInside(host, scope) ? 'destroys' : 'wrecks', `what is in ${host}`));
  const outside = mounts.find((host) => /^[/~.]/.test(host) && !isInside(host, scope));
  return outside === undefined ? [] : [effect('privileged', `a container with ${outside} of the host`)];
}

/** A container with the host's privileges or files can do everything on the host. */
function classifyRun(_: Invocation, call: Call): readonly Effect[] {
  const { words, name } = call;
  const text = words.map(({ start }) => start).join(' ');
  const given = classifyMounts(call);
  if (given.length > 0) return [...given, effect('network', 'a container')];
  if (/--privileged|--pid[= ]host|--net(work)?[= ]host|--userns[= ]host|--cap-add|--security-opt|--device|docker\.sock/.test(text))
    return [effect('privileged', 'a container with rights of the host')];
  return [effect('runs', `${name} in a container`), effect('network', 'a container')];
}

const ASKING = /^(get|describe|logs|top|explain|api-resources|api-versions|version|cluster-info|config|auth|diff|events|wait)$/;

function classifyKubectl({ operands, options }: Invocation): readonly Effect[] {
  const [verb, kind, name] = operands;
  if (verb === undefined) return [];
  if (verb.value === null) return [effect('unclear', 'the verb of kubectl')];
  if (verb.value === 'version' && hasOption({ options }, 'client')) return [];
  if (verb.value === 'plugin' && kind?.value === 'list') return [];
  if (verb.value === 'config' && /^(current-context|get-contexts|get-clusters|get-users)$/.test(kind?.value ?? '')) return [];
  if (verb.value === 'config') return [classifyKubeconfig(kind?.start ?? '')];
  if (verb.value === 'completion' || verb.value === 'options' || verb.value === 'help') return [];
  const all = hasOption({ options }, 'all all-namespaces A') || /^(ns|namespace|namespaces|node|nodes|pv|crd)/.test(kind?.start ?? '');
  if (verb.value === 'delete')
    return [effect(all && name !== undefined ? 'wrecks' : all ? 'wrecks' : 'destroys', 'workloads of a cluster'), effect('network')];
  if (/^(drain|cordon|scale|rollout|replace|patch|taint)$/.test(verb.value) || hasOption({ options }, 'prune'))
    return [effect('destroys', 'workloads of a cluster'), effect('network')];
  if (verb.value === 'get' && /^secrets?(\/|$)/.test(kind?.start ?? ''))
    return [effect('network'), effect('secrets', 'secrets of a cluster')];
  return [effect('network', ASKING.test(verb.value) ? 'asks a cluster' : 'changes a cluster')];
}

/** Client settings are files, and some of them are credentials. */
function classifyKubeconfig(verb: string): Effect {
  if (/^(delete|unset)/.test(verb)) return effect('destroys', 'settings of the client of a cluster');
  return effect(verb === 'view' ? 'secrets' : 'changes', 'settings of the client of a cluster');
}
