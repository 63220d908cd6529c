import type { Shape } from './shape-finding.ts';

/** Programs that take a password by an option which does not say so, and what stands before the password. */
interface TakesPassword {
  /** One of these stands in each line that names such a program. */
  readonly needles: readonly string[];
  readonly programs: string;
  readonly before: string;
}

const PROGRAMS: readonly TakesPassword[] = [
  {
    needles: ['mysql', 'mariadb'],
    programs: 'mysql(?:dump|admin|import|show|slap)?|mariadb(?:-dump|-admin)?',
    before: '-p',
  },
  { needles: ['sshpass'], programs: 'sshpass', before: '-p\\s*' },
  { needles: ['curl'], programs: 'curl', before: '(?:-u|--user|-U|--proxy-user)[ =]?["\']?[^\\s"\':]+:' },
  { needles: ['curl'], programs: 'curl', before: '(?:-b|--cookie)[ =]?["\']?[^\\s"\'=;]+=' },
  { needles: [' -a '], programs: 'https?|xhs?', before: '-a\\s+["\']?[^\\s"\':]+:' },
  { needles: ['secret set'], programs: '(?:gh|glab)\\s+secret\\s+set', before: '(?:-b|--body|-v|--value)[ =]' },
  {
    needles: [' login '],
    programs:
      '(?:docker|podman|nerdctl|buildah|skopeo|crane|oras|regctl|helm|az|cf|oc|heroku|argocd)\\b[^\\n|;&]{0,200}?\\slogin',
    before: '-p[ =]?',
  },
  { needles: ['openssl'], programs: 'openssl', before: '(?:-[kK]\\s+|-pass(?:in|out)?\\s+["\']?pass:)' },
  { needles: ['redis-cli'], programs: 'redis-cli', before: '-a\\s+' },
  {
    needles: ['mongo', 'cqlsh'],
    programs: 'mongo(?:sh|dump|restore|export|import)?|cqlsh',
    before: '-p[ =]?',
  },
  { needles: ['ldap'], programs: 'ldap(?:search|add|modify|delete|passwd|whoami|compare)', before: '-w\\s*' },
  {
    needles: ['zip ', 'mosquitto_', 'ipmitool'],
    programs: '(?:un)?zip|mosquitto_(?:pub|sub)|ipmitool',
    before: '-P\\s*',
  },
  { needles: ['7z', 'rar '], programs: '7z[ar]?|(?:un)?rar', before: '-p' },
  { needles: ['smbclient', 'rpcclient'], programs: 'smbclient|rpcclient', before: '-U\\s*["\']?[^\\s"\'%]+%' },
  { needles: ['lftp'], programs: 'lftp', before: '-u\\s+["\']?[^\\s"\',]+,' },
  { needles: ['freerdp'], programs: 'x?freerdp', before: '/p:' },
  { needles: ['keytool', 'jarsigner'], programs: 'keytool|jarsigner', before: '-(?:src|dest)?(?:store|key)pass\\s+' },
  { needles: ['htpasswd'], programs: 'htpasswd', before: '-[a-zA-Z]*b[a-zA-Z]*\\s+\\S+\\s+\\S+\\s+' },
];

/** Where a quote may open in what stands before a password. */
const QUOTE = '["\']?';

/** Passwords in the lines of programs that are known. */
export const TYPED_PASSWORDS: readonly Shape[] = PROGRAMS.flatMap(({ needles, programs, before }) =>
  [...patternsOf(programs, before)].map((pattern) => ({
    name: 'password',
    needles,
    pattern: new RegExp(pattern, 'g'),
  })),
);

/** An operator ends a command only where it is not quoted: in quotes the password goes on to the end of them. */
function patternsOf(programs: string, before: string): Set<string> {
  const program = `\\b(?:${programs})\\b`;
  const word = '[^\\n|;&"\']{0,200}(?:"[^"\\n]{0,200}"|\'[^\'\\n]{0,200}\')';
  const end = '[^\\n|;&"\']{0,200}?\\s';
  const words = `(?:${word}){0,5}?${end}`;
  const quoted = '(?<value>(?!-)(?:(?!\\k<quote>)[^\\\\\\n]|\\\\[^\\n]){6,512}?)(?=\\k<quote>)';
  const bare = `["']?(?<value>(?:[^\\s"'|;&\\\\-]|\\\\[^\\n])(?:[^\\s"'|;&\\\\]|\\\\[^\\n]){5,512})`;
  const opened = before.replace(QUOTE, '(?<quote>["\'])');
  const closed = `${before.replace(QUOTE, '')}(?<quote>["'])`;
  return new Set([
    `${program}[^\\n|;&]{0,400}?\\s${before}${bare}`,
    `${program}(?:${word}){1,5}?${end}${before}${bare}`,
    `${program}${words}${closed}${quoted}`,
    ...(opened === before ? [] : [`${program}${words}${opened}${quoted}`]),
  ]);
}
