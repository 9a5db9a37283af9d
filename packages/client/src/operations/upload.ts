import { sendForm } from '#platform';
import type { SharedCallOptions } from '../call-options.ts';
import { NetworkError } from '../errors/network-error.ts';
import { TimeoutError } from '../errors/timeout-error.ts';
import { pathOf } from '../internal/calls.ts';
import { retryDelay } from '../internal/pipeline/retry-delay.ts';
import { wait } from '../internal/pipeline/wait.ts';
import { platformFetch } from '../internal/platform-fetch.ts';
import type { StorageCallOptions, StorageContext } from '../internal/storage-context.ts';
import { type Progress, toReport } from '../internal/to-report.ts';
import { toUploadGrant, type UploadGrant } from '../internal/to-upload-grant.ts';
import { transferFailure } from '../internal/transfer-failure.ts';
import { readUploadAnswer, secretsOf } from '../upload/read-upload-answer.ts';
import { sendWithFetch } from '../upload/send-with-fetch.ts';
import { toContent } from '../upload/to-content.ts';
import { toUploadForm } from '../upload/to-upload-form.ts';
import type { UploadData } from '../upload/upload-data.ts';
import type { UploadForm } from '../upload/upload-form.ts';

/** Longest time in milliseconds in which nothing moves. */
const IDLE = 65_000;

/**
 * Options of an upload. Of its `timeouts`, `perTry` is the longest time in which nothing moves, and
 * `total` is without end by default. A stream is never sent twice, whatever `retry` says.
 */
export interface UploadOptions extends StorageCallOptions {
  /** Media type of the file. Default: the type of a `Blob`, else `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /**
   * Length of a stream in bytes, where you know it: it is sent as `Content-Length`, which many object
   * stores need, and a stream of another length fails. Default: the stream is sent in chunks.
   */
  readonly size?: number | undefined;
  /**
   * Refuses a longer content, before anything is sent where its length is known. Give it where streams
   * come from strangers: browsers gather a stream in memory. Default: no limit.
   */
  readonly maxBytes?: number | undefined;
  /**
   * Told how many bytes have been sent. Own `fetch`es and platforms without `XMLHttpRequest` and
   * `node:http` tell the beginning and the end only.
   */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** What an upload gives. */
export interface UploadResult {
  /** ID of the stored file, for links and deletion. */
  readonly fileID: string;
}

/** Uploads one file in the two steps of the contract, each try with a grant of its own. */
export async function upload(
  context: StorageContext,
  path: string,
  data: UploadData,
  options: UploadOptions = {},
): Promise<UploadResult> {
  options.signal?.throwIfAborted();
  const content = await toContent(data, options);
  const { hooks, links, wireProfile } = context;
  const timeouts = { total: 0, ...context.timeouts, ...options.timeouts };
  const retry = options.retry ?? context.retry ?? {};
  // A stream can be read once only.
  const attempts = retry && content.isReplayable ? (retry.attempts ?? 3) : 1;
  const what = `${path} was not uploaded`;
  const deadline = links.open({
    method: 'POST',
    url: path,
    signal: options.signal,
    // What moves is not slow, however long it takes: `perTry` is watched where the form is sent.
    timeouts: { total: timeouts.total, perTry: 0 },
  });
  const ask = async (signal: AbortSignal) => {
    const shared: SharedCallOptions = options;
    const answer = await context.call('getUploadMetaData', { path }, what, { ...shared, signal });
    return toUploadGrant(answer, wireProfile, what);
  };
  try {
    for (let attempt = 1; ; attempt += 1) {
      const grant = await deadline.step(({ signal }) => ask(signal));
      const call = { method: 'POST', url: grant.url, secrets: () => secretsOf(grant) };
      const form = {
        ...toUploadForm(grant, path, wireProfile),
        content,
        report: toReport(options.onProgress, content.size),
        idle: timeouts.perTry ?? IDLE,
        fetch: context.fetch ?? platformFetch,
        agent: context.agent,
      };
      const failure = await deadline.step(({ signal }) =>
        post(
          context.fetch ? sendWithFetch : sendForm,
          { ...form, signal, fail: (cause) => transferFailure(call, what, form.idle, cause) },
          grant,
          what,
        ),
      );
      if (!failure) return { fileID: grant.fileID };

      const { error: reason, isPassing, headers } = failure;
      const mayRepeat = retry && attempt < attempts && isPassing;
      const delay = mayRepeat ? retryDelay(retry, attempt, headers as Headers) : undefined;
      if (delay === undefined || delay >= deadline.left()) throw reason;
      const event = { method: 'POST', path: pathOf(grant.url), headers: new Headers() };
      await hooks?.onRetry?.({ ...event, attempt, delay, reason });
      await deadline.step(({ signal }) => wait(delay, signal));
    }
  } finally {
    deadline.close();
  }
}

/** Posts the form; gives the failure, and whether another try may help. */
async function post(send: typeof sendForm, form: UploadForm, grant: UploadGrant, what: string) {
  try {
    const answer = await send(form);
    const error = readUploadAnswer(answer, grant, what);
    // A refusal says that nothing was stored (D30); these statuses say that it may pass.
    const isPassing = answer.status >= 500 || answer.status === 429;
    return error && { error, isPassing, headers: answer.headers };
  } catch (error) {
    if (!(error instanceof NetworkError || error instanceof TimeoutError)) throw error;
    // Of the same bytes to the same key: a file that was stored after all is replaced by its like.
    return { error, isPassing: true, headers: undefined };
  }
}
