import { StorageError } from '../errors/storage-error.ts';
import { callOf } from './calls.ts';
import { isRecord } from './is-record.ts';
import { requestIdOf } from './request-id-of.ts';

/** A storage answer that holds `data`, and a way to say that the data is not as promised. */
export interface StorageAnswer {
  readonly data: Record<string, unknown>;
  /** The error of this answer. `reason` is the answer's own code and text, where it gives them. */
  fail(what: string, reason?: { code?: unknown; message?: unknown }): StorageError;
}

/**
 * Reads a storage answer in both forms: in the envelope `{ statusCode, body }`, and flat. "A `code`
 * without `data` is a failure whatever the HTTP status" (D20), and so is any answer without `data`,
 * or with an error in its `statusCode`.
 *
 * @throws StorageError where the call failed as a whole
 */
export function readEnvelope(
  result: { data?: unknown; error?: unknown; response: Response },
  what: string,
): StorageAnswer {
  const { response } = result;
  const answer = asJson(result.data ?? result.error);
  const isWrapped = isRecord(answer) && isRecord(answer.body);
  const body = isWrapped ? answer.body : answer;
  const fields = isRecord(body) ? body : {};

  const fail: StorageAnswer['fail'] = (subject, { code, message } = {}) => {
    const { method, path, redact } = callOf(response);
    const show = (value: unknown) =>
      typeof value === 'string' && value !== '' ? redact(value) : undefined;
    return new StorageError({
      what: subject,
      method,
      path,
      status: response.status,
      code: show(code),
      text: show(message),
      requestId: show(fields.requestId) ?? requestIdOf(response),
    });
  };

  const isRefused = !response.ok || (isWrapped && isFailedStatus(answer.statusCode));
  if (isRefused || !isRecord(fields.data)) {
    const isSilent = fields.code === undefined && fields.message === undefined;
    throw fail(what, isSilent ? { message: 'the answer is not of the documented form' } : fields);
  }
  return { data: fields.data, fail };
}

function isFailedStatus(statusCode: unknown): boolean {
  return typeof statusCode === 'number' && (statusCode < 200 || statusCode > 299);
}

/** Broken JSON gives `undefined`: the error of the parser would quote the answer, grants included. */
function asJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
