import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ConformanceOptions } from '@berth/conformance';
import { installTool } from '../../../interop/src/tools.ts';
import { signStorageHeaders } from '../sign-storage-headers.ts';
import { startFront } from './start-front.ts';
import { toGatewayDocument, toStorageDocument } from './to-specmatic-documents.ts';

const PACKAGE = 'specmatic@2.55.1';
/** Its compiler would optimize a program that runs for seconds. */
const JAVA = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/**
 * Checks a server with Specmatic alone: with copies of the documents, credentials in the environment, and the
 * fixture service under every name, because Specmatic generates the names.
 *
 * @returns the scenarios that fail
 */
export async function runSpecmatic(options: ConformanceOptions): Promise<string[]> {
  const { gatewayUrl, storageUrl, gatewayToken: token, tc3, env = '' } = options;
  const folder = await installTool('specmatic', [PACKAGE]);
  const jar = join(folder, 'node_modules/specmatic/specmatic.jar');
  const key = { id: tc3?.secretId ?? '', secret: tc3?.secretKey ?? '' };
  const [authorization, sessionToken, timestamp] = Object.values(signStorageHeaders(key));
  const front = await startFront(options, 'conformance');
  const targets = [
    ...(gatewayUrl === undefined ? [] : [{ document: toGatewayDocument(), url: front.url }]),
    ...(storageUrl === undefined ? [] : [{ document: toStorageDocument(env), url: storageUrl }]),
  ];
  const place = await mkdtemp(join(tmpdir(), 'berth-specmatic-'));
  try {
    const failed: string[] = [];
    for (const { document, url } of targets) {
      const file = join(place, 'document.json');
      await writeFile(file, JSON.stringify(document));
      const child = spawn('java', [...JAVA, '-jar', jar, 'test', file, `--testBaseURL=${url}`], {
        cwd: place,
        stdio: ['ignore', 'pipe', 'ignore'],
        // It reads the credential of a security scheme from the variable of that name, and cannot sign.
        env: {
          ...process.env,
          ...{ bearerToken: token, signature: `Bearer ${token}` },
          ...{ authorization, sessionToken, timestamp },
        },
      });
      const missing = once(child, 'error').then(([cause]) => {
        throw new Error('Specmatic needs Java 17: install openjdk-17-jre-headless.', { cause });
      });
      failed.push(...readFailed(await Promise.race([text(child.stdout), missing])));
    }
    return toUnique(failed);
  } finally {
    await front.close();
    await rm(place, { recursive: true });
  }
}

/** @throws Error if Specmatic did not run a single test */
function readFailed(output: string): string[] {
  if (!/^Tests run: [1-9]/m.test(output)) throw new Error(`Specmatic failed:\n${output}`);
  return [...output.matchAll(/^Scenario: (.*) (?:has FAILED|was ABORTED)$/gm)].map(
    ([, name = '']) => name,
  );
}

/** Numbers equal names: several tests may have the same. */
function toUnique(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}
