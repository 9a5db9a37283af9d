import type { Served } from '../serve.ts';

/**
 * What the command line prints of a mock that does not answer itself; undefined where it does.
 *
 * @param ignored options that were given and do nothing
 */
export function describeBackend(
  { url, context }: Served,
  ignored: readonly string[],
): string | undefined {
  const { proxy, record, replay } = context.options;
  const last = ignored.length === 0 ? [] : [`Without effect ${ignored.join(', ')}`];
  if (replay !== undefined) return [`Replays ${replay} at ${url}`, ...last].join('\n');
  if (proxy === undefined) return undefined;
  return [
    `Passes on what comes to ${url}`,
    '',
    `Gateway        ${proxy.gateway}`,
    `Storage API    ${proxy.storage}`,
    ...(record === undefined ? [] : [`Recorded in    ${record}`]),
    ...last,
  ].join('\n');
}
