import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ConformanceOptions } from '@berth/conformance';
import { installTool } from '../../../interop/src/tools.ts';
import { startFront } from './start-front.ts';

const PACKAGE = 'specmatic@2.55.1';
/** Its compiler would optimize a program that runs for seconds. */
const JAVA = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/**
 * Checks a server with Specmatic alone: with the document of the gateway, a token, and the fixture service
 * under every name, because Specmatic generates the names. It cannot read the document of the storage API, which
 * has ranges of statuses.
 *
 * @returns the scenarios that fail
 */
export async function runSpecmatic(options: ConformanceOptions): Promise<string[]> {
  if (options.gatewayUrl === undefined) return [];
  const { gatewayToken: token } = options;
  const folder = await installTool('specmatic', [PACKAGE]);
  const reports = await mkdtemp(join(tmpdir(), 'berth-specmatic-'));
  const front = await startFront(options, 'conformance');
  try {
    const jar = join(folder, 'node_modules/specmatic/specmatic.jar');
    const document = fileURLToPath(import.meta.resolve('@berth/spec/gateway.v1.json'));
    const child = spawn(
      'java',
      [...JAVA, '-jar', jar, 'test', document, `--testBaseURL=${front.url}`],
      {
        cwd: reports,
        stdio: ['ignore', 'pipe', 'ignore'],
        // It reads the credential of a security scheme from the variable of that name, and cannot sign.
        env: { ...process.env, bearerToken: token, signature: `Bearer ${token}` },
      },
    );
    const missing = once(child, 'error').then(([cause]) => {
      throw new Error('Specmatic needs Java 17: install openjdk-17-jre-headless.', { cause });
    });
    const output = await Promise.race([text(child.stdout), missing]);
    const failed = [...output.matchAll(/^Scenario: (.*) has FAILED$/gm)].map(([, name]) => name);
    if (!/^Tests run: [1-9]/m.test(output)) throw new Error(`Specmatic failed:\n${output}`);
    // Several tests have the same name.
    const counts = new Map<string, number>();
    return failed.map((name = '') => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return count === 1 ? name : `${name} (${count})`;
    });
  } finally {
    await front.close();
    await rm(reports, { recursive: true });
  }
}
