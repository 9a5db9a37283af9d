/**
 * Gets a small JSON document.
 *
 * @throws TypeError whose message quotes nothing of the answer
 */
export async function fetchJson(
  url: URL,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<unknown> {
  // A redirect could lead to where no operator wanted keys from.
  const headers = { accept: 'application/jwk-set+json, application/json' };
  const response = await fetch(url, { headers, redirect: 'error', signal });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new TypeError(`The answer has the status ${response.status}.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new TypeError(`The answer is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new TypeError('The answer is no JSON.');
  }
}
