import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import { FaultError, malformed, tooMany } from '../faults.ts';
import type { Limits } from '../options.ts';
import type { Content } from '../route-table.ts';
import { charsetOf } from './media-type.ts';
import { type Part, PartReader } from './part-reader.ts';
import { limitStream } from './request-stream.ts';

/**
 * The parts of a form in the order in which they arrive, unbuffered and with backpressure. Throws a
 * `FaultError` if the form is malformed or exceeds a limit, at a part that violates the document, and
 * after the last part if a required one is missing.
 *
 * @example
 * for await (const part of input.body) {
 *   if (part.kind === 'file') await pipeline(part.body, createWriteStream('/tmp/upload'));
 * }
 */
export type MultipartStream<Parts = Part> = AsyncIterable<Parts>;

/** A form that stores the error that ended it, which may explain why a handler failed. */
export interface Form extends MultipartStream {
  readonly failure: FaultError | undefined;
}

/** A token (RFC 9110, section 5.6.2), as which every charset can be written. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

type FormLimits = Pick<
  Limits,
  'streamBytes' | 'formFields' | 'formFiles' | 'fieldBytes' | 'jsonDepth'
>;

/** Nothing is read until the first part is requested. */
export function createMultipartStream(
  request: IncomingMessage,
  content: Content,
  limits: FormLimits,
): Form {
  const state: State = {
    queue: [],
    files: new Set(),
    failure: undefined,
    finished: false,
    wake: () => {},
  };
  return {
    get failure() {
      return state.failure;
    },
    [Symbol.asyncIterator]: () =>
      readParts(request, new PartReader(content, limits.jsonDepth), limits, state),
  };
}

interface State {
  readonly queue: Part[];
  readonly files: Set<Readable>;
  failure: FaultError | undefined;
  finished: boolean;
  wake: () => void;
}

async function* readParts(
  request: IncomingMessage,
  reader: PartReader,
  limits: FormLimits,
  state: State,
): AsyncGenerator<Part, void, undefined> {
  const form = await createBusboy(request, reader, limits);
  const source = limitStream(request, limits.streamBytes);
  const fail = (error: unknown) => {
    state.failure ??= toFaultError(error);
    // Readers of a file must learn that its end will never arrive.
    for (const file of state.files) file.destroy(state.failure);
    state.wake();
  };
  listen(form, limits, state, fail);
  const onClose = () => {
    if (!request.complete) fail(new Error('the client disconnected'));
  };
  source.on('error', fail);
  request.once('close', onClose);
  source.pipe(form);
  let file: Readable | undefined;
  try {
    for (;;) {
      // Before the parts that have arrived, or the response would depend on how the bytes arrive.
      if (state.failure) throw state.failure;
      const part = state.queue.shift();
      if (part !== undefined) {
        file = part.kind === 'file' ? part.body : undefined;
        const read = reader.read(part);
        if (read !== undefined) yield read;
        file?.resume();
      } else if (state.finished) {
        reader.finish();
        return;
      } else {
        await new Promise<void>((resolve) => {
          state.wake = resolve;
        });
      }
    }
  } catch (error) {
    // An error of the handler is not thrown here.
    state.failure ??= toFaultError(error);
    throw state.failure;
  } finally {
    request.off('close', onClose);
    source.unpipe(form);
    if (!state.finished) request.pause();
    file?.destroy();
  }
}

async function createBusboy(
  request: IncomingMessage,
  reader: PartReader,
  limits: FormLimits,
): Promise<BusboyInstance> {
  // Loaded with the first form, because most servers never receive one and should start fast.
  const { Busboy } = await import('@fastify/busboy');
  try {
    return new Busboy({
      headers: { 'content-type': request.headers['content-type'] ?? '' },
      isPartAFile: (name, mediaType, filename) => reader.isFile(name, mediaType, filename),
      limits: {
        fields: limits.formFields,
        files: limits.formFiles,
        fieldSize: limits.fieldBytes,
      },
    });
  } catch (error) {
    throw toFaultError(error);
  }
}

function listen(
  form: BusboyInstance,
  limits: FormLimits,
  state: State,
  fail: (error: unknown) => void,
) {
  const add = (part: Part) => {
    state.queue.push(part);
    state.wake();
  };
  const refuse = (what: string, most: number) => fail(new FaultError(tooMany(what, most)));
  form.on('field', (name, value, _nameTruncated, truncated, _encoding, mediaType) => {
    if (truncated) {
      refuse(`bytes in field ${name}`, limits.fieldBytes);
    } else if (name === undefined) {
      fail(new Error('a field has no name'));
    } else {
      add({ kind: 'field', name, value, mediaType });
    }
  });
  let charset: string | undefined;
  // Busboy does not report the charset of a file, but its parser emits the headers of each part first.
  const internals = form as unknown as { _parser?: { parser?: EventEmitter } };
  internals._parser?.parser?.prependListener('part', (part: EventEmitter) => {
    part.on('header', (headers: Readonly<Record<string, readonly string[]>>) => {
      charset = charsetOf(headers['content-type']?.[0] ?? '');
    });
  });
  form.on('file', (name, body, filename, _encoding, mediaType) => {
    // A malformed form fails its file. The error is reported even if nobody reads that file.
    body.on('error', fail);
    state.files.add(body);
    body.once('close', () => state.files.delete(body));
    const type = { mediaType, ...(charset !== undefined && TOKEN.test(charset) && { charset }) };
    add({ kind: 'file', name: name ?? '', filename: filename ?? '', ...type, body });
  });
  form.on('fieldsLimit', () => refuse('fields', limits.formFields));
  form.on('filesLimit', () => refuse('files', limits.formFiles));
  form.on('error', fail);
  form.on('finish', () => {
    state.finished = true;
    state.wake();
  });
}

function toFaultError(error: unknown): FaultError {
  if (error instanceof FaultError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new FaultError(malformed(`The form cannot be read: ${reason}.`, error));
}
