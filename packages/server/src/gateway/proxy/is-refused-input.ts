/** Whether the HTTP client, which judges what it is given once more, would not send a request. */
export function isRefusedInput(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED';
}
