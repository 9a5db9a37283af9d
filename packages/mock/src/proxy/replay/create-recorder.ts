import { link, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Violation } from '@berth/server-stubs';
import type { Context } from '../../context.ts';
import type { KeptBytes } from '../../session/call-record.ts';
import { describeFileError, makeFolder } from '../../util/folders.ts';
import type { Exchange, Recorder } from '../forward.ts';
import type { RawHeaders } from '../headers.ts';
import {
  contractHashOf,
  createScrubber,
  FORMAT,
  type Recording,
  RecordingError,
  type Scrubber,
  toJsonBody,
} from './recording.ts';

/** D13: the gateway's limit. Longer bodies are not recorded. */
const MAX_BYTES = 20 * 1024 * 1024;

/**
 * Creates a recorder that writes each completed call to its own file. The files are numbered in the order in
 * which the calls end, and the numbers continue from those in the folder.
 *
 * @param dir created if missing
 * @throws FolderError, RecordingError if the folder cannot be created or read
 */
export async function createRecorder(
  dir: string,
  context: Pick<Context, 'profile' | 'options'>,
): Promise<Recorder> {
  const scrubber = createScrubber(context);
  const writing = new Set<Promise<void>>();
  const contract = contractHashOf(context.options);
  let last = await findLast(dir);

  return {
    maxBytes: MAX_BYTES,
    add(exchange) {
      // A replay handles preflights itself.
      if (exchange.request.method === 'OPTIONS') return;
      const recorded = toRecording(exchange, scrubber);
      if (recorded === undefined) {
        const { method, target } = exchange.record.request;
        process.emitWarning(`${method} ${target} is too large to be recorded.`, 'MockWarning');
        return;
      }
      const recording = { ...recorded, ...(contract !== undefined && { contract }) };
      last += 1;
      const path = join(dir, `${String(last).padStart(4, '0')}-${toName(recording)}.json`);
      const written = writeWhole(path, `${JSON.stringify(recording, null, 2)}\n`)
        .catch((error) => process.emitWarning(error))
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    async close() {
      await Promise.all(writing);
    },
  };
}

/** Writes a file under a temporary name first, so that a replay never reads a partial file. */
async function writeWhole(path: string, text: string): Promise<void> {
  const part = `${path}.part`;
  try {
    // Only this user may read the recordings.
    await writeFile(part, text, { mode: 0o600, flag: 'wx' });
    await link(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

/** Returns the highest recording number in a folder; 0 if it has none. */
async function findLast(dir: string): Promise<number> {
  makeFolder(dir);
  try {
    const names = await readdir(dir);
    return names.reduce((most, name) => Math.max(most, Number.parseInt(name, 10) || 0), 0);
  } catch (error) {
    throw new RecordingError(
      `The folder ${dir} cannot be read: ${describeFileError(error as Error)}.`,
    );
  }
}

function toRecording(exchange: Exchange, scrubber: Scrubber): Recording | undefined {
  const { request, record, requestBody, body, status, headers, origin } = exchange;
  if (!requestBody.isWhole || !body.isWhole) return undefined;
  const { surface, operationId, at, violations, responseViolations } = record;
  scrubber.learn(request.rawHeaders);
  scrubber.learn(headers);
  if (surface === 'storage' && body.bytes) scrubber.learnGrant(body.bytes);
  const toMessage = (side: 'request' | 'response', raw: RawHeaders, kept: KeptBytes) => ({
    headers: scrubber.headers(raw),
    ...(kept.bytes && { body: toJsonBody(scrubber.body(side, surface, kept.bytes)) }),
  });
  const toScrubbed = (violation: Violation) => ({
    ...violation,
    message: scrubber.target(violation.message),
  });
  return {
    format: FORMAT,
    surface,
    ...(operationId !== undefined && { operationId }),
    at: new Date(at).toISOString(),
    ms: { head: Math.round(exchange.headMs), total: Math.round(exchange.totalMs) },
    origin,
    request: {
      method: request.method ?? 'GET',
      target: scrubber.target(request.url ?? '/'),
      ...toMessage('request', request.rawHeaders, requestBody),
    },
    response: { status, ...toMessage('response', headers, body) },
    violations: violations.map(toScrubbed),
    responseViolations: responseViolations.map(toScrubbed),
  };
}

function toName({ operationId, request: { method, target } }: Recording): string {
  const path = target.split('?', 1)[0] as string;
  const words = operationId?.startsWith('cloudrun') ? path.replace('/v1/cloudrun/', '') : undefined;
  const name = words ?? operationId ?? path;
  const slug = name
    .replace(/[^a-zA-Z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
  return `${method.toLowerCase()}-${slug || 'root'}`;
}
