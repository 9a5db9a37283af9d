/** An error as it is logged. */
export interface PlainError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: PlainError;
}

/** How many causes of causes are told. */
const DEPTH = 5;

/**
 * What a log may tell of an error. Other properties stay out: libraries hang requests, headers and
 * credentials on their errors.
 */
export function toPlainError(error: unknown, depth = DEPTH): PlainError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && depth > 0 && { cause: toPlainError(cause, depth - 1) }),
  };
}
