import { UPLOAD_ERRORS } from '../generated/errors.gen.ts';
import { type Answer, type Call, toAnswer } from '../runtime/index.ts';
import { resourceOf } from '../upload/resource-of.ts';
import { toErrorXml } from '../upload/to-error-xml.ts';
import { ContractError, type ContractErrorOptions } from './contract-error.ts';
import type { OpenCode } from './open-code.ts';

/** A code of the upload target. The known ones are offered by editors; the list is open. */
export type UploadErrorCode = OpenCode<keyof typeof UPLOAD_ERRORS>;

export interface UploadErrorOptions extends ContractErrorOptions {
  /** What the upload was about, such as `/reports/summary.txt`. Default: the `key` of the form, or the path. */
  readonly resource?: string;
}

/**
 * Ends an upload. Status and text come from the table of the contract (D27) unless they are given here;
 * the answer is an XML document whose root is `Error`.
 *
 * @example
 * throw new UploadError('AccessDenied', { message: 'The grant has expired.' });
 */
export class UploadError extends ContractError {
  override readonly name = 'UploadError';
  declare readonly code: UploadErrorCode;
  readonly resource: string | undefined;

  constructor(code: UploadErrorCode, options?: UploadErrorOptions) {
    super(UPLOAD_ERRORS, code, options);
    this.resource = options?.resource;
  }

  /** The answer of the runtime to this error. */
  [toAnswer](call: Pick<Call, 'request' | 'requestId' | 'rawPath'>): Answer {
    const { requestId } = call;
    return {
      status: this.status,
      headers: {
        ...this.headers,
        'content-type': 'application/xml',
        'x-request-id': requestId,
      },
      body: toErrorXml({
        Code: this.code,
        Message: this.message,
        Resource: this.resource ?? resourceOf(call),
        RequestId: requestId,
        TraceId: requestId,
      }),
    };
  }
}
