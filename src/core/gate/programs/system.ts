import { find } from '../findings.ts';
import { type GivenWords, means } from '../options.ts';
import type { Call, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';

/** Programs that govern machine, users, services and processes. */
export const SYSTEM: RuleTable = {
  'shutdown reboot halt poweroff init telinit kexec': { any: true, effect: 'wrecks' },
  'pkill killall killall5 xkill fuser skill snice': { any: true, judge: judgeKillByName },
  renice: { any: true, effect: 'changes' },
  systemctl: {
    any: true,
    short: 't:p:n:H:M:o:P:s:',
    long: 'type= state= property= lines= host= machine= output= job-mode= kill-whom= kill-who= signal= what= preset-mode= root= image= timestamp= legend= when= check-inhibitors= reboot-argument= message= drop-in=',
    judge: judgeSystemctl,
  },
  'service rc-service sv initctl launchctl supervisorctl pm2 monit': { any: true, judge: judgeService },
  'mount umount losetup swapon swapoff fsck e2fsck tune2fs resize2fs xfs_growfs lvcreate lvextend vgcreate pvcreate modprobe insmod rmmod depmod sysctl useradd userdel usermod groupadd groupdel groupmod adduser deluser passwd chpasswd chage chsh chfn visudo vipw gpasswd newgrp iptables ip6tables nft ufw firewall-cmd setenforce restorecon semanage auditctl grub-install update-grub grub-mkconfig update-initramfs mkinitcpio dracut efibootmgr timedatectl hostnamectl localectl loginctl ntpdate hwclock setcap tc ethtool iw nmcli rfkill tcpkill auditd logrotate ldconfig ip6 systemd-tmpfiles powertop tuned-adm':
    { any: true, judge: judgeAdministration },
  ip: {
    any: true,
    single: true,
    long: 'family= f= br brief s stats statistics d details 4 6 c color o oneline j json p pretty t timestamp r resolve h human human-readable iec a all N Numeric',
    on: { 'b batch force n netns': 'privileged' },
    judge: judgeIp,
  },
  crontab: {
    any: true,
    judge: ({ options, operands }) =>
      options.some(({ name }) => name === 'r')
        ? [find('wrecks', 'every timer')]
        : options.some(({ name }) => name === 'l') && operands.length === 0
          ? []
          : [find('plants', 'a timer')],
  },
  'at batch': {
    any: true,
    judge: ({ options }) => (options.length === 1 && options[0]?.name === 'l' ? [] : [find('plants', 'a timer')]),
  },
  atq: { any: true },
  atrm: { any: true, effect: 'destroys' },
  'xdg-open open gnome-open start explorer.exe sensible-browser firefox chromium google-chrome wslview': {
    any: true,
    effect: 'runs',
  },
  'xdg-mime xdg-settings gsettings dconf defaults': {
    any: true,
    judge: ({ operands }) =>
      /^(query|get|check|list(-\w+)*|range|describe|writable|read|dump|domains|find)$/.test(operands[0]?.value ?? '')
        ? []
        : [find(/^reset/.test(operands[0]?.start ?? '') ? 'destroys' : 'changes', 'settings of the desktop')],
  },
  'systemd-analyze': {
    any: true,
    judge: ({ options, operands }) =>
      options.some(({ name }) => ['H', 'host', 'M', 'machine'].includes(name)) ||
      !/^(time|blame|critical-chain|plot|dot|dump|unit-paths|unit-files|cat-config|calendar|timestamp|timespan|verify|security|exit-status|capability|syscall-filter|filesystems)?$/.test(
        operands[0]?.value ?? '',
      )
        ? [find('changes', 'settings of services')]
        : [],
  },
  tmux: { any: true, judge: judgeTmux },
  'screen zellij byobu dtach abduco': {
    any: true,
    judge: (_, { words }) =>
      words.length === 1 && /^(-ls|-list|list-sessions|ls)$/.test(words[0]?.value ?? '')
        ? []
        : [
            find(
              words.some(({ value }) => value === 'quit' || value === 'kill') ? 'destroys' : 'runs',
              'another terminal',
            ),
          ],
  },
  'xclip xsel pbcopy wl-copy': { any: true, effect: 'changes' },
  'pbpaste wl-paste': { any: true, effect: 'secrets' },
  'write wall mesg talk notify-send zenity dialog whiptail': { any: true, effect: 'changes' },
  sudoedit: { any: true, effect: 'privileged' },
  history: {
    any: true,
    judge: ({ operands, options }) =>
      options.length > 0
        ? [find('destroys', 'the history of the shell')]
        : operands.length <= 1
          ? [find('secrets', 'the history of the shell')]
          : [find('changes')],
  },
  direnv: {
    any: true,
    judge: ({ operands }) =>
      /^(allow|permit|grant|edit|exec)$/.test(operands[0]?.start ?? '')
        ? [find('plants', 'code for every visit')]
        : [find('changes')],
  },
  aish: { any: true, judge: judgeAish },
  stty: {
    any: true,
    judge: ({ operands, options }) =>
      operands.length === 0 && options.every(({ name }) => name === 'a' || name === 'g')
        ? []
        : [find('changes', 'the modes of the terminal')],
  },
};

/** Commands of aish that only tell what it keeps, and those of them that tell no more than a manual. */
const TELLS =
  /^(?:sessions(?: (?:list|search|show|why))?|checkpoints(?: (?:list|usage))?|diff|mcp(?: list)?|models|config(?: (?:show|path|check))?)$/;
const EXPLAINS = /^(?:completion|help)$/;

/** aish itself: what it keeps is told when the person agrees, and nothing else is done in the person's name. */
function judgeAish({ operands, options }: GivenWords): readonly Finding[] {
  const [group, verb] = operands.map(({ value }) => value);
  const isPlain = options.every(({ name }) => /^(?:json|n|limit|all|a)$/.test(name));
  if (isPlain && EXPLAINS.test(group ?? '')) return [];
  const named = [group, ...(verb === undefined || /^(?:models|diff)$/.test(group ?? '') ? [] : [verb])];
  if (isPlain && !named.includes(null) && TELLS.test(named.join(' ')))
    return [find('secrets', 'what aish keeps may hold some')];
  return [find('self', 'acts in its place')];
}

function judgeKillByName({ operands, options }: GivenWords, { name, words }: Call): readonly Finding[] {
  if (name === 'fuser' && !options.some((option) => option.name === 'k' || option.name === 'kill')) return [];
  const isAll =
    words.some(({ value }) => value === '-1' || value === '.*' || value === '.' || value === '') ||
    (options.some((option) => option.name === 'u' || option.name === 'user') && operands.length <= 1);
  return [find(isAll ? 'wrecks' : 'destroys', 'ends processes')];
}

const ASKING =
  /^(status|list-units|list-unit-files|list-timers|list-sockets|list-jobs|list-paths|list-automounts|list-machines|list-dependencies|show|cat|is-active|is-enabled|is-failed|is-system-running|get-default|help|--version)$/;

function judgeSystemctl({ operands, options }: GivenWords): readonly Finding[] {
  const [verb] = operands;
  if (options.some(({ name }) => name === 'H' || name === 'host' || name === 'M'))
    return [find('network', 'the services of another machine')];
  if (verb === undefined || (verb.value !== null && ASKING.test(verb.value))) return [];
  if (verb.value === null) return [find('unclear', 'the verb of systemctl')];
  if (verb.value === 'show-environment') return [find('secrets', 'the environment of services')];
  if (
    /^(poweroff|reboot|halt|suspend|hibernate|kexec|rescue|emergency|isolate|default|exit|soft-reboot)$/.test(
      verb.value,
    )
  )
    return [find('wrecks', 'the machine')];
  if (/^(stop|kill|disable|mask|try-restart|condstop|clean|revert|reset-failed)$/.test(verb.value))
    return [find('destroys', 'a service'), find('privileged')];
  if (/^(edit|link|set-environment|import-environment|set-default|preset)$/.test(verb.value))
    return [find('plants', 'settings of services')];
  if (/^(enable|start|reenable)$/.test(verb.value) && operands.slice(1).some(({ start }) => start.includes('/'))) {
    return [find('plants', 'a service of its own')];
  }
  return [find('privileged', 'services of the system')];
}

function judgeService({ operands, options }: GivenWords, { name }: Call): readonly Finding[] {
  const verb = operands[name === 'service' || name === 'rc-service' ? 1 : 0];
  if (/^(status|list|ls|jlist|describe|logs|show|summary|print)$/.test(verb?.value ?? '')) return [];
  if (operands.length === 0 && options.some((option) => option.name === 'status-all')) return [];
  if (
    operands.some(({ value }) => value !== null && /^(stop|kill|delete|remove|unload|bootout|flush|down)$/.test(value))
  )
    return [find('destroys', 'a service'), find('privileged')];
  return [find('privileged', 'services')];
}

/** Some of these only show when they are given nothing to do. */
function judgeAdministration({ operands, options }: GivenWords, { name, words }: Call): readonly Finding[] {
  const shows: Readonly<Record<string, boolean>> = {
    mount:
      words.length === 0 ||
      (operands.length === 0 && options.every((option) => option.name === 'l' || option.name === 't')),
    sysctl:
      operands.length > 0
        ? operands.every(({ value }) => value !== null && !value.includes('=')) &&
          !options.some((option) => ['w', 'p', 'write', 'load', 'system'].includes(option.name))
        : options.some((option) => option.name === 'a' || option.name === 'all'),
    timedatectl: words.length === 0 || ['status', 'show', 'list-timezones'].includes(operands[0]?.value ?? ''),
    hostnamectl: words.length === 0 || operands[0]?.value === 'status',
    localectl: words.length === 0 || operands[0]?.value === 'status',
    loginctl: words.length === 0 || /^(list-|show-|session-status)/.test(operands[0]?.start ?? ''),
    swapon: options.some((option) => option.name === 's' || option.name === 'show'),
    losetup: words.length === 0 || options.every((option) => option.name === 'a' || option.name === 'l'),
    ldconfig:
      words.every(({ value }) => /^(-[pvN]+|--print-cache)$/.test(value ?? '')) &&
      words.some(({ value }) => /^(-p|--print-cache)$/.test(value ?? '')),
    chage: words[0]?.value === '-l' && words.length === 2,
    rfkill: words.length === 1 && words[0]?.value === 'list',
    iw: operands.length <= 2 && /^(dev|list|phy)$/.test(operands.at(-1)?.value ?? ''),
    nmcli:
      !options.some((option) => option.name === 's' || means(option.name, 'show-secrets')) &&
      ['general', 'device', 'connection', 'con', 'dev', 'g', 'd', 'c'].includes(operands[0]?.value ?? '') &&
      ['status', 'show', undefined].includes(operands[1]?.value ?? undefined),
  };
  if (shows[name] === true) return [];
  if (
    /^(terminate|kill)-/.test(operands[0]?.start ?? '') ||
    (name === 'nmcli' && operands.some(({ value }) => value === 'off' || value === 'down'))
  ) {
    return [find('wrecks', 'the session or the network')];
  }
  if (/^(userdel|groupdel|deluser)$/.test(name)) return [find('destroys', 'part of the system'), find('privileged')];
  if (
    (name === 'iptables' || name === 'ip6tables' || name === 'nft' || name === 'ufw') &&
    words.some(({ value }) => value !== null && /^(-F|--flush|flush|disable|reset|-X|-P|DROP)$/.test(value))
  )
    return [find('wrecks', 'the network of the machine')];
  return [find('privileged', name)];
}

/** `ip` takes beginnings: `ip r d` deletes a route. What only shows is known by its verb. */
function judgeIp({ operands }: GivenWords): readonly Finding[] {
  const [object, verb, more] = operands;
  if (object === undefined || object.value === 'help') return [];
  const shows = /^(sh|sho|show|l|li|lis|list|ls|lst|g|ge|get|help|identify|list-id)$/;
  const isShown =
    verb === undefined || shows.test(verb.value ?? '') || (verb.value === 's' && /^[arn]/.test(object.start));
  const isKnown =
    /^(a|ad|addr|address|r|ro|route|l|li|link|n|ne|neigh|neighbor|neighbour|ru|rule|m|maddr|netns|tunnel|tuntap|mroute|monitor|ntable|nexthop|vrf|token)$/;
  return isKnown.test(object.value ?? '') && (isShown || object.value === 'monitor') && more?.value !== 'exec'
    ? []
    : [judgeNetwork(operands)];
}

/** What takes the network away is more than a setting. */
function judgeNetwork(operands: GivenWords['operands']): Finding {
  const values = operands.map(({ value }) => value ?? '');
  const isLost =
    values.includes('down') || values.includes('flush') || (values.includes('default') && /^d/.test(values[1] ?? ''));
  return find(isLost ? 'wrecks' : 'privileged', 'the network of the machine');
}

/** A format may hold `#(command)`, and a semicolon begins another command. */
function judgeTmux(_: GivenWords, { words }: Call): readonly Finding[] {
  const [verb] = words;
  if (words.some(({ value }) => value === null || /#[({[]?.*\(|;/.test(value)))
    return [find('runs', 'a command within a command of tmux')];
  if (
    /^(ls|list-sessions|list-windows|lsw|list-panes|lsp|list-clients|list-keys|list-commands|display-message|display|show-options|show|has-session|has|info|-V)$/.test(
      verb?.value ?? '',
    )
  )
    return [];
  return /^kill/.test(verb?.start ?? '') ? [find('destroys', 'sessions')] : [find('runs', 'another terminal')];
}
