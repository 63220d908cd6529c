import { dirname } from 'node:path';
import { SocketPeers } from '../../adapters/system/socket-peers.ts';
import { AishError } from '../../protocol/error.ts';
import { HttpError, toErrorResponse } from './http-error.ts';

/**
 * Looks at each request that comes over a socket, before anything is waited for: null for one to go on with. The rights of socket and folder
 * keep other users out; should these ever be wider, their connections are cut, and the owner is told once. `path` is that under which the
 * socket was bound.
 */
export function guardSocket(path: string, onFault: (thrown: unknown) => void): () => Response | null {
  const peers = new SocketPeers(path);
  let isTold = false;
  return () => {
    if (peers.cutStrangers() === 0) return null;
    if (!isTold) onFault(reached(path));
    isTold = true;
    // Theirs is cut; this may be another one, which came in the same moment.
    return toErrorResponse(
      new HttpError(503, {
        code: 'http.stranger',
        message: 'another user was connected to this socket, and was cut off',
        hint: 'ask once more',
      }),
    );
  };
}

function reached(path: string): AishError {
  return new AishError('socket.stranger', `another user reached ${path}, and was cut off before anything was done`, {
    hint: `chmod 700 ${dirname(path)} keeps others out`,
  });
}
