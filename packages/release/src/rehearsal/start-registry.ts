import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { runServer } from 'verdaccio';

export interface Registry {
  /** Where `@berth` is published: `http://127.0.0.1:…/` */
  url: string;
  /** The `.npmrc` with which packages are published to it. */
  settings: string;
  /** Where all other packages come from: the registry that npm is configured to use. */
  upstream: string;
  /** File with the certificate authorities of this machine: Node trusts only its own list. */
  certificates: string;
  /** Warnings and errors. */
  readLog(): string;
  close(): Promise<void>;
}

/**
 * Starts a registry on loopback, for `@berth` packages only.
 *
 * @param folder where it stores its data
 * @throws if the registry for all other packages does not respond
 */
export async function startRegistry(folder: string): Promise<Registry> {
  const log = join(folder, 'registry.log');
  const upstream = runNpm('config', 'get', 'registry');
  runNpm('view', 'npm', 'version');
  const certificates = join(folder, 'certificates.pem');
  const authorities = [...getCACertificates('system'), ...getCACertificates('extra')];
  writeFileSync(certificates, authorities.join('\n'));
  const server = await runServer({
    storage: join(folder, 'storage'),
    self_path: folder,
    configPath: join(folder, 'config.yaml'),
    packages: { '@berth/*': { access: '$all', publish: '$anonymous' } },
    auth: { htpasswd: { file: join(folder, 'htpasswd'), max_users: -1 } },
    security: {},
    web: { enable: false },
    log: { type: 'file', path: log, format: 'pretty', level: 'warn', colors: false },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    settings: `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=none\n`,
    upstream,
    certificates,
    readLog: () => readFileSync(log, 'utf8'),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Runs npm in a folder outside any project, where only this machine's configuration applies. */
function runNpm(...args: string[]): string {
  return execFileSync('npm', args, { cwd: tmpdir(), encoding: 'utf8', stdio: 'pipe' }).trim();
}
