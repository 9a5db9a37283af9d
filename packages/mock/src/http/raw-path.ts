/** Path of a request target as it came: without the query, and without the host of an absolute form. */
export function rawPathOf(target: string): string {
  const from = target.startsWith('/') ? 0 : hostEnd(target);
  const mark = target.indexOf('?', from);
  const path = target.slice(from, mark < 0 ? undefined : mark);
  return path === '' ? '/' : path;
}

function hostEnd(target: string): number {
  return /^https?:\/\/[^/?]*/i.exec(target)?.[0].length ?? 0;
}
