import { connect } from 'node:net';
import type { HostileRequest } from './hostile-request.ts';

/** How long a request may take, in milliseconds, before the server counts as hung. */
const PATIENCE = 300_000;

/** Outcome of a request: the status of each response on the connection, or none if it was just closed. */
export interface Outcome {
  readonly statuses: readonly number[];
  readonly received: string;
  readonly hangs: boolean;
}

/** Sends a request over a separate connection. An incomplete one ends with the connection. */
export function attack(port: number, { bytes, isWhole }: HostileRequest): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let received = '';
    const end = (hangs: boolean) => {
      clearTimeout(timer);
      // Avoids TIME_WAIT, because a soak sends more requests than a machine has ports.
      socket.resetAndDestroy();
      const statuses = [...received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) =>
        Number(status),
      );
      resolve({ statuses, received, hangs });
    };
    const timer = setTimeout(() => end(true), PATIENCE);
    const quiet = () => socket.end();
    let idle: NodeJS.Timeout | undefined;
    socket.on('connect', () => {
      socket.write(bytes, 'latin1');
      if (!isWhole) idle = setTimeout(quiet, 30);
    });
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      clearTimeout(idle);
      idle = setTimeout(quiet, 30);
    });
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('close', () => end(false));
  });
}
