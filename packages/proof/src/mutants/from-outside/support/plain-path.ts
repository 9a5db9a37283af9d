/** The path of a file without the slash that it may begin with. */
export function plainPath(path: unknown): string {
  return String(path).replace(/^\//, '');
}
