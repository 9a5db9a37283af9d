/** Bytes before and after a secret shift its base64; these are the parts that no neighbour changes. */
const SHIFTS = [0, 1, 2];
/** Shorter pieces of base64 are ordinary words. */
const SHORTEST_BASE64 = 8;

/**
 * The ways in which a target may send a secret back: as it is, in another case, escaped for JSON, HTML,
 * a URL or a form, in base64 at any offset, in hex.
 */
export function toSpellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const url = encodeURIComponent(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const base64 = SHIFTS.map((shift) => toBase64Inside(bytes, shift)).filter(
    ({ length }) => length >= SHORTEST_BASE64,
  );
  return [
    ...[secret, secret.toLowerCase(), secret.toUpperCase()],
    ...[json, json.replaceAll('/', '\\/'), toUnicodeEscapes(secret)],
    ...[url, url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())],
    ...[url.replaceAll('%20', '+'), encodeURI(secret), encodeURIComponent(url)],
    ...[toHtml(secret), toHtml(secret).replaceAll('&#39;', '&apos;')],
    ...[bytes.toString('base64'), ...base64],
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ...[bytes.toString('hex'), bytes.toString('hex').toUpperCase()],
  ];
}

function toBase64Inside(bytes: Buffer, shift: number): string {
  const start = (3 - shift) % 3;
  const end = bytes.length - ((bytes.length - start) % 3);
  return bytes.subarray(start, end).toString('base64');
}

/** What serialisers do that escape more than JSON asks for. */
function toUnicodeEscapes(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '\\u0022')
    .replace(/[<>&'=+/]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function toHtml(text: string): string {
  const names: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  return text.replace(/[&<>"']/g, (c) => `&${names[c] ?? '#39'};`);
}
