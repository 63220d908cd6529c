import { AG_TREE, DIFF_TREE, GREP_TREE, RG_TREE } from '../custom/search.ts';
import type { FactRows, Facts } from '../facts.ts';
import { textFacts } from '../text-facts.ts';
import gitAbout from './git-about.txt' with { type: 'text' };
import operands from './operands.txt' with { type: 'text' };
import subcommands from './subcommands.txt' with { type: 'text' };

/** Operand roles of programs without subcommands. */
const OPERAND_FACTS: FactRows = readRows(operands).map(([takes, names]) => [names, { takes }]);

const SUBCOMMAND_FACTS: FactRows = Array.from(subcommands.matchAll(/^\[(~ )?(.+)\]\n((?:.+\n)+)/gm), ([, kind, names = '', rows = '']) => {
  const takes = Object.fromEntries(readRows(rows));
  return [names, kind === undefined ? { takes } : { takes, isOfKind: true }];
});

/** Facts by names. */
type FactTable = Readonly<Record<string, Facts>>;

/** Rows `key: words`. An indented line continues the row before it, and a line that begins with `#` is a comment. */
function readRows(text: string): (readonly [key: string, words: string])[] {
  const rows = text
    .replace(/^#.*\n/gm, '')
    .replace(/\n +/g, ' ')
    .matchAll(/^([^:\n]+): (.+)$/gm);
  return Array.from(rows, ([, key = '', words = '']) => [key, words] as const);
}

/** Fixed words of programs, roles of option values, and descriptions of subcommands. */
const WORD_FACTS: FactTable = {
  git: { about: Object.fromEntries(readRows(gitAbout)) },
  'finger lastlog groups w last': { words: 'reboot root' },
  'comm cmp join diff colordiff zdiff zcmp bzdiff bzcmp xzdiff xzcmp sdiff vimdiff': { words: 'before after' },
  'cal ncal': {
    words: `january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep oct nov dec`,
  },
  'seq sleep factor ulimit umask': { words: 'infinity unlimited hard soft' },
  who: { words: 'am i mom likes' },
  ps: { values: { 'u U user': 'user', 'p pid': 'process' }, words: 'aux ax axf auxf auxww auxw axu axjf ef eaf axo ux u a x e f w' },
  'dig nslookup host': { words: 'any a aaaa mx ns txt soa cname ptr axfr' },
  'kubectl k oc': {
    words: `pod pods po deploy deployment deployments svc service services node nodes no ns namespace namespaces job
    jobs cronjob ingress ing secret secrets configmap cm pvc pv sts statefulset ds daemonset rs`,
  },
  shutdown: { words: 'now' },
  renice: { words: 'TERM KILL HUP INT STOP CONT' },
  kill: { values: { '- s signal': 'signal' }, words: 'TERM KILL HUP INT STOP CONT' },
  systemctl: {
    words: `cups cron network networking bluetooth firewall squid bind named salt puppet chef consul vault nomad caddy
    jenkins tomcat varnish tor graphical plex sound`,
  },
  service: {
    words: `start stop restart status reload force-reload try-restart cups cron network networking bluetooth firewall squid
    bind named salt puppet chef consul vault nomad caddy jenkins tomcat varnish tor graphical plex sound`,
  },
  ip: {
    words: `up down via default dev src table scope global set add all master vlan type bridge veth promisc mtu name any local
    broadcast on off from to`,
  },
  'at batch': {
    words: `now noon midnight teatime tomorrow today am pm minute minutes hour hours day days week weeks next mon tue wed
    thu fri sat sun monday tuesday wednesday thursday friday saturday sunday jan feb mar apr may jun jul aug sep oct nov dec`,
  },
  mesg: { words: 'y n' },
  stty: { words: 'sane raw echo cooked size erase intr kill eof cs8 evenp oddp' },
  read: {
    words: `name password answer line input reply choice var value key confirm user username file path id age email word first
    last rest REPLY x y`,
  },
  'ssh autossh mosh scp': { values: { 'i F': 'file' } },
  'pkill killall fuser skill snice': { values: { '- s signal': 'signal', 'u user': 'user' } },
  sudo: { values: { 'u user': 'user', 'g group': 'group' } },
  doas: { values: { u: 'user' } },
  unset: { values: { f: 'function' } },
};

/** The output of programs, what they fetch, and whether they read folders recursively. */
const OUTPUT_FACTS: FactTable = {
  ': [ break continue false test true': { prints: 'status', opensNothing: true },
  tee: { prints: 'nothing', passesOn: 'lines' },
  [`alias cd declare exit export local mkdir popd pushd read readonly return rmdir set shift shopt touch trap
    typeset unlink unset wait`]: { prints: 'nothing', opensNothing: true },
  'chgrp chmod chown mapfile mkfifo readarray rm shred srm truncate wipe': { prints: 'nothing' },
  [`b2sum b3sum cksum compgen file getconf groups hostname id lsb_release md5sum mktemp readlink realpath sha1sum
    sha224sum sha256sum sha384sum sha512sum shasum stat sum uname wc whoami`]: { prints: 'words' },
  [`arch basename caller date dirname dirs expr factor help hostid jot logname nproc pwd sleep tty type whereis
    which yes`]: { prints: 'words', opensNothing: true },
  'seq echo printf': { prints: 'words', opensNothing: true, passesOn: 'lines' },
  'tokei tree scc cloc du': { prints: 'names', descends: {} },
  'df dir exa eza locate ls lsd mlocate plocate vdir': { prints: 'names' },
  'find fd fdfind': { prints: 'names', opensNothing: true, descends: {} },
  [`btop code emacs emacsclient fg gedit gvim helix htop hx info joe kak kate man mcedit micro nano nvim pico
    rview rvim subl top vi view vim vimdiff`]: { prints: 'screen' },
  'less more most zmore zless': { prints: 'screen', passesOn: 'lines' },
  [`abduco byobu clickhouse-client cockroach cqlsh dmesg docker dtach duckdb gpg gpg-agent gpg2 helm helmfile
    influx journalctl k kubectl last ltrace mail mailx mariadb memcached-tool mongo mongosh msmtp mutt mycli mysql
    nerdctl oc pbpaste pgcli podman psql redis-cli screen sendmail sqlcmd sqlite3 sqlplus ssmtp strace swaks talk
    tcpdump tmux usql valkey-cli wall wl-paste write xclip xsel zellij`]: { prints: 'untrusted' },
  [`aria2c axel curl dig fetch ftp host http httpie https lftp lynx nc ncat netcat nslookup socat telnet w3m
    websocat wget xh`]: { fetches: 'output' },
  [`awk bat batcat cat column comm cut fmt fold gawk gojq head jaq jq mawk nawk nl paste rev sed shuf sort tac
    tail tr uniq yq`]: { passesOn: 'lines' },
  [`base32 base64 basenc bunzip2 bzcat bzip2 compress csvcut csvformat csvjoin csvjson csvlook csvsort csvstack
    csvstat gunzip gzip lz4 lz4cat pigz strings uncompress unxz unzstd xxd xz zcat zstd`]: { passesOn: 'text' },
  'bzgrep egrep fgrep grep xzgrep zegrep zfgrep zgrep zstdgrep': { passesOn: 'lines', descends: GREP_TREE },
  rg: { passesOn: 'lines', descends: RG_TREE },
  'ag ack': { descends: AG_TREE },
  'bzcmp bzdiff colordiff diff xzcmp xzdiff zcmp zdiff': { descends: DIFF_TREE },
  cp: { descends: { with: 'r R a recursive archive' } },
  tar: { descends: { with: 'c create r append u update', follows: 'h dereference', bundled: true } },
  '7z 7za 7zz zip': { descends: {} },
  rsync: { fetches: 'files', descends: { with: 'r a recursive archive' } },
  scp: { fetches: 'files', descends: { with: 'r' } },
  [`amplify aws az b2 bq cdk croc databricks doctl eb eksctl firebase fly flyctl gcloud gh glab gsutil hcloud
    heroku hub ibmcloud linode-cli magic-wormhole mc netlify oci pulumi railway rclone s3cmd sam serverless sftp
    sls smbclient snowsql supabase tftp vercel wormhole wrangler`]: { fetches: 'files' },
  'command hash ulimit umask kill': { opensNothing: true },
};

/** Programs with known facts that nobody has classified. */
const UNJUDGED: FactTable = {
  [`rtx doppler teller infisical devbox pixi toolbox aws-vault chamber incus limactl dotenv flatpak-spawn host-spawn kitty
    flox distrobox pdsh pssh parallel-ssh clush concurrently xterm gnome-terminal konsole alacritty wezterm keychain
    adb`]: { startsCommands: true },
};

/** Facts across the families of specs, one table per subject; later tables take precedence. */
export const PROGRAM_FACTS: readonly FactRows[] = [
  ...[textFacts(), Object.entries(UNJUDGED), Object.entries(OUTPUT_FACTS)],
  ...[OPERAND_FACTS, Object.entries(WORD_FACTS), SUBCOMMAND_FACTS],
];
