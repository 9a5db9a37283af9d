import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { Refusal } from '../refusal.ts';

const FILE = 'file';
const LIMITS = { fields: 32, parts: 64, fieldSize: 4096, headerPairs: 32, headerSize: 8192 };

/** Takes the content of the form's file, chunk by chunk. */
export type FileSink = (chunk: Buffer) => void;

/**
 * Reads an upload form as a stream.
 *
 * @param open is called when `file` begins, with the fields before it and their names in lower case
 *   (D27: "field names case-insensitive; `file` last"); what it returns takes the content
 * @returns when the form is whole, its closing boundary included
 * @throws Refusal for a form that is broken or has no file, or what `open` or its sink throws
 */
export function readForm(
  request: IncomingMessage,
  open: (fields: Map<string, string>, contentType: string) => FileSink,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fields = new Map<string, string>();
  const form = createParser(request);
  let sink: FileSink | undefined;

  form.on('field', (name, value, _nameTruncated, valueTruncated) => {
    // D27: "`file` last", so what comes after it is ignored.
    if (sink !== undefined) return;
    const key = String(name).toLowerCase();
    if (valueTruncated)
      fail(malformed(`The field ${name} is longer than ${LIMITS.fieldSize} bytes.`));
    // Of two values, one that was checked and another that was meant could be taken.
    else if (fields.has(key)) fail(malformed(`The form has the field ${name} twice.`));
    else fields.set(key, value);
  });
  form.on('file', (_name, content, _filename, _encoding, contentType) => {
    content.on('error', fail);
    if (sink !== undefined) return content.resume();
    const take = attempt(() => open(fields, contentType));
    sink = take;
    return content.on('data', (chunk) => attempt(() => take?.(chunk)));
  });
  form.on('error', () => fail(malformed('The body is no complete multipart form.')));
  form.on('finish', () => {
    if (sink === undefined)
      fail(malformed('The form has no field file: send it as the last field.'));
    resolve();
  });
  request.once('close', () => {
    if (!request.complete) fail(malformed('The body broke off.'));
  });
  request.pipe(form);

  function attempt<Result>(run: () => Result): Result | undefined {
    try {
      return run();
    } catch (error) {
      fail(error);
      return undefined;
    }
  }
  function fail(error: unknown) {
    reject(error);
    request.unpipe(form);
    form.removeAllListeners('file').destroy();
  }
  return promise;
}

function createParser(request: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: LIMITS,
      isPartAFile: (name) => name?.toLowerCase() === FILE,
    });
  } catch {
    throw malformed('The header Content-Type must be multipart/form-data with a boundary.');
  }
}

function malformed(message: string): Refusal {
  return new Refusal('MalformedPOSTRequest', message);
}
