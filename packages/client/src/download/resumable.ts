import type { RetryOptions } from '../call-options.ts';
import { openDeadline } from '../internal/pipeline/deadline.ts';
import { retryDelay } from '../internal/pipeline/retry-delay.ts';

type Body = ReadableStream<Uint8Array> | null;

/** How a body goes on after its connection was lost. */
export interface ResumeRules {
  /** Gives the rest of the body from a byte on. */
  readonly reopen: (offset: number) => Promise<Body>;
  /** `false` also where a part cannot be asked for. */
  readonly retry: RetryOptions | false;
  /** Bytes of the whole body; `undefined` where nobody tells. */
  readonly size: number | undefined;
  /** No more bytes are handed out. */
  readonly most: number;
  /** Longest time in milliseconds in which no byte comes; 0 is without end. */
  readonly idle: number;
  readonly signal: AbortSignal | undefined;
  readonly report: ((loaded: number) => void) | undefined;
  /** The error of a connection that failed, or, without a cause, of `idle`. */
  fail(cause?: unknown): Error;
}

/**
 * A body that goes on where it was when its connection is lost. It is read no faster than its reader
 * asks, and only the time in which a reader waits counts.
 */
export function resumable(first: Body, rules: ResumeRules): ReadableStream<Uint8Array> {
  const {
    reopen,
    retry,
    size,
    most = Number.POSITIVE_INFINITY,
    idle,
    signal,
    report,
    fail,
  } = rules;
  let reader = first?.getReader();
  let loaded = 0;
  let failures = 0;
  const ended = new AbortController();
  const either = AbortSignal.any(signal ? [signal, ended.signal] : [ended.signal]);
  const deadline = openDeadline(either, { perTry: idle }, () => fail());

  const read = async (): Promise<{ done: boolean; value?: Uint8Array | undefined }> =>
    reader?.read() ?? { done: true };

  const leave = (reason: unknown) => reader?.cancel(reason).catch(() => {});

  const goOn = async (error: unknown) => {
    leave(error);
    either.throwIfAborted();
    failures += 1;
    const delay = retryDelay(retry, failures);
    if (delay === undefined) throw fail(error);
    await deadline.pause(delay);
    reader = (await reopen(loaded))?.getReader();
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          try {
            const { done, value } = await deadline.step(read);
            if (done || !value) {
              if (loaded !== (size ?? loaded)) throw new Error('It has another length than told.');
              return controller.close();
            }
            loaded += value.byteLength;
            failures = 0;
            if (loaded <= most) controller.enqueue(value);
            break;
          } catch (error) {
            await goOn(error);
          }
        }
        try {
          if (loaded > most) throw fail(new Error('It is longer than told.'));
          report?.(loaded);
        } catch (error) {
          leave(error);
          throw error;
        }
      },
      cancel(reason) {
        ended.abort(reason);
        return reader?.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
