import { Readable } from 'node:stream';
import { toWireProfile } from '@berth/spec/wire-profile';
import { createCors } from '../cors.ts';
import { toContractError, UploadError } from '../errors.ts';
import { LIMITS } from '../generated/contract.gen.ts';
import { routes as standard } from '../generated/storage.v2/routes.gen.ts';
import { type CommonOptions, toRouterOptions } from '../router-options.ts';
import {
  type Call,
  createRouter,
  hasResponse,
  type Router,
  type RouteTable,
} from '../runtime/index.ts';
import { Form } from './multipart.ts';
import {
  readForm,
  toUploaded,
  toUploadFields,
  type UploadInput,
  type UploadResult,
} from './upload-form.ts';

export type { UploadInput, UploadResult } from './upload-form.ts';

/** Stores a file. To reject it, throw an `UploadError`, preferably before reading the content. */
export type UploadHandler = (
  input: UploadInput,
  call: Call,
) => UploadResult | Promise<UploadResult>;

/** The upload target's handler. Without it, the target responds with 501. */
export interface UploadHandlers {
  readonly uploadFile?: UploadHandler;
}

export interface UploadRouterOptions extends CommonOptions {
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
  { uploadFile: upload }: UploadHandlers,
  options: UploadRouterOptions = {},
): Router {
  const { cors: origins, requests } = options;
  const wireProfile = toWireProfile(options.wireProfile);
  const { fileBytes = LIMITS.uploadBytes, routes = standard } = options;
  const cors = createCors('upload', wireProfile, origins);
  return createRouter(
    toUploadTable(routes),
    {
      uploadFile:
        upload &&
        (async ({ body }, call) => {
          const form = new Form(call.request, body);
          try {
            const parts = form[Symbol.asyncIterator]();
            const { fields, file } = await readForm(parts);
            const input = {
              ...toUploadFields(fields, file, call.request, wireProfile),
              file: new Content(file.body, parts, fileBytes),
            };
            return toUploaded(await upload(input, call), input);
          } catch (error) {
            // If the form failed, that is why the handler failed.
            throw hasResponse(error) || call.signal.aborted ? error : (form.failure ?? error);
          }
        }),
    },
    {
      ...toRouterOptions(options, cors, (error) => toContractError('upload', error)),
      requests: { streamBytes: fileBytes + LIMITS.uploadFormBytes, ...requests },
    },
  );
}

/** Returns the upload target's route without security schemes, because the form contains the grant. */
function toUploadTable({ routes, ...table }: RouteTable): RouteTable {
  const own = routes.filter(({ operationId }) => operationId === 'uploadFile');
  return { ...table, securitySchemes: {}, routes: own };
}

/**
 * The content of a file. D28: a file becomes visible when it is complete, so the stream ends only when the
 * form is. Uses events instead of a generator, because a promise per chunk would cost a tenth of the upload
 * time.
 */
class Content extends Readable {
  readonly #body: Readable;

  /** @param rest the parts after the file */
  constructor(body: Readable, rest: AsyncIterator<unknown>, fileBytes: number) {
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
