import type { Served } from '../serve.ts';

/** What the command line prints of a mock that does not answer itself; undefined where it does. */
export function describeBackend({ url, context }: Served): string | undefined {
  const { proxy, record, replay } = context.options;
  if (replay !== undefined) return `Replays ${replay} at ${url}`;
  if (proxy === undefined) return undefined;
  return [
    `Passes on what comes to ${url}`,
    '',
    `Gateway        ${proxy.gateway}`,
    `Storage API    ${proxy.storage}`,
    ...(record === undefined ? [] : [`Recorded in    ${record}`]),
  ].join('\n');
}
