/** A request before it is written. All text is Latin-1, with one character per byte. */
export interface Draft {
  method: string;
  target: string;
  headers: [string, string][];
  body: string;
  /** How the body is framed. `none` leaves it to the headers. */
  framing: 'length' | 'chunked' | 'none';
  /** Number of bytes to cut off at the end. */
  cut: number;
}

/** Returns the bytes of a request. */
export function toBytes({ method, target, headers, body, framing, cut }: Draft): string {
  const framed = [...headers];
  if (framing === 'length' && (body !== '' || method === 'POST')) {
    framed.push(['Content-Length', String(body.length)]);
  }
  if (framing === 'chunked') framed.push(['Transfer-Encoding', 'chunked']);
  const head = framed.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const text = `${method} ${target} HTTP/1.1\r\n${head}\r\n${framing === 'chunked' ? toChunks(body) : body}`;
  return cut === 0 ? text : text.slice(0, -cut);
}

function toChunks(body: string): string {
  const chunks = body.match(/.{1,700}/gs) ?? [];
  return `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`;
}

/** Encodes text as UTF-8 bytes. */
export function toLatin(text: string): string {
  return Buffer.from(text).toString('latin1');
}
