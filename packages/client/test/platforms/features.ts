import { BROWSERS, type PlatformId } from './platforms.ts';

/** What the client does. */
export interface Feature {
  readonly title: string;
  /**
   * What happens instead, on a platform that lacks it: a case of the feature proves it there
   * (`without`). Default: every platform has it.
   */
  readonly lacking?: Readonly<Partial<Record<PlatformId, string>>>;
}

/** What browsers do instead. */
const inBrowsers = (instead: string) => Object.fromEntries(BROWSERS.map((id) => [id, instead]));
const NO_PAGE = 'not applicable: only browsers enforce CORS';

/** The features that the cases cover, from which docs/reference/platforms.md is generated. */
export const FEATURES = {
  calls: { title: 'Calls to hosted services' },
  redirects: {
    title: 'Redirects from a service, which are not followed',
    lacking: inBrowsers('`GatewayError` with status 0: browsers hide redirects'),
  },
  errors: { title: 'Error classes' },
  signature: { title: 'Signed calls (`tc3`, `tc3Storage`)' },
  ownFetch: { title: 'Your own `fetch`' },
  postStream: {
    title: 'Streams as the body of `post`',
    lacking: inBrowsers('`NetworkError`: browsers cannot send streams over HTTP/1.1'),
  },
  aborts: { title: '`signal` ends calls, streams and transfers' },
  events: { title: 'Events, resumed after a lost connection' },
  webSocket: {
    title: 'Built-in WebSocket',
    lacking: { node20: '`TypeError`: pass `webSocket` (for example from ws)' },
  },
  webSocketHeaders: {
    title: 'WebSocket with any credentials',
    lacking: {
      node20: '`TypeError`: pass `webSocket` (for example from ws)',
      ...inBrowsers(
        'Bearer tokens only, sent as a subprotocol; other credentials throw a `TypeError`',
      ),
      workerd: 'Bearer tokens only, sent as a subprotocol; other credentials throw a `TypeError`',
    },
  },
  ownWebSocket: { title: 'Your own `webSocket`' },
  uploads: { title: 'Uploads with progress, and downloads' },
  streamedUploads: {
    title: 'Streamed uploads',
    lacking: inBrowsers('the stream is buffered first, up to `maxBytes`'),
  },
  files: {
    title: 'Local files: `{ file }`, `downloadToFile`',
    lacking: {
      ...inBrowsers('`TypeError`: the platform has no files'),
      workerd: '`TypeError`: the platform has no files',
    },
  },
  https: { title: 'HTTPS, with a certificate that the platform is configured to trust' },
  certificateByFetch: {
    title: 'A certificate trusted by your own `fetch`',
    lacking: {
      ...inBrowsers('`NetworkError`: only the user can trust a certificate'),
      workerd: '`NetworkError`: only the configuration can trust a certificate',
    },
  },
  agent: {
    title: '`agent` for uploads',
    lacking: {
      ...inBrowsers('ignored: the browser opens the connections'),
      workerd: 'ignored: the runtime opens the connections',
    },
  },
  crossOrigin: { title: 'Calls to other origins (CORS)' },
  originRules: {
    title: 'Responses from unlisted origins are hidden (CORS)',
    lacking: {
      node20: NO_PAGE,
      node22: NO_PAGE,
      node24: NO_PAGE,
      node26: NO_PAGE,
      deno: NO_PAGE,
      bun: NO_PAGE,
      workerd: NO_PAGE,
    },
  },
} as const satisfies Record<string, Feature>;

export type FeatureId = keyof typeof FEATURES;

/** Returns what a platform does instead of a feature; `undefined` if it has the feature. */
export function lackOf(feature: FeatureId, platform: PlatformId): string | undefined {
  const { lacking }: Feature = FEATURES[feature];
  return lacking?.[platform];
}
