import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenWebSocket } from '@berth/client';
import { WebSocket as PackageWebSocket } from 'ws';
import type { Deployment } from '../platform-case.ts';
import type { PlatformId } from '../platforms.ts';
import { runSuite } from '../run-suite.ts';
import { SUITE } from '../suite.ts';
import { createTrustingFetch } from './trusting-fetch.ts';

/** Runs the suite in a Node, Deno or Bun process: `<platform> <deployment as JSON>`. */
const [platform = '', deployment = ''] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'berth-suite-'));

const openWebSocket: OpenWebSocket = (url, protocols, headers) =>
  new PackageWebSocket(url, protocols, { headers }) as never;

await runSuite(
  SUITE,
  platform as PlatformId,
  JSON.parse(deployment) as Deployment,
  {
    openWebSocket,
    disk: {
      async write(name, bytes) {
        const path = join(folder, name);
        await writeFile(path, bytes);
        return path;
      },
      read: (path) => readFile(path),
    },
    trustingFetch: await createTrustingFetch(),
    createAgent: (ca) => new Agent({ ca }),
  },
  (result) => process.stdout.write(`${JSON.stringify(result)}\n`),
);
await rm(folder, { recursive: true });
// The cases check what is still open. A platform may keep idle connections for a while.
process.exit(0);
