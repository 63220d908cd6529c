/** Errors of a client of the daemon. */

import { AishError } from '../../protocol/error.ts';

/** `what`: what the daemon did instead of following the protocol. */
const wrongProtocol = (what: string) =>
  new AishError('daemon.protocol', `the daemon ${what}`, {
    hint: 'make sure that aish and the daemon have the same version',
  });
export const invalidEvent = (data: string) => wrongProtocol(`sent an invalid event: ${data.slice(0, 200)}`);
export const noSessionId = () => wrongProtocol('did not name the session that it opened');
export const noDirectory = () => wrongProtocol('did not say in which directory its shell is');
export const connectionLost = (address: string, cause: unknown) =>
  new AishError('daemon.lost', `the connection to ${address} was lost before the daemon answered`, {
    hint: 'the request may have taken effect; check before you send it again',
    cause,
  });
export const noDaemon = (address: string, cause: unknown) =>
  new AishError('daemon.unreachable', `no daemon is running at ${address}`, {
    hint: 'start one with: aish serve',
    cause,
  });
export const refused = (status: number, text: string) =>
  new AishError('daemon.refused', `the daemon answered ${status}: ${text.slice(0, 200)}`);
