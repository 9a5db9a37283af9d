/** Members of storage answers that hold an address to follow, by operation. */
const MEMBERS: Readonly<Record<string, { name: string; kind: 'upload' | 'link' }>> = {
  getUploadMetaData: { name: 'url', kind: 'upload' },
  batchGetTempUrls: { name: 'tempFileURL', kind: 'link' },
};

/** Whether the answers of an operation hold addresses. */
export function hasAddresses(operationId: string | undefined): boolean {
  return operationId !== undefined && Object.hasOwn(MEMBERS, operationId);
}

/**
 * Puts other addresses into the answer of a storage operation; every other byte stays.
 *
 * @param toLocal the address for a real one
 */
export function rewriteAddresses(
  operationId: string,
  body: Buffer,
  toLocal: (kind: 'upload' | 'link', real: string) => string,
): Buffer {
  const member = MEMBERS[operationId];
  if (member === undefined) return body;
  const pattern = new RegExp(`("${member.name}"\\s*:\\s*)("(?:[^"\\\\]|\\\\.)+")`, 'g');
  const text = body.toString();
  const rewritten = text.replace(pattern, (whole, before: string, literal: string) => {
    const real = parse(literal);
    return real === undefined ? whole : before + JSON.stringify(toLocal(member.kind, real));
  });
  return rewritten === text ? body : Buffer.from(rewritten);
}

function parse(literal: string): string | undefined {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}
