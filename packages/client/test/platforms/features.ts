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
const NO_PAGE = 'does not apply: the program reads every response';

/** The features that the cases cover, from which docs/reference/platforms.md is generated. */
export const FEATURES = {
  calls: { title: 'Calls of hosted services' },
  redirects: {
    title: 'Redirects of a service, which are not followed',
    lacking: inBrowsers('`GatewayError` with status 0: browsers do not show a redirect'),
  },
  errors: { title: 'The error classes' },
  signature: { title: 'Signed calls (`tc3`, `tc3Storage`)' },
  ownFetch: { title: 'Your own `fetch`' },
  postStream: {
    title: 'A stream as the body of `post`',
    lacking: inBrowsers('`NetworkError`: browsers send no streams over HTTP/1.1'),
  },
  aborts: { title: '`signal` ends calls, streams and transfers' },
  events: { title: 'Events, resumed after a lost connection' },
  webSocket: {
    title: 'WebSocket of the platform',
    lacking: { node20: '`TypeError`: pass `webSocket` (the package ws)' },
  },
  webSocketHeaders: {
    title: 'WebSocket with any credentials',
    lacking: {
      node20: '`TypeError`: pass `webSocket` (the package ws)',
      ...inBrowsers('Bearer tokens only, as a subprotocol; otherwise a `TypeError`'),
      workerd: 'Bearer tokens only, as a subprotocol; otherwise a `TypeError`',
    },
  },
  ownWebSocket: { title: 'Your own `webSocket`' },
  uploads: { title: 'Uploads with progress, and downloads' },
  streamedUploads: {
    title: 'Uploads send a stream as it is read',
    lacking: inBrowsers('the stream is gathered first, at most `maxBytes` of it'),
  },
  files: {
    title: 'Local files: `{ file }`, `downloadToFile`',
    lacking: {
      ...inBrowsers('`TypeError`: there are none'),
      workerd: '`TypeError`: there are none',
    },
  },
  https: { title: 'https, with a certificate that the platform is configured to trust' },
  certificateByFetch: {
    title: 'A certificate trusted by your own `fetch`',
    lacking: {
      ...inBrowsers('`NetworkError`: only its user can trust one'),
      workerd: '`NetworkError`: only its configuration can trust one',
    },
  },
  agent: {
    title: '`agent` for uploads',
    lacking: {
      ...inBrowsers('is not used: the browser connects by itself'),
      workerd: 'is not used: the runtime connects by itself',
    },
  },
  crossOrigin: { title: 'Calls of another origin, with all that they tell (CORS)' },
  originRules: {
    title: 'Responses for other origins are hidden from the program (CORS)',
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
