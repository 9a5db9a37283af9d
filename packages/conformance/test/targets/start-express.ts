import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { startFixture } from '../../fixture/server.mjs';
import type { Target } from './start-reference.ts';

const SERVER = fileURLToPath(new URL('../../../../examples/express/server.ts', import.meta.url));

/** Starts the example of a deployment with Express. It has one environment, and no service that is forbidden. */
export async function startExpress(): Promise<Target> {
  const fixture = await startFixture({ port: 0 });
  const port = await freePort();
  const SERVICES = JSON.stringify({ conformance: fixture.url });
  const server = spawn(process.execPath, ['--conditions=berth-source', SERVER], {
    env: { ...process.env, PORT: String(port), SERVICES },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
  const url = `http://127.0.0.1:${port}`;
  return {
    options: {
      gatewayUrl: url,
      storageUrl: url,
      gatewayToken: 'any',
      tc3SecretId: 'me',
      tc3SecretKey: 'secret',
      timeout: 60,
    },
    async close() {
      server.kill();
      await fixture.close();
    },
  };
}
