import { joinedRegExp } from '../../text/joined-regexp.ts';
import { classifyEscapes, classifyStarted } from '../custom/started-code.ts';
import type { Invocation } from '../parse.ts';
import { hasOption } from '../parse.ts';
import { usePath } from '../path-use.ts';
import type { Call, SpecTable } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

/** Database clients. */
export const DATABASES: SpecTable = {
  psql: {
    any: true,
    options: `-c:d:f:h:L:o:p:U:v:F:P:R:T: command= dbname= file= set= variable= log-file= output= field-separator= pset= record-separator=
      table-attr= host= port= username=`,
    on: { 'o output L log-file': 'replace' },
    custom: classifyServer,
  },
  'mysql mariadb mongosh mongo clickhouse-client cockroach sqlcmd sqlplus cqlsh influx pgcli mycli usql': {
    any: true,
    options: `-c:e:h:U:u:d:p:P:f:D:n:o:L: command= execute= eval= host= username= user= dbname= database= port= file= password= output=
      log-file= tee=`,
    on: { 'o output L log-file tee': 'replace' },
    custom: classifyServer,
  },
  'redis-cli valkey-cli memcached-tool': { any: true, stops: true, options: '-h:p:a:n:u:', custom: classifyRedis },
  'sqlite3 duckdb': {
    lenient: true,
    single: true,
    options: `cmd= c= s= init= separator= nullvalue= newline= mmap= vfs= maxsize= header headers noheader column csv json jsonlines line
      list html quote table markdown box ascii tabs latex echo stats bail batch interactive readonly safe no-stdin version help`,
    on: { 'init cmd': 'runs' },
    custom: classifyFile,
  },
  'dropdb dropuser': { any: true, effect: 'wrecks' },
  mysqladmin: {
    any: true,
    options: '-u:p::h:P:S:',
    custom: ({ operands }) =>
      operands.some(({ value }) => /^(drop|shutdown|flush-.*|kill)$/.test(value ?? ''))
        ? [effect('wrecks', 'a database'), effect('network')]
        : [effect('network', 'a database')],
  },
  [`createdb createuser pg_dump pg_dumpall mysqldump mongodump pg_isready pg_basebackup pgbench vacuumdb reindexdb
    clusterdb etcdctl kcat kafka-topics rabbitmqctl`]: { any: true, effect: 'network' },
  'mongorestore mysqlimport mongoimport redis-server pg_ctl mongod mysqld postgres': { any: true, effect: 'destroys' },
};

/** Effects of a statement on the stored data. */
function classifySql(sql: string, call: Call): readonly Effect[] {
  const program =
    /\bPROGRAM\s+(?:E)?'((?:''|[^'])*)'/i.exec(sql)?.[1] ?? /\b(?:xp_cmdshell|sys_exec|sys_eval)\W+N?'((?:''|[^'])*)'/i.exec(sql)?.[1];
  if (program !== undefined) call.classifyScript(program.replaceAll("''", "'"));
  const escaped = classifyEscapes(sql, call);
  return [...escaped, ...classifyStarted(sql, call), ...classifyText(sql)];
}

/** Statements that start programs, load code, or write outside the database. */
const REACHES_OUT = joinedRegExp(
  'i',
  String.raw`\\!|\\copy|\bCOPY\b(?:(?!\bCOPY\b).)*\bPROGRAM\b|\bLOAD_EXTENSION\b|\bINTO\s+(OUT|DUMP)FILE\b|\bxp_cmdshell\b`,
  String.raw`|load_extension|fts3_tokenizer|writefile|\bedit\b\W*\(|\b(INSTALL|LOAD|EXPORT|IMPORT)\s+\w`,
);

function classifyText(sql: string): readonly Effect[] {
  const plain = sql
    .replace(/'(''|[^'])*'/g, "''")
    .replace(/--[^\n]*/g, '')
    .replace(/\/\*[\s\S]*?(?:(\*\/)|$)/g, (comment, end) => (end === undefined ? comment : ''));
  const found = plain.split(';').flatMap((statement) => classifyStatement(statement.trim()));
  if (/readfile|read_(text|blob|csv|json|parquet)|fsdir|getenv|['"][^'"]*(\.env|\.ssh|\.pem|id_rsa|\.aws|shadow)\b/i.test(sql))
    return [...found, effect('secrets', 'files that a statement reads')];
  if (/['"]\w+:\/\//.test(sql)) return [...found, effect('network', 'an address in a statement')];
  if (/^\s*\.(sh|she|shel|shell|sy\w*|loa?d?)\b/m.test(sql)) return [...found, effect('starts', 'a program, from a database')];
  if (hasDotCommand(sql) || REACHES_OUT.test(sql)) return [...found, effect('runs', 'a command or a file of the database client')];
  return found;
}

/** Client commands start with a dot, may be abbreviated, and may start programs; a few, written in full, only display. */
function hasDotCommand(sql: string): boolean {
  const dotted = sql.split(/[\n;]/).filter((line) => /^\s*\./.test(line));
  return dotted.some(
    (line) =>
      !/^\s*\.(tables|schema|fullschema|dump|databases|indexes|indices|mode|headers?|width|show|stats)(?:\s+[\w.%*-]+)*\s*$/.test(line),
  );
}

/** Pragmas that only print, with any argument. */
const ASKS = joinedRegExp(
  'i',
  String.raw`^(?:\w+\.)?(?:table_x?info|table_list|index_(?:list|x?info)|(?:database|collation|function|module`,
  '|pragma)_list|foreign_key_(?:list|check)|foreign_keys|(?:integrity|quick)_check|compile_options|encoding',
  '|(?:user|schema|data)_version|application_id|journal_mode|page_(?:size|count)|max_page_count|freelist_count',
  '|auto_vacuum|cache_size|synchronous|locking_mode|query_only|show|version|storage_info',
  String.raw`|database_size)\s*(?:\([^()]*\)\s*)?$`,
);

/** Statements that drop or empty stored data. */
const DROPS = joinedRegExp(
  'i',
  String.raw`\b(DROP\s+(DATABASE|SCHEMA|TABLE|USER|ROLE|KEYSPACE|VIEW|INDEX|COLUMN)|TRUNCATE|FLUSHALL|FLUSHDB|dropDatabase`,
  String.raw`|\.drop\(|deleteMany\(\s*\{\s*\}|remove\(\s*\{\s*\}|VACUUM\s+FULL)`,
);

function classifyStatement(statement: string): readonly Effect[] {
  if (DROPS.test(statement)) return [effect('wrecks', 'a table or more')];
  if (/\b(DELETE\s+FROM|UPDATE)\b/i.test(statement))
    return [effect(/\bWHERE\b/i.test(statement) && !/\bWHERE\s+(1\s*=\s*1|TRUE)\b/i.test(statement) ? 'destroys' : 'wrecks', 'rows')];
  if (/\b(ALTER|GRANT|REVOKE|REPLACE\s+INTO|MERGE|deleteOne|deleteMany|updateMany|KILL|SHUTDOWN|REINDEX)\b/i.test(statement))
    return [effect('destroys', 'data of a database')];
  const pragma = /\bPRAGMA\s+(.*)$/is.exec(statement)?.[1];
  if (pragma !== undefined && !ASKS.test(pragma)) return [effect('changes', 'data of a database')];
  if (/\b(INSERT|CREATE|CALL|DO|SET|ATTACH|DETACH|VACUUM|COPY|EXECUTE|PRAGMA\s+\w+\s*=|insertOne|insertMany)\b/i.test(statement))
    return [effect('changes', 'data of a database')];
  return [];
}

function classifyServer({ options, operands }: Invocation, call: Call): readonly Effect[] {
  const code = options
    .filter(({ name }) => ['c', 'e', 'command', 'execute', 'eval', 'Q', 'q'].includes(name))
    .flatMap(({ value }) => value ?? []);
  const file = hasOption({ options }, 'f file');
  const text = [...code.map(({ value }) => value), ...(call.input.text === null ? [] : [call.input.text])];
  const found = text.flatMap((sql) => (sql === null ? [effect('unclear', 'a statement')] : classifySql(sql, call)));
  const unseen = file || (call.input.isGiven && call.input.text === null) ? [effect('runs', 'statements that are not in the command')] : [];
  const dropped = operands.some(({ start }) => /drop|flush/i.test(start)) ? [effect('wrecks', 'a database')] : [];
  return [effect('network', 'a database'), ...found, ...unseen, ...dropped];
}

function classifyRedis({ operands }: Invocation, call: Call): readonly Effect[] {
  const code = operands.slice(1).flatMap(({ value }) => (value === null ? [] : classifyStarted(value, call)));
  const verb = operands[0]?.value?.toUpperCase() ?? '';
  if (/^(FLUSHALL|FLUSHDB|SHUTDOWN)$/.test(verb)) return [effect('wrecks', 'everything that is kept'), effect('network')];
  if (/^(DEL|UNLINK|CONFIG|DEBUG|EVAL|SCRIPT|MIGRATE|RENAME|SLAVEOF|REPLICAOF|MODULE)$/.test(verb))
    return [effect('destroys', 'stored data'), effect('network'), ...code];
  return [effect('network', 'a database')];
}

/** Read-only statements. */
const QUERY = joinedRegExp(
  'i',
  String.raw`^\s*(SELECT|EXPLAIN|VALUES|\.(tables|schema|fullschema|dump|databases|indexes|indices|headers?|mode|width`,
  String.raw`|show)\b|PRAGMA\b|WITH\b)`,
);

function isQuery(text: string): boolean {
  return QUERY.test(text);
}

/** Statements that options tell a client to run first. */
function toldBy(options: Invocation['options'], call: Call): readonly Effect[] {
  return options.flatMap(({ name, value }) =>
    (name === 'cmd' || name === 'c') && typeof value?.value === 'string' ? classifySql(value.value, call) : [],
  );
}

/** A database file: queries read it, and all other statements change it. */
function classifyFile({ operands, options }: Invocation, call: Call): readonly Effect[] {
  if (options.some(({ name }) => name.startsWith('A'))) return [effect('changes', 'an archive')];
  const [file, ...statements] = operands;
  const found = statements.flatMap(({ value, text }) => (value === null ? [effect('unclear', text)] : classifySql(value, call)));
  if (file === undefined || (statements.length === 0 && call.input.text === null))
    return [effect('runs', 'statements that are not in the command'), ...toldBy(options, call)];
  const given = call.input.text === null ? [] : classifySql(call.input.text, call);
  const readOnly =
    statements.every(({ value }) => value !== null && isQuery(value)) && (call.input.text === null || isQuery(call.input.text));
  const opened = readOnly && found.length === 0 ? usePath(file, 'content', call.scope) : [effect('changes', `the database ${file.text}`)];
  return [...opened, ...found, ...toldBy(options, call), ...given, ...(hasOption({ options }, 'init') ? [effect('runs')] : [])];
}
