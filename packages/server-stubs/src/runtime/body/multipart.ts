import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import { FaultError, malformed, tooMany } from '../faults.ts';
import type { Limits } from '../options.ts';
import { limitStream } from './request-stream.ts';

/** A text field of a form. */
export interface FieldPart {
  readonly kind: 'field';
  readonly name: string;
  readonly value: string;
  /** Without parameters, in lower case. Default `text/plain`. */
  readonly mediaType: string;
}

/** A file of a form. */
export interface FilePart {
  readonly kind: 'file';
  readonly name: string;
  readonly filename: string;
  /** Without parameters, in lower case. Default `application/octet-stream`. */
  readonly mediaType: string;
  /** The content. What is left unread is discarded when the next part is requested. */
  readonly body: Readable;
}

export type Part = FieldPart | FilePart;

/**
 * The parts of a form in the order in which they arrive, unbuffered and with backpressure. Throws
 * `FaultError` if the form is malformed or exceeds a limit.
 *
 * @example
 * for await (const part of input.body) {
 *   if (part.kind === 'file') await pipeline(part.body, createWriteStream('/tmp/upload'));
 * }
 */
export type MultipartStream = AsyncIterable<Part>;

/** A form that remembers its failure, which explains a failure of the handler. */
export interface Form extends MultipartStream {
  /** Why the form cannot be read to its end; undefined if there was no error. */
  readonly failure: FaultError | undefined;
}

type FormLimits = Pick<Limits, 'streamBytes' | 'formFields' | 'formFiles' | 'fieldBytes'>;

/** Creates the stream of a form. Nothing is read before the first part is requested. */
export function createMultipartStream(request: IncomingMessage, limits: FormLimits): Form {
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
    [Symbol.asyncIterator]: () => readParts(request, limits, state),
  };
}

interface State {
  readonly queue: Part[];
  /** Files that are not completely read yet. */
  readonly files: Set<Readable>;
  failure: FaultError | undefined;
  finished: boolean;
  wake: () => void;
}

async function* readParts(
  request: IncomingMessage,
  limits: FormLimits,
  state: State,
): AsyncGenerator<Part, void, undefined> {
  const form = await createBusboy(request, limits);
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
      const part = state.queue.shift();
      if (part !== undefined) {
        file = part.kind === 'file' ? part.body : undefined;
        yield part;
        file?.resume();
      } else if (state.failure) {
        throw state.failure;
      } else if (state.finished) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          state.wake = resolve;
        });
      }
    }
  } finally {
    request.off('close', onClose);
    source.unpipe(form);
    if (!state.finished) request.pause();
    file?.destroy();
  }
}

async function createBusboy(request: IncomingMessage, limits: FormLimits): Promise<BusboyInstance> {
  // Loaded with the first form, because most servers have none and should start fast.
  const { Busboy } = await import('@fastify/busboy');
  try {
    return new Busboy({
      headers: { 'content-type': request.headers['content-type'] ?? '' },
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
      refuse(`bytes in the field ${name}`, limits.fieldBytes);
    } else if (name === undefined) {
      fail(new Error('a field has no name'));
    } else {
      add({ kind: 'field', name, value, mediaType });
    }
  });
  form.on('file', (name, body, filename, _encoding, mediaType) => {
    // A malformed form fails its file; the error is reported even if nobody reads the file.
    body.on('error', fail);
    state.files.add(body);
    body.once('close', () => state.files.delete(body));
    add({ kind: 'file', name: name ?? '', filename: filename ?? '', mediaType, body });
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
  return new FaultError(malformed(`The form in the body cannot be read: ${reason}.`, error));
}
