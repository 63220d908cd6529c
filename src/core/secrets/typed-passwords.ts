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

/** Passwords in the lines of programs that are known. */
export const TYPED_PASSWORDS: readonly Shape[] = PROGRAMS.map(({ needles, programs, before }) => ({
  name: 'password',
  needles,
  pattern: new RegExp(
    `\\b(?:${programs})\\b[^\\n|;&]{0,400}?\\s${before}["']?(?<value>[^\\s"'|;&-][^\\s"'|;&]{5,})`,
    'g',
  ),
}));
