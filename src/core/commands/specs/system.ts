import { joinedRegExp } from '../../text/joined-regexp.ts';
import type { Invocation } from '../parse.ts';
import { hasOption } from '../parse.ts';
import { usePath } from '../path-use.ts';
import type { Call, SpecTable } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

/** Read-only verbs of systemd-analyze. */
const SHOWN = joinedRegExp(
  '',
  '^(time|blame|critical-chain|plot|dot|dump|unit-paths|unit-files|cat-config|calendar|timestamp|timespan|verify',
  '|security|exit-status|capability|syscall-filter|filesystems)?$',
);

/** Programs that manage the machine, users, services and processes. */
export const SYSTEM: SpecTable = {
  'shutdown reboot halt poweroff init telinit kexec': { any: true, effect: 'wrecks' },
  'pkill killall killall5 xkill fuser skill snice': { any: true, custom: classifyKillByName },
  renice: { any: true, effect: 'changes' },
  systemctl: {
    any: true,
    options: `-t:p:n:H:M:o:P:s: type= state= property= lines= host= machine= output= job-mode= kill-whom= kill-who= signal= what=
      preset-mode= root= image= timestamp= legend= when= check-inhibitors= reboot-argument= message= drop-in=`,
    custom: classifySystemctl,
  },
  resolvectl: {
    sub: {
      'status statistics': { any: true, operands: 'name' },
      // A second word sets a value.
      'dns domain llmnr mdns dnsovertls dnssec nta default-route': {
        custom: ({ operands }) => (operands.length <= 1 ? [] : [effect('privileged', 'how names are looked up')]),
      },
    },
    effect: 'privileged',
  },
  networkctl: {
    any: true,
    sub: { 'list status lldp': { any: true, operands: 'name' } },
    custom: ({ operands }) => (operands.length === 0 ? [] : [effect('privileged', 'the network of the machine')]),
  },
  coredumpctl: { sub: { list: { any: true, operands: 'name' } }, effect: 'runs' },
  bridge: {
    lenient: true,
    options: '-sdjpoc',
    custom: ({ operands: [object, verb] }) =>
      /^(link|fdb|vlan|mdb)$/.test(object?.value ?? '') && /^(show|list|ls)?$/.test(verb === undefined ? '' : (verb.value ?? '\0'))
        ? []
        : [effect('privileged', 'the network of the machine')],
  },
  'service rc-service initctl supervisorctl monit sv launchctl pm2': { any: true, custom: classifyService },
  [`mount umount fsck resize2fs xfs_growfs lvcreate lvextend vgcreate pvcreate depmod
    groupdel groupmod chpasswd chage chsh chfn visudo vipw gpasswd newgrp nft firewall-cmd setenforce restorecon
    semanage auditctl grub-install update-grub grub-mkconfig update-initramfs mkinitcpio dracut ntpdate
    hwclock setcap tc iw rfkill tcpkill auditd ldconfig ip6 systemd-tmpfiles powertop tuned-adm swapon
    swapoff insmod rmmod sysctl iptables ip6tables ufw useradd userdel usermod adduser deluser groupadd
    passwd timedatectl hostnamectl localectl loginctl ethtool`]: { any: true, custom: classifyAdministration },
  ip: {
    any: true,
    single: true,
    options: `family= f= br brief s stats statistics d details 4 6 c color o oneline j json p pretty t timestamp r resolve h human
      human-readable iec a all N Numeric`,
    on: { 'b batch force n netns': 'privileged', 'r resolve': 'network' },
    custom: classifyIp,
  },
  crontab: {
    any: true,
    custom: ({ options, operands }) =>
      hasOption({ options }, 'r')
        ? [effect('wrecks', 'every timer')]
        : hasOption({ options }, 'l') && operands.length === 0
          ? []
          : [effect('plants', 'a timer')],
  },
  'at batch': {
    any: true,
    custom: ({ options }) => (options.length === 1 && options[0]?.name === 'l' ? [] : [effect('plants', 'a timer')]),
  },
  atq: { any: true },
  atrm: { any: true, effect: 'destroys' },
  'xdg-open open gnome-open start explorer.exe sensible-browser firefox chromium google-chrome wslview': { any: true, effect: 'runs' },
  'xdg-mime xdg-settings gsettings dconf defaults': {
    any: true,
    custom: ({ operands }) =>
      /^(query|get|check|list(-\w+)*|range|describe|writable|read|dump|domains|find)$/.test(operands[0]?.value ?? '')
        ? []
        : [effect(/^reset/.test(operands[0]?.start ?? '') ? 'destroys' : 'changes', 'settings of the desktop')],
  },
  'systemd-analyze': {
    any: true,
    custom: ({ options, operands }, { scope }) =>
      hasOption({ options }, 'H host M machine') || !SHOWN.test(operands[0]?.value ?? '')
        ? [effect('changes', 'settings of services')]
        : [
            ...(isPlain({ options }) ? [] : [effect('runs', 'an option of systemd-analyze')]),
            ...operands.slice(1).flatMap((word) => usePath(word, 'content', scope)),
          ],
  },
  'xclip xsel': { any: true, effect: 'changes' },
  'pbcopy wl-copy': { any: true, effect: 'changes' },
  'pbpaste wl-paste': { any: true, effect: 'secrets' },
  'notify-send zenity mesg dialog whiptail write wall talk': { any: true, effect: 'changes' },
  sudoedit: { any: true, effect: 'privileged' },
  history: {
    any: true,
    custom: ({ operands, options }) =>
      options.length > 0
        ? [effect('destroys', 'the history of the shell')]
        : operands.length <= 1
          ? [effect('secrets', 'the history of the shell')]
          : [effect('changes')],
  },
  direnv: {
    any: true,
    startsCommands: true,
    custom: ({ operands }) =>
      /^(allow|permit|grant|edit|exec)$/.test(operands[0]?.start ?? '')
        ? [effect('plants', 'code for every visit')]
        : /^(status|version)$/.test(operands[0]?.value ?? '')
          ? []
          : [effect('changes')],
  },
  aish: { any: true, interprets: true, custom: classifyAish },
  stty: {
    any: true,
    custom: ({ operands, options }) =>
      operands.every(({ value }) => value === 'size' || value === 'speed') && options.every(({ name }) => name === 'a' || name === 'g')
        ? []
        : [effect('changes', 'the modes of the terminal')],
  },
};

/** aish commands that only print its records, and those that print no more than a manual. */
const TELLS =
  /^(?:sessions(?: (?:list|search|show|why))?|checkpoints(?: (?:list|usage))?|diff|mcp(?: list)?|models|config(?: (?:show|path|check))?)$/;
const EXPLAINS = /^(?:completion|help)$/;

/** aish itself: printing its records needs an approval, and every other action in the user's name is denied. */
function classifyAish({ operands, options }: Invocation): readonly Effect[] {
  const [group, verb] = operands.map(({ value }) => value);
  const isPlain = options.every(({ name }) => /^(?:json|n|limit|all|a)$/.test(name));
  if (isPlain && EXPLAINS.test(group ?? '')) return [];
  const named = [group, ...(verb === undefined || /^(?:models|diff)$/.test(group ?? '') ? [] : [verb])];
  if (isPlain && !named.includes(null) && TELLS.test(named.join(' '))) return [effect('secrets', 'what aish keeps may hold some')];
  return [effect('self', 'takes its place')];
}

function classifyKillByName({ operands, options }: Invocation, { name, words }: Call): readonly Effect[] {
  if (name === 'fuser' && !hasOption({ options }, 'k kill')) return [];
  const isAll =
    words.some(({ value }) => value === '-1' || value === '.*' || value === '.' || value === '') ||
    (hasOption({ options }, 'u user') && operands.length <= 1);
  return [effect(isAll ? 'wrecks' : 'destroys', 'ends processes')];
}

const ASKING = joinedRegExp(
  '',
  '^(status|list-units|list-unit-files|list-timers|list-sockets|list-jobs|list-paths|list-automounts',
  '|list-machines|list-dependencies|show|cat|is-active|is-enabled|is-failed|is-system-running|get-default|help',
  '|--version)$',
);

/** Query options that select or format the output. */
const PLAIN_OPTION = joinedRegExp(
  '',
  String.raw`^(?:[alnoptPqrRvu\d]|all|type|state|property|lines|output|value|full|no-pager|no-legend|legend|plain|quiet`,
  '|show-types|recursive|reverse|after|before|failed|system|user|with-dependencies|no-ask-password|json',
  '|timestamp|fuzz|order|require|threshold|iterations|base-time|unit|tldr|no-hostname|active|show|bytes',
  '|noheadings|raw|json-pretty|fields|mode|get-values|show-types|pretty|color|colors|terse|list|s)$',
);

function isPlain({ options }: Pick<Invocation, 'options'>): boolean {
  return options.every(({ name }) => PLAIN_OPTION.test(name));
}

function classifySystemctl({ operands, options }: Invocation): readonly Effect[] {
  const [verb] = operands;
  if (!isPlain({ options }) && !options.some(({ name }) => /^(H|host|M|machine|now|force|f|runtime|signal|s|kill-wh.*)$/.test(name)))
    return [effect('privileged', 'services of the system')];
  if (hasOption({ options }, 'H host M machine')) return [effect('network', 'the services of another machine')];
  if (verb === undefined || (verb.value !== null && ASKING.test(verb.value))) return [];
  if (verb.value === null) return [effect('unclear', 'the verb of systemctl')];
  if (verb.value === 'show-environment') return [effect('secrets', 'the environment of services')];
  if (/^(poweroff|reboot|halt|suspend|hibernate|kexec|rescue|emergency|isolate|default|exit|soft-reboot)$/.test(verb.value))
    return [effect('wrecks', 'the machine')];
  if (/^(stop|kill|disable|mask|try-restart|condstop|clean|revert|reset-failed)$/.test(verb.value))
    return [effect('destroys', 'a service'), effect('privileged')];
  if (/^(edit|link|set-environment|import-environment|set-default|preset)$/.test(verb.value))
    return [effect('plants', 'settings of services')];
  if (/^(enable|start|reenable)$/.test(verb.value) && operands.slice(1).some(({ start }) => start.includes('/')))
    return [effect('plants', 'a service of its own')];
  return [effect('privileged', 'services of the system')];
}

function classifyService({ operands, options }: Invocation, { name }: Call): readonly Effect[] {
  const verb = operands[name === 'service' || name === 'rc-service' ? 1 : 0];
  // It starts a service of its own before it answers.
  if (
    name === 'pm2' &&
    operands.length > 0 &&
    isPlain({ options }) &&
    /^(status|list|ls|jlist|describe|logs|show)$/.test(verb?.value ?? '')
  )
    return [effect('runs', 'the service of pm2')];
  if (isPlain({ options }) && /^(status|list|ls|jlist|describe|logs|show|summary|print)$/.test(verb?.value ?? '')) return [];
  if (operands.length === 0 && hasOption({ options }, 'status-all')) return [];
  if (operands.some(({ value }) => value !== null && /^(stop|kill|delete|remove|unload|bootout|flush|down)$/.test(value)))
    return [effect('destroys', 'a service'), effect('privileged')];
  return [effect('privileged', 'services')];
}

/** Some of these only display if they are given nothing to do. */
function classifyAdministration({ operands, options }: Invocation, { name, words }: Call): readonly Effect[] {
  const shows: Readonly<Record<string, boolean>> = {
    mount: words.length === 0 || (operands.length === 0 && options.every((option) => option.name === 'l' || option.name === 't')),
    sysctl:
      operands.length > 0
        ? operands.every(({ value }) => value !== null && !value.includes('=')) && !hasOption({ options }, 'w p write load system')
        : hasOption({ options }, 'a all'),
    timedatectl:
      words.length === 0 || ['status', 'show', 'list-timezones', 'timesync-status', 'show-timesync'].includes(operands[0]?.value ?? ''),
    hostnamectl:
      words.length === 0 ||
      operands[0]?.value === 'status' ||
      words.every(({ value }) => /^--(static|transient|pretty)$/.test(value ?? '')),
    localectl: words.length === 0 || /^(status|list-.*)$/.test(operands[0]?.value ?? ''),
    loginctl: words.length === 0 || /^(list-|show-|session-status|user-status)/.test(operands[0]?.start ?? ''),
    swapon:
      operands.length === 0 && options.length > 0 && options.every(({ name: one }) => /^(s|show|summary|bytes|noheadings|raw)$/.test(one)),
    ldconfig:
      words.every(({ value }) => /^(-[pvN]+|--print-cache)$/.test(value ?? '')) &&
      words.some(({ value }) => /^(-p|--print-cache)$/.test(value ?? '')),
    chage: words[0]?.value === '-l' && words.length === 2,
    rfkill: words.length === 1 && words[0]?.value === 'list',
    iw:
      (operands.length <= 2 && /^(dev|list|phy)$/.test(operands.at(-1)?.value ?? '')) ||
      (operands.length === 3 && operands[0]?.value === 'dev' && /^(link|info)$/.test(operands[2]?.value ?? '')),
    ethtool: operands.length === 1 && options.every((option) => /^[ikSacglTxPm]$/.test(option.name)),
    tc:
      options.every((option) => /^[sdprj]$/.test(option.name)) &&
      /^(qdisc|class|filter)$/.test(operands[0]?.value ?? '') &&
      [undefined, 'show', 'list', 'ls'].includes(operands[1]?.value ?? undefined),
  };
  if (shows[name] === true && (/^(mount|sysctl|swapon|ldconfig|chage|rfkill|iw|ethtool|tc)$/.test(name) || isPlain({ options }))) return [];
  if (/^(terminate|kill)-/.test(operands[0]?.start ?? '')) return [effect('wrecks', 'the session')];
  if (/^(userdel|groupdel|deluser)$/.test(name)) return [effect('destroys', 'part of the system'), effect('privileged')];
  if (
    (name === 'iptables' || name === 'ip6tables' || name === 'nft' || name === 'ufw') &&
    words.some(({ value }) => value !== null && /^(-F|--flush|flush|disable|reset|-X|-P|DROP)$/.test(value))
  )
    return [effect('wrecks', 'the network of the machine')];
  return [effect('privileged', name)];
}

/** Objects of ip, with their common abbreviations. */
const IP_OBJECTS: ReadonlySet<string> = new Set(
  `a ad addr address r ro route l li link n ne neigh neighbor neighbour ru rule m maddr netns tunnel tuntap
  mroute monitor ntable nexthop vrf token`.split(/\s+/),
);

/** `ip` accepts abbreviations: `ip r d` deletes a route. Read-only calls are known by their verb. */
function classifyIp({ operands }: Invocation): readonly Effect[] {
  const [object, verb, more] = operands;
  if (object === undefined || object.value === 'help') return [];
  const shows = /^(sh|sho|show|l|li|lis|list|ls|lst|g|ge|get|help|identify|list-id)$/;
  const isShown = verb === undefined || shows.test(verb.value ?? '') || (verb.value === 's' && /^[arn]/.test(object.start));
  return IP_OBJECTS.has(object.value ?? '') && (isShown || object.value === 'monitor') && more?.value !== 'exec'
    ? []
    : [classifyNetwork(operands)];
}

/** Taking the network down is more than a change of settings. */
function classifyNetwork(operands: Invocation['operands']): Effect {
  const values = operands.map(({ value }) => value ?? '');
  const isLost = values.includes('down') || values.includes('flush') || (values.includes('default') && /^d/.test(values[1] ?? ''));
  return effect(isLost ? 'wrecks' : 'privileged', 'the network of the machine');
}
