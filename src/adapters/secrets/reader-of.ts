import { basename } from 'node:path';
import { envReader, keptReader, keyReader, netrcReader, type Reader, shapeReader } from './readers.ts';

/** How a file is read whose name or place says that it holds secrets; `from` names it to a person. */
export function readerOf(path: string, from: string): Reader {
  const name = basename(path);
  if (isEnvFile(name)) return envReader(from);
  if (/^[._]netrc$/.test(name)) return netrcReader(from);
  if (/_history$|^\.history$|^\.viminfo$|^\.lesshst$/.test(name)) return shapeReader(from);
  if (/\.(?:pem|key|ppk)$|^id_/.test(name)) return keyReader(from, name);
  return keptReader(from, name.replace(/^\.|\.[a-z]+$/g, '') || name);
}

/** `.env` and its kin, and the variables of Terraform; an example to copy holds no secret. */
export function isEnvFile(name: string): boolean {
  return (
    /^\.env(?:rc)?(?:[._-]|$)|^\.dev\.vars(?:\.|$)|\.env$|\.tfvars$/.test(name) &&
    !/example|sample|template|dist$|schema|vault$/i.test(name)
  );
}

/** The usual names of environment files come first, so that many others never take their place. */
export function rankOfEnvFile(name: string): number {
  const rank = USUAL.indexOf(name);
  return rank === -1 ? USUAL.length : rank;
}

const USUAL: readonly string[] = [
  ...['.env', '.env.local', '.env.development', '.env.development.local', '.env.production', '.env.production.local'],
  ...['.env.test', '.env.test.local', '.env.staging', '.envrc', '.dev.vars', 'terraform.tfvars'],
];
