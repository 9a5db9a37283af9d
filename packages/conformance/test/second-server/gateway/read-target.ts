export interface Target {
  name: string;
  /** Path and query for the hosted service, byte for byte. */
  path: string;
}

const TARGET = /^\/v1\/cloudrun\/([^/?]*)(\/[^?]*)?(\?.*)?$/s;

/**
 * Splits the request target. "`anyPath` is optional", and what stands after the name goes on as it came
 * (D3), `.` and `..` too. Returns `undefined` for any other path.
 */
export function readTarget(url: string): Target | undefined {
  const [whole, name = '', path = '/', query = ''] = TARGET.exec(url) ?? [];
  return whole === undefined ? undefined : { name, path: path + query };
}

/**
 * "Starts with a letter, then 0 to 58 characters from letters, digits, underscore, hyphen, then ends
 * with a letter or digit."
 */
export function isServiceName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,58}[A-Za-z0-9]$/.test(name);
}
