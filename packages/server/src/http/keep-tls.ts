import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { type FileWatch, watchFile } from '../config/watch-file.ts';
import type { Log } from '../log/create-log.ts';
import { readTls } from './read-tls.ts';

/** Takes over a new certificate when its files change; connections that are open keep the old one. */
export function keepTls(
  server: Server,
  files: { readonly cert: string; readonly key: string },
  log: Log,
): Promise<FileWatch> {
  const onError = (error: unknown) =>
    log.error({ err: error }, 'the new certificate cannot be used; the old one stays');
  const renew = async () => {
    (server as TlsServer).setSecureContext({ ...(await readTls(files)), minVersion: 'TLSv1.2' });
    log.info('took over a new certificate');
  };
  return watchFile([files.cert, files.key], renew, { onError });
}
