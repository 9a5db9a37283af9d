import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Router, RouteTable } from '../../src/runtime/index.ts';

// Starts a server from a generated folder without handlers, calls every operation once, and prints how
// often each status occurred.
const [folder = '.'] = process.argv.slice(2);
const started = performance.now();
const index = await import(pathToFileURL(join(folder, 'index.gen.ts')).href);
const routes: RouteTable = index.routes;
const security = Object.fromEntries(
  Object.keys(routes.securitySchemes).map((scheme) => [scheme, () => true]),
);
const router: Router = index.createRouter({}, { security });
const server = createServer(router).listen(0, '127.0.0.1');
await once(server, 'listening');
const milliseconds = performance.now() - started;

const { port } = server.address() as AddressInfo;
const statuses: Record<string, number> = {};
for (const { method, path } of routes.routes) {
  if (method === 'TRACE') continue;
  const url = `http://127.0.0.1:${port}${path.replace(/\{[^}]*\}/g, '1')}`;
  const response = await fetch(url, { method });
  await response.arrayBuffer();
  statuses[response.status] = (statuses[response.status] ?? 0) + 1;
}
server.close();
process.stdout.write(JSON.stringify({ milliseconds, statuses }));
