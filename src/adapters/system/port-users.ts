import { readFileSync } from 'node:fs';
import { isLoopbackHost } from '../../core/text/address.ts';
import { attempt } from '../../core/text/attempt.ts';

/** A socket that listens, in the tables of the kernel. */
const LISTENS = '0A';
/** Loopback or every address, of both families, as the kernel writes them. */
const REACHED = /^(?:(?:0{8}){1,4}|(?:0{16}FFFF0{4})?[\dA-F]{6}7F|0{24}01000000)$/;

/** Users who are neither you nor root, and listen at this address of this machine. Linux only: elsewhere the list is empty. */
export function strangersAt(address: string): readonly number[] {
  const { hostname, port } = new URL(address);
  if (!isLoopbackHost(hostname)) return [];
  const wanted = Number(port || 80);
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((table) => attempt(() => readFileSync(table, 'utf8'), ''));
  const users = tables
    .join('\n')
    .split('\n')
    .flatMap((row) => {
      const [, local = '', , state, , , , user] = row.trim().split(/\s+/);
      const [host = '', at = ''] = local.split(':');
      return state === LISTENS && Number.parseInt(at, 16) === wanted && REACHED.test(host) ? [Number(user)] : [];
    });
  return users.filter((user) => user !== 0 && user !== process.geteuid?.());
}

/** The numbers that systemd gives to services while they run. */
const DYNAMIC = { from: 61_184, to: 65_519 };

/** Whether another person listens at this address of this machine: services of the system have other numbers. Those of a directory service are large. */
export function isOfAnotherPerson(address: string): boolean {
  return strangersAt(address).some((user) => user >= 1000 && (user < DYNAMIC.from || user > DYNAMIC.to));
}
