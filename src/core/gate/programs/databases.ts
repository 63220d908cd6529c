import { find } from '../findings.ts';
import { judgeStarted } from '../grammars/started-code.ts';
import type { GivenWords } from '../options.ts';
import { usePath } from '../path-use.ts';
import type { Call, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';
import { judgeEscapes } from './started-words.ts';

/** Clients of databases. */
export const DATABASES: RuleTable = {
  'psql mysql mariadb mongosh mongo clickhouse-client cockroach sqlcmd sqlplus cqlsh influx pgcli mycli usql': {
    any: true,
    short: 'c:e:h:U:u:d:p:P:f:D:n:o:L:',
    long: 'command= execute= eval= host= username= user= dbname= database= port= file= password= output= log-file= tee=',
    on: { 'o output L log-file tee': 'replace' },
    judge: judgeServer,
  },
  'redis-cli valkey-cli memcached-tool': { any: true, stops: true, short: 'h:p:a:n:u:', judge: judgeRedis },
  'sqlite3 duckdb': {
    any: true,
    single: true,
    long: 'cmd= c= init= separator= nullvalue= newline= mmap= vfs= maxsize=',
    on: { 'init cmd': 'runs' },
    judge: judgeFile,
  },
  'dropdb dropuser': { any: true, effect: 'wrecks' },
  mysqladmin: {
    any: true,
    short: 'u:p::h:P:S:',
    judge: ({ operands }) =>
      operands.some(({ value }) => /^(drop|shutdown|flush-.*|kill)$/.test(value ?? ''))
        ? [find('wrecks', 'a database'), find('network')]
        : [find('network', 'a database')],
  },
  'createdb createuser pg_dump pg_dumpall mysqldump mongodump pg_isready pg_basebackup pgbench vacuumdb reindexdb clusterdb etcdctl kcat kafka-topics rabbitmqctl':
    { any: true, effect: 'network' },
  'pg_restore mongorestore mysqlimport mongoimport redis-server pg_ctl mongod mysqld postgres': {
    any: true,
    effect: 'destroys',
  },
};

/** What a statement does to what is kept. */
function judgeSql(sql: string, call: Call): readonly Finding[] {
  const program =
    /\bPROGRAM\s+(?:E)?'((?:''|[^'])*)'/i.exec(sql)?.[1] ??
    /\b(?:xp_cmdshell|sys_exec|sys_eval)\W+N?'((?:''|[^'])*)'/i.exec(sql)?.[1];
  if (program !== undefined) call.judgeScript(program.replaceAll("''", "'"));
  const escaped = judgeEscapes(sql, call);
  return [...escaped, ...judgeStarted(sql, call), ...judgeText(sql)];
}

function judgeText(sql: string): readonly Finding[] {
  const plain = sql
    .replace(/'(''|[^'])*'/g, "''")
    .replace(/--[^\n]*/g, '')
    .replace(/\/\*[\s\S]*?\*\//g, '');
  const found = plain.split(';').flatMap((statement) => judgeStatement(statement.trim()));
  if (
    /readfile|read_(text|blob|csv|json|parquet)|fsdir|getenv|['"][^'"]*(\.env|\.ssh|\.pem|id_rsa|\.aws|shadow)\b/i.test(
      sql,
    )
  )
    return [...found, find('secrets', 'files that a statement reads')];
  if (/['"]\w+:\/\//.test(sql)) return [...found, find('network', 'an address in a statement')];
  if (/^\s*\.(sh|she|shel|shell|sy\w*|loa?d?)\b/m.test(sql))
    return [...found, find('starts', 'a program, from a database')];
  if (
    hasDotCommand(sql) ||
    /\\!|\\copy|\bCOPY\b.*\bPROGRAM\b|\bLOAD_EXTENSION\b|\bINTO\s+(OUT|DUMP)FILE\b|\bxp_cmdshell\b|load_extension|writefile|\bedit\b\W*\(|\b(INSTALL|LOAD|EXPORT|IMPORT)\s+\w/i.test(
      sql,
    )
  )
    return [...found, find('runs', 'a command or a file of the database client')];
  return found;
}

/** Commands of the client begin with a dot, may be abbreviated, and may start programs; a few by their whole name only show. */
function hasDotCommand(sql: string): boolean {
  const dotted = sql.split(/[\n;]/).filter((line) => /^\s*\./.test(line));
  return dotted.some(
    (line) =>
      !/^\s*\.(tables|schema|fullschema|dump|databases|indexes|indices|mode|headers?|width|show|stats)(\s+[\w.%*-]*)*\s*$/.test(
        line,
      ),
  );
}

function judgeStatement(statement: string): readonly Finding[] {
  if (
    /\b(DROP\s+(DATABASE|SCHEMA|TABLE|USER|ROLE|KEYSPACE|VIEW|INDEX|COLUMN)|TRUNCATE|FLUSHALL|FLUSHDB|dropDatabase|\.drop\(|deleteMany\(\s*\{\s*\}|remove\(\s*\{\s*\}|VACUUM\s+FULL)/i.test(
      statement,
    )
  )
    return [find('wrecks', 'a table or more')];
  if (/\b(DELETE\s+FROM|UPDATE)\b/i.test(statement))
    return [
      find(
        /\bWHERE\b/i.test(statement) && !/\bWHERE\s+(1\s*=\s*1|TRUE)\b/i.test(statement) ? 'destroys' : 'wrecks',
        'rows',
      ),
    ];
  if (
    /\b(ALTER|GRANT|REVOKE|REPLACE\s+INTO|MERGE|deleteOne|deleteMany|updateMany|KILL|SHUTDOWN|REINDEX)\b/i.test(
      statement,
    )
  )
    return [find('destroys', 'what a database keeps')];
  if (
    /\b(INSERT|CREATE|CALL|DO|SET|ATTACH|DETACH|VACUUM|COPY|EXECUTE|PRAGMA\s+\w+\s*=|insertOne|insertMany)\b/i.test(
      statement,
    )
  )
    return [find('changes', 'what a database keeps')];
  return [];
}

function judgeServer({ options, operands }: GivenWords, call: Call): readonly Finding[] {
  const code = options
    .filter(({ name }) => ['c', 'e', 'command', 'execute', 'eval', 'Q', 'q'].includes(name))
    .flatMap(({ value }) => value ?? []);
  const file = options.some(({ name }) => name === 'f' || name === 'file');
  const text = [...code.map(({ value }) => value), ...(call.input.text === null ? [] : [call.input.text])];
  const found = text.flatMap((sql) => (sql === null ? [find('unclear', 'a statement')] : judgeSql(sql, call)));
  const unseen =
    file || (call.input.isGiven && call.input.text === null)
      ? [find('runs', 'statements that the line does not show')]
      : [];
  const dropped = operands.some(({ start }) => /drop|flush/i.test(start)) ? [find('wrecks', 'a database')] : [];
  return [find('network', 'a database'), ...found, ...unseen, ...dropped];
}

function judgeRedis({ operands }: GivenWords, call: Call): readonly Finding[] {
  const code = operands.slice(1).flatMap(({ value }) => (value === null ? [] : judgeStarted(value, call)));
  const verb = operands[0]?.value?.toUpperCase() ?? '';
  if (/^(FLUSHALL|FLUSHDB|SHUTDOWN)$/.test(verb)) return [find('wrecks', 'everything that is kept'), find('network')];
  if (/^(DEL|UNLINK|CONFIG|DEBUG|EVAL|SCRIPT|MIGRATE|RENAME|SLAVEOF|REPLICAOF|MODULE)$/.test(verb))
    return [find('destroys', 'what is kept'), find('network'), ...code];
  return [find('network', 'a database')];
}

function isQuery(text: string): boolean {
  return /^\s*(SELECT|EXPLAIN|VALUES|\.(tables|schema|fullschema|dump|databases|indexes|indices|headers?|mode|width|show)\b|PRAGMA\s+\w+\s*;?\s*$|PRAGMA\s+(table_x?info|index_(list|info)|foreign_key_(list|check)|integrity_check|quick_check)\s*\([^)]*\)\s*;?\s*$|WITH\b)/i.test(
    text,
  );
}

/** What a client is told to do before anything else. */
function toldBy(options: GivenWords['options'], call: Call): readonly Finding[] {
  return options.flatMap(({ name, value }) =>
    (name === 'cmd' || name === 'c') && typeof value?.value === 'string' ? judgeSql(value.value, call) : [],
  );
}

/** A database in a file: queries read it, and everything else changes it. */
function judgeFile({ operands, options }: GivenWords, call: Call): readonly Finding[] {
  if (options.some(({ name }) => name.startsWith('A'))) return [find('changes', 'an archive')];
  const [file, ...statements] = operands;
  const found = statements.flatMap(({ value, text }) =>
    value === null ? [find('unclear', text)] : judgeSql(value, call),
  );
  if (file === undefined || (statements.length === 0 && call.input.text === null))
    return [find('runs', 'statements that the line does not show'), ...toldBy(options, call)];
  const given = call.input.text === null ? [] : judgeSql(call.input.text, call);
  const readOnly =
    statements.every(({ value }) => value !== null && isQuery(value)) &&
    (call.input.text === null || isQuery(call.input.text));
  const opened =
    readOnly && found.length === 0
      ? usePath(file, 'content', call.scope)
      : [find('changes', `the database ${file.text}`)];
  return [
    ...opened,
    ...found,
    ...toldBy(options, call),
    ...given,
    ...(options.some(({ name }) => name === 'init') ? [find('runs')] : []),
  ];
}
