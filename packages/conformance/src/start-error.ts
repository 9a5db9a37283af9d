/** The run could not start: bad options, no answer, TLS. The message is one sentence for people. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
