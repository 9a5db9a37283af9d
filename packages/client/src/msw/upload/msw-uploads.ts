import type { HttpHandler, RequestHandlerOptions } from 'msw';

/** One request of an upload or a download. */
export interface UploadRequest {
  /** The request, its body unread: `await request.formData()` reads the form of an upload. */
  readonly request: Request;
}

/** Gives an answer such as `uploadError(code)`, or nothing: then the handler before it answers. */
type Resolver = (call: UploadRequest) => Response | undefined | Promise<Response | undefined>;

/**
 * Handlers of the second step of an upload, and of the links, to be put before the default ones.
 *
 * @example
 * server.use(berth.uploads.uploadFile(() => uploadError('SlowDown'), { once: true }));
 */
export interface MswUploads {
  /** The upload target. */
  uploadFile(resolver: Resolver, options?: RequestHandlerOptions): HttpHandler;
  /** The download by a temporary link. */
  downloadFile(resolver: Resolver, options?: RequestHandlerOptions): HttpHandler;
}
