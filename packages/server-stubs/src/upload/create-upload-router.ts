import { Readable } from 'node:stream';
import { toWireProfile, type WireProfile } from '@berth/spec/wire-profile';
import {
  rememberResource,
  toContractError,
  toXml,
  UploadError,
  type UploadErrorCode,
} from '../errors.ts';
import { LIMITS } from '../generated/contract.gen.ts';
import { routes as standard } from '../generated/storage.v2/routes.gen.ts';
import { createCors } from '../http/cors.ts';
import {
  type BerthRouterOptions,
  toHandlers,
  toRouterOptions,
  UPLOAD_OPERATION,
} from '../http/router-options.ts';
import {
  type Call,
  createRouter,
  FaultError,
  type HandlerResponse,
  hasResponse,
  type Router,
  type RouteTable,
} from '../runtime/index.ts';
import { type FilePart, Form, type Part } from './multipart.ts';

/** An upload. The grant in the form has not been verified: your handler must do that. */
export interface UploadInput {
  /** Path to write to, as in the form. */
  readonly key: string;
  /** Value of the `Signature` field, which is `authorization` in the upload metadata. */
  readonly signature: string;
  /** The `token` from the upload metadata. */
  readonly token: string;
  /** The `storeFileID` from the upload metadata. */
  readonly metaFileId: string;
  /**
   * Content of the file, with backpressure. The stream ends only when the form is complete, including
   * its closing boundary, and fails if the form is aborted or the file is too large. Write it to a
   * temporary name, and rename it once the stream has ended (D28).
   */
  readonly file: Readable;
  /** File name that the client sent. Do not use it as a path. */
  readonly filename: string;
  /**
   * Media type that the client sent, in lowercase, with its charset and without other parameters, such as
   * `text/plain; charset=utf-8`.
   */
  readonly contentType: string;
  /** All fields before `file`, by lowercase name. */
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * The result of an upload. The status is 204, or the status that the form requests in
 * `success_action_status`. A 201 has an XML document with these values and the key.
 */
export interface UploadResult {
  /** Strong ETag of the content, such as its MD5 in hex. Quoted on the wire. */
  readonly etag: string;
  /** URL of the file. */
  readonly location: string;
  /** Name of the bucket that contains the file, for the document of a 201. Default: empty. */
  readonly bucket?: string;
}

/** Stores a file. To reject it, throw an `UploadError`, preferably before reading the content. */
export type UploadHandler = (
  input: UploadInput,
  call: Call,
) => UploadResult | Promise<UploadResult>;

/** The upload target's handler. Without it, the target responds with 501. */
export interface UploadHandlers {
  readonly uploadFile?: UploadHandler;
}

/** Form field that may request the status 200, 201 or 204 (D27). */
const STATUS_FIELD = 'success_action_status';
const STATUSES = ['200', '201', '204'];
const DEFAULT_STATUS = 204;

export interface UploadRouterOptions extends BerthRouterOptions {
  /** Maximum file size in bytes. Larger files get `EntityTooLarge`. Default: 5 GiB (D27). */
  readonly fileBytes?: number;
}

/**
 * Creates the upload target: middleware for Express 4 and 5, and a `node:http` listener. It handles
 * `POST /`, so in Express, mount it at the path of the `url` that `getUploadMetaData` returns. Forms are
 * streamed and never buffered.
 *
 * @throws TypeError if options contradict each other
 *
 * @example
 * const router = createUploadRouter({
 *   uploadFile: async ({ key, signature, token, metaFileId, file }) => {
 *     assertGrant({ key, signature, token, metaFileId }); // throws UploadError('AccessDenied')
 *     return store.write(key, file); // { etag, location }
 *   },
 * });
 * app.use('/upload', router);
 */
export function createUploadRouter(
  handlers: UploadHandlers,
  options: UploadRouterOptions = {},
): Router {
  const { cors: origins, requests } = options;
  const wireProfile = toWireProfile(options.wireProfile);
  const { fileBytes = LIMITS.uploadBytes, routes = standard } = options;
  const cors = createCors('upload', wireProfile, origins);
  return createRouter(
    toUploadTable(routes),
    toHandlers(handlers as Record<string, UploadHandler>, (upload) => async ({ body }, call) => {
      const form = new Form(call.request, body);
      try {
        const input = await toUploadInput(form, call, wireProfile, fileBytes);
        return toUploaded(await upload(input, call), input);
      } catch (error) {
        // If the form failed, that is why the handler failed.
        throw hasResponse(error) || call.signal.aborted ? error : (form.failure ?? error);
      }
    }),
    {
      ...toRouterOptions(options, cors, (fault) => toContractError('upload', fault)),
      requests: { streamBytes: fileBytes + LIMITS.uploadFormBytes, ...requests },
    },
  );
}

/**
 * D27: "The upload target responds with 204, an empty body, a strong `ETag` and a `Location`." A 201 has the
 * document that object stores send, which uploaders in pages read.
 */
function toUploaded(
  { etag, location, bucket = '' }: UploadResult,
  { fields, key }: UploadInput,
): HandlerResponse {
  const requested = fields.get(STATUS_FIELD) ?? '';
  const status = STATUSES.includes(requested) ? Number(requested) : DEFAULT_STATUS;
  const quoted = etag.startsWith('"') ? etag : `"${etag}"`;
  // Headers are ASCII. Existing percent-encoding is kept.
  const url = location.replace(/[^\x21-\x7E]+/gu, encodeURIComponent);
  const headers = { etag: quoted, location: url };
  if (status !== 201) return { status, headers };
  return {
    status,
    headers: { ...headers, 'content-type': 'application/xml' },
    body: toXml('PostResponse', { Location: url, Bucket: bucket, Key: key, ETag: quoted }),
  };
}

/** Returns the upload target's route without security schemes, because the form contains the grant. */
function toUploadTable({ routes, ...table }: RouteTable): RouteTable {
  const own = routes.filter(({ operationId }) => operationId === UPLOAD_OPERATION);
  return { ...table, securitySchemes: {}, routes: own };
}

/** The field with the content, in lowercase. */
const FILE = 'file';

/** Form fields whose names are the same in every deployment. */
const SIGNATURE = 'Signature';
const KEY = 'key';

/**
 * D30: if the form lacks `Signature`, the token, the meta file ID or `key`, nothing is stored and the
 * response is an XML `Error`.
 */
async function toUploadInput(
  body: Form,
  { request }: Call,
  { uploadFields }: WireProfile,
  fileBytes: number,
): Promise<UploadInput> {
  const form = await readForm(body);
  const { fields } = form;
  const { filename, mediaType, charset } = form.file;
  const read = (name: string, code: UploadErrorCode) => {
    const value = fields.get(name.toLowerCase());
    if (value) return value;
    throw new UploadError(code, {
      message: `The form has no ${name} field: send it before the file.`,
    });
  };
  const key = read(KEY, 'MalformedPOSTRequest');
  rememberResource(request, key);
  return {
    key,
    signature: read(SIGNATURE, 'AccessDenied'),
    token: read(uploadFields.securityToken, 'AccessDenied'),
    metaFileId: read(uploadFields.metaFileId, 'AccessDenied'),
    file: new Content(form, fileBytes),
    filename,
    contentType: charset === undefined ? mediaType : `${mediaType}; charset=${charset}`,
    fields,
  };
}

interface OpenForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly file: FilePart;
  readonly rest: AsyncIterator<Part>;
}

/** Field names are case-insensitive, and `file` is the last field (D27). */
async function readForm(body: Form): Promise<OpenForm> {
  const fields = new Map<string, string>();
  const rest = body[Symbol.asyncIterator]();
  const read = () => rest.next().catch(toFormError);
  for (let next = await read(); next.done !== true; next = await read()) {
    const part = next.value;
    const name = part.name.toLowerCase();
    if (part.kind === 'file') {
      if (name === FILE) return { fields, file: part, rest };
    } else if (name === FILE) {
      throw malformed('The file field has no filename: add one, so that it is read as a file.');
    } else if (fields.has(name)) {
      // Parsers differ in which of the two they use, and the grant must not depend on that.
      throw malformed(`The form contains the ${part.name} field twice.`);
    } else {
      fields.set(name, part.value);
    }
  }
  throw malformed('The form has no file field: send it as the last field.');
}

/** Only the file is an entity that can be too large; a field that is too long makes the form malformed. */
function toFormError(error: unknown): never {
  const isField = error instanceof FaultError && error.fault.kind === 'too-large';
  throw isField ? malformed(error.fault.message) : error;
}

function malformed(message: string): UploadError {
  return new UploadError('MalformedPOSTRequest', { message });
}

/**
 * The content of a file. D28: a file becomes visible when it is complete, so the stream ends only when the
 * form is. Uses events instead of a generator, because a promise per chunk would cost a tenth of the upload
 * time.
 */
class Content extends Readable {
  readonly #body: Readable;

  constructor({ file: { body }, rest }: OpenForm, fileBytes: number) {
    super();
    this.#body = body;
    let size = 0;
    // A handler that rejects the form reads nothing, and an aborted form must not crash the process.
    this.on('error', () => {});
    // Nothing is read before the content is requested.
    body.pause();
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > fileBytes) {
        const message = `The file is larger than ${fileBytes} bytes.`;
        this.destroy(new UploadError('EntityTooLarge', { message }));
      } else if (!this.push(chunk)) body.pause();
    });
    body.once('end', () => {
      drain(rest).then(
        () => this.push(null),
        (error) => this.destroy(error),
      );
    });
    body.once('error', (error) => this.destroy(error));
    body.once('close', () => {
      if (!body.readableEnded) this.destroy(body.errored ?? new Error('The form ended early.'));
    });
  }

  override _read(): void {
    this.#body.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#body.destroy();
    callback(error);
  }
}

/** Everything after the file is ignored, but must be complete up to the closing boundary. */
async function drain(rest: AsyncIterator<unknown>): Promise<void> {
  while ((await rest.next()).done !== true);
}
