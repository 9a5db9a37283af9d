import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdmin } from './admin/create-admin.ts';
import type { Config } from './config/config.ts';
import { createCore } from './core/create-core.ts';
import type { BerthServer } from './create-server.ts';
import { toUrl } from './http/to-url.ts';
import type { ServerLog } from './log/create-log.ts';

/** A server whose configuration has been read. */
export interface LoggedServer extends Omit<BerthServer, 'reload' | typeof Symbol.asyncDispose> {
  /** As `reload` of a server. */
  take(config: Config): Promise<readonly string[]>;
}

/** Makes a server: the core, and the admin server beside it. */
export async function createLoggedServer(config: Config, log: ServerLog): Promise<LoggedServer> {
  const core = await createCore(config, log);
  const admin = createAdmin({
    hosts: config.admin.hosts,
    unreadiness: core.unreadiness,
    metrics: async () => {
      const { registry } = core.metrics;
      return { type: registry.contentType, text: await registry.metrics() };
    },
  });
  return {
    get url() {
      return core.url;
    },
    get adminUrl() {
      return toAdminUrl(config, admin);
    },
    async listen() {
      await listenAdmin(config, admin);
      await core.listen().catch(async (error) => {
        await stopAdmin(admin);
        throw error;
      });
    },
    take: core.reload,
    async close() {
      // First the core, so that whoever asks hears that the server is draining.
      await core.close();
      await stopAdmin(admin);
    },
  };
}

function toAdminUrl({ admin: { host } }: Config, admin: Server): string {
  return toUrl('http', host, (admin.address() as AddressInfo).port);
}

async function listenAdmin({ admin: { host, port } }: Config, admin: Server): Promise<void> {
  admin.listen(port, host);
  await once(admin, 'listening');
}

async function stopAdmin(admin: Server): Promise<void> {
  if (!admin.listening) return;
  const closed = once(admin, 'close');
  admin.close();
  admin.closeAllConnections();
  await closed;
}
