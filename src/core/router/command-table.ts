import { wordSet } from './english.ts';
import { TOOLS } from './tool-table.ts';

/**
 * What a command takes as operands.
 *
 * - `nothing`: options only; `numbers`: numbers, signals, jobs; `paths`: files; `names`: hosts, users, services, variables
 * - `pages`: names of commands or topics; `packages`: packages; `text`: any words; `command`: another command and its operands
 * - `pattern`: a text to look for, then files; `program`: a program in quotes, then files; `subcommand`: see `subcommands`
 * - `times`: only the words of its manual page; `formal`: options, paths or existing files, never bare words alone
 */
export type Takes =
  | 'nothing'
  | 'numbers'
  | 'paths'
  | 'names'
  | 'pages'
  | 'packages'
  | 'text'
  | 'command'
  | 'pattern'
  | 'program'
  | 'subcommand'
  | 'times'
  | 'formal';

/** What a call of a command looks like. */
export interface Grammar {
  readonly takes: Takes;
  readonly min: number;
  readonly max: number;
  /** The call changes something: where in doubt, it is no call. */
  readonly changes: boolean;
  /** Words of the command's own manual page. */
  readonly words: ReadonlySet<string>;
  readonly subcommands: ReadonlyMap<string, Grammar>;
}

const NO_WORDS: ReadonlySet<string> = new Set();
const NO_SUBCOMMANDS: ReadonlyMap<string, Grammar> = new Map();

/** Any words that are names: what is assumed of a command nothing is known about. */
export const UNKNOWN_GRAMMAR: Grammar = grammar('names');

function grammar(takes: Takes, more: Partial<Grammar> = {}): Grammar {
  return { takes, min: 0, max: 99, changes: false, words: NO_WORDS, subcommands: NO_SUBCOMMANDS, ...more };
}

/** One line for each kind: names, then `:`, what they take, `min-max`, `!` where they change something, `=` and their own words. */
const SIMPLE = `
clear pwd whoami uptime dmesg lsblk suspend times caller tty users atq pstree free df lsof groups ss: nothing
ps: nothing = aux ax axf auxf auxww auxw axu axjf ef eaf axo ux u a x e f w
read: names = name password answer line input reply choice var value key confirm user username file path id age email word first last rest REPLY x y
logout halt poweroff reboot reset: nothing !
true false: nothing
top htop: nothing
exit return shift: numbers 0-1 !
break continue: numbers 0-1
history: numbers
jobs wait: numbers
cal: numbers = january february march april may june july august september october november december jan feb mar apr jun jul aug sep oct nov dec
factor seq sleep umask ulimit: numbers = infinity unlimited hard soft
fg bg disown: names 0-1
kill renice: numbers ! = TERM KILL HUP INT STOP CONT
date: nothing
stty: names 0-9 = sane raw echo cooked size erase intr kill eof cs8 evenp oddp
mesg: times = y n
at batch: times = now noon midnight teatime tomorrow today am pm minute minutes hour hours day days week weeks next mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday jan feb mar apr may jun jul aug sep oct nov dec
shutdown: times ! = now
cat tac ls dir vdir head tail less more nl od wc cksum sum md5sum sha1sum sha256sum sha512sum base64 hexdump xxd strings file stat size nm ar readlink realpath basename dirname tree du view vi vim nvim nano ed emacs code sort uniq rev fold fmt pr expand unexpand column paste shuf tsort bat eza exa subl micro hx zcat zless xdg-open open ed: paths
identify display: formal
cd: paths 0-1
pushd popd dirs: paths 0-2
source .: paths !
touch mkdir rmdir rm unlink shred truncate tee strip mkfifo gzip gunzip bunzip2 bzip2 xz unxz zstd unzip split sponge: paths !
mktemp: paths 0-1
cp mv ln rsync scp zip tar patch: paths !
install mogrify csplit: formal !
ssh-keygen ssh-add tr: nothing
ssh-copy-id: names 0-1
link: paths 2-2 !
convert: formal 2-9 !
import: formal !
rename: formal !
chmod chown chgrp: paths 2-99 !
iconv: formal
compare: formal 2-3
comm join cmp diff vimdiff colordiff sdiff: paths 2-3 = before after
dd: times !
umount mount fsck: paths 0-2 !
grep egrep fgrep rg ag ack zgrep look locate: pattern
pgrep: pattern
pkill killall: names !
sed awk gawk jq yq perl: program
find fd: paths
echo printf logger say espeak cowsay figlet toilet banner cowthink notify-send lolcat todo note fortune boxes wall festival spd-say zenity print: text
expr test [ let yes apropos: text
man info help whatis which whereis type hash command where tldr: pages
who: times = am i mom likes
w last groups finger lastlog: names 0-2 = reboot root
id passwd su: names 0-2
host dig nslookup: names 1-4 = any a aaaa mx ns txt soa cname ptr axfr
ping traceroute tracepath mtr whois ping6: names 0-1
ssh mosh telnet ftp sftp: names 0-99
nc ncat netcat: names 0-3
hostname uname arch nproc getconf: names 0-2
write: names 1-2
bash sh zsh dash python python3 python2 node ruby php lua Rscript deno-run tsx ts-node: paths
gcc g++ cc clang clang++ rustc javac java ld as gdb cmake: paths
make: names !
readonly export declare typeset local unset mapfile readarray getopts: names
alias unalias set shopt enable bind complete compgen trap fc: names
eval exec builtin sudo env nohup nice time timeout xargs watch strace coproc ssh-agent doas stdbuf ionice setsid chronic caffeinate noglob parallel entr hyperfine ltrace valgrind unbuffer proxychains torsocks: command
crontab: paths 0-1 !
curl wget http https aria2c: names 0-9
printenv: names
journalctl gpg dpkg ansible ansible-playbook pacman yay paru rpm: names 0-4
screen script: paths 0-2
dc bc: paths
service: names 2-4 ! = start stop restart status reload force-reload try-restart cups cron network networking bluetooth firewall squid bind named salt puppet chef consul vault nomad caddy jenkins tomcat varnish tor graphical plex sound
netstat ifconfig: names 0-6

ffmpeg ffprobe pandoc magick yt-dlp: paths
mysql mysqldump pg_dump pg_restore createdb dropdb psql sqlite3 mongosh duckdb: names 0-3
useradd userdel usermod adduser deluser groupadd: names 0-2 !
pytest jest vitest eslint prettier tsc webpack vite mypy ruff black rubocop mocha tox shellcheck: paths
iptables ip6tables ufw sysctl modprobe insmod rmmod: names !
nmap tcpdump arp route ethtool iwconfig nmcli: names
setopt unsetopt autoload bindkey zmodload zstyle: names
fzf tig lazygit ncdu duf btop glances neofetch iotop iftop nvtop: nothing
mkfs mkswap swapon swapoff fdisk parted: paths !
pbcopy pbpaste xclip xsel: nothing
`;

const TAKES: ReadonlyMap<string, Takes> = new Map(
  (
    [
      'nothing',
      'numbers',
      'paths',
      'names',
      'pages',
      'packages',
      'text',
      'command',
      'pattern',
      'program',
      'subcommand',
      'formal',
      'times',
    ] as const
  ).map((takes) => [takes, takes]),
);

/** Names of everyday English that are commands too: with them a bare word proves little. */
export const ENGLISH_NAMES = wordSet(
  'alias dig wall eval apt as at batch break case code column command compare complete continue convert cut date declare display do done enable exec exit expand',
  'export factor false fg file find fold for free function go groups halt hash head help history host identify if import in info install jobs',
  'join kill last less let link local locate look make man more mount nice open paste patch ping rename reset return screen script',
  'select service set shift shred size sleep sort source split strip suspend sync tee test then time timeout times top touch trap tree',
  'true truncate type until users view wait wall watch which while who write yes expect split strings sum bind read trace play show',
  'say note todo run build deploy start stop clean check list search create add remove update delete print where fortune cargo docker node ruby rust',
);

function simpleEntries(): [string, Grammar][] {
  return SIMPLE.trim()
    .split('\n')
    .flatMap((line) => {
      const colon = line.indexOf(': ');
      const [head = '', words = ''] = line.slice(colon + 2).split(' = ');
      const parsed = parseGrammar(head, wordSet(words));
      return line
        .slice(0, colon)
        .split(' ')
        .map((name): [string, Grammar] => [name, parsed]);
    });
}

function parseGrammar(head: string, words: ReadonlySet<string>): Grammar {
  const parts = head.split(' ');
  const range = /(\d+)-(\d+)/.exec(head);
  return grammar(TAKES.get(parts[0] ?? '') ?? 'names', {
    changes: parts.includes('!'),
    words,
    ...(range === null ? {} : { min: Number(range[1]), max: Number(range[2]) }),
  });
}

function toolEntries(): [string, Tool][] {
  return TOOLS.trim()
    .split('\n')
    .flatMap((line) => {
      const colon = line.indexOf(': ');
      const tool = new Tool(line.slice(colon + 2));
      const names = line.slice(0, colon).split(' ');
      return names.map((name): [string, Tool] => [name, tool]);
    });
}

/** A tool whose line is only read when the tool is met: most sessions meet few of them. */
class Tool {
  readonly #line: string;
  #grammar: Grammar | null = null;

  constructor(line: string) {
    this.#line = line;
  }

  get grammar(): Grammar {
    this.#grammar ??= this.#parse();
    return this.#grammar;
  }

  #parse(): Grammar {
    const [entries = '', own = ''] = this.#line.split(' = ');
    const words = wordSet(own);
    const subcommands = new Map(entries.split(' ').map((entry) => parseSubcommand(entry, words)));
    return grammar('subcommand', { subcommands, words });
  }
}

/** `push!names`, `commit!nothing`, `remote(add,show)`, `log=names`: a subcommand, what it takes, `!` where it changes something. */
function parseSubcommand(entry: string, words: ReadonlySet<string>): [string, Grammar] {
  const match = /^([^!=(]+)(?:\(([^)]*)\))?([!=])?(\w+)?(?::(\d+))?$/.exec(entry);
  const name = match?.[1] ?? entry;
  const changes = match?.[3] === '!';
  const inner = match?.[2];
  const takes = TAKES.get(match?.[4] ?? '') ?? (inner === undefined ? 'names' : 'subcommand');
  const subcommands =
    inner === undefined
      ? NO_SUBCOMMANDS
      : new Map(inner.split(',').map((each): [string, Grammar] => [each, grammar('names', { changes, words })]));
  return [name, grammar(takes, { changes, subcommands, words, max: Number(match?.[5] ?? 99) })];
}

const COMMANDS: ReadonlyMap<string, Grammar> = new Map(simpleEntries());
const TOOL_TABLE: ReadonlyMap<string, Tool> = new Map(toolEntries());

/** The grammar of a command, or null where the tables know none. */
export function grammarOf(name: string): Grammar | null {
  return TOOL_TABLE.get(name)?.grammar ?? COMMANDS.get(name) ?? null;
}

/** The names of the tables by their length with their first letter, and with their last. */
function byEnds(names: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  const add = (key: string, name: string): void => {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [name]);
    else group.push(name);
  };
  for (const name of names) {
    add(`${name.length}^${name.charAt(0)}`, name);
    add(`${name.length}$${name.at(-1)}`, name);
  }
  return groups;
}

const NAMES_BY_ENDS = byEnds(new Set([...COMMANDS.keys(), ...TOOL_TABLE.keys()]));

/** The names in the tables that have so many letters, and the first or the last of them in common with a word. */
export function namesLike(word: string, length: number): readonly string[] {
  const first = NAMES_BY_ENDS.get(`${length}^${word.charAt(0)}`) ?? [];
  const last = NAMES_BY_ENDS.get(`${length}$${word.at(-1)}`) ?? [];
  return [...first, ...last.filter((name) => name.charAt(0) !== word.charAt(0))];
}
