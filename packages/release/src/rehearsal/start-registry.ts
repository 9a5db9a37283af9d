import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { runServer } from 'verdaccio';

export interface Registry {
  /** `http://127.0.0.1:…/` */
  url: string;
  /** Warnings and errors. */
  readLog(): string;
  close(): Promise<void>;
}

/**
 * Starts a registry on loopback. It knows what is published to it, of `@berth` nothing else, and gets all
 * other packages from the registry that npm is set to.
 *
 * @param folder for what it stores
 * @throws if the other registry cannot be reached
 */
export async function startRegistry(folder: string): Promise<Registry> {
  const log = join(folder, 'registry.log');
  // Node trusts only its own list; a company's certificate authority is in that of the machine.
  setDefaultCACertificates([...getCACertificates('default'), ...getCACertificates('system')]);
  const server = await runServer({
    storage: join(folder, 'storage'),
    self_path: folder,
    configPath: join(folder, 'config.yaml'),
    uplinks: { upstream: { url: readUpstream(), maxage: '1h', timeout: '60s', max_fails: 20 } },
    packages: {
      '@berth/*': { access: '$all', publish: '$anonymous' },
      '**': { access: '$all', proxy: 'upstream' },
    },
    auth: { htpasswd: { file: join(folder, 'htpasswd'), max_users: -1 } },
    security: {},
    web: { enable: false },
    log: { type: 'file', path: log, format: 'pretty', level: 'warn', colors: false },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const { ok } = await fetch(`${url}verdaccio`);
  if (!ok) {
    throw new Error('The registry that npm is configured to use does not respond.');
  }
  return {
    url,
    readLog: () => readFileSync(log, 'utf8'),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Asked in a folder of no project: what counts is how this machine is set up. */
function readUpstream(): string {
  const args = ['config', 'get', 'registry'];
  return execFileSync('npm', args, { cwd: tmpdir(), encoding: 'utf8', stdio: 'pipe' }).trim();
}
