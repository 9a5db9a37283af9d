/** What Node could not read, as a status (RFC 9110, RFC 6585) and a sentence. */
interface Fault {
  status: number;
  message: string;
  timedOut: boolean;
}

/** Tells the client what was wrong with its bytes, from the code of Node's `clientError`. */
export function describeFault({ code }: NodeJS.ErrnoException): Fault {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, message: 'The request took too long to arrive.', timedOut: true };
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, message: 'The header of the request is too large.', timedOut: false };
    default:
      return { status: 400, message: 'The request is not valid HTTP.', timedOut: false };
  }
}
