const BOUNDARY = /\bboundary=(?:"([^"]+)"|([^\s;]+))/i;

/**
 * The same form has another boundary each time: a body in which that is the same, so that two of them
 * can be compared.
 */
export function withoutBoundary(body: Buffer, contentType: string | undefined): Buffer {
  const [, quoted, plain] = BOUNDARY.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || !/^\s*multipart\//i.test(contentType ?? '')) return body;
  return Buffer.from(body.toString('latin1').replaceAll(`--${boundary}`, '--boundary'), 'latin1');
}
