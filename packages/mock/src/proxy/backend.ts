import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SurfaceName } from '../contract/surface.ts';

/** A real deployment, or recordings of one, that responds in place of the mock. */
export interface Backend {
  readonly listeners: Readonly<
    Record<SurfaceName, Readonly<Record<'request' | 'checkContinue', RequestListener>>>
  >;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Closes connections, and waits for pending writes. */
  close(): Promise<void>;
}

export function toBackendListeners(
  request: RequestListener,
  checkContinue: RequestListener,
): Backend['listeners'] {
  const one = { request, checkContinue };
  return { gateway: one, storage: one, upload: one, link: one };
}
