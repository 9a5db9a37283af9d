import { bundleSize } from '../bundle-size.ts';
import { toBoundRow, toRow } from '../compare.ts';
import type { Figure, Suite } from '../row.ts';

const SUITE = 'sizes';
/** Loads openapi-fetch, and with it the raw calls; it is loaded with the first of them. */
const RAW_CALLS = /\/send-raw\.js$/;

const GET = `
  import { bearer, createGatewayClient } from '@berth/client';
  const gateway = createGatewayClient({ baseUrl: 'https://g.example', auth: bearer(() => 't') });
  export const result = gateway.service('hello').get('a');`;
const ENTRIES = [
  {
    name: 'gateway, events and WebSockets',
    code: "export { bearer, createGatewayClient } from '@berth/client'",
    bytes: 8_000,
  },
  { name: 'storage', code: "export { createStorageClient } from '@berth/client'", bytes: 8_000 },
  { name: 'everything', code: "export * from '@berth/client'", bytes: 14_000, isAll: true },
];
const WEIGHTS = [
  {
    figure: toFigure('a plain get, loaded at once', bound(5_000)),
    code: GET,
    options: { atOnce: true },
    bytes: 5_000,
  },
  ...ENTRIES.flatMap(({ name, code, bytes, isAll = false }) => [
    { figure: toFigure(name, bound(bytes)), code, options: { leftOut: RAW_CALLS }, bytes },
    // The bounds of one API are for its own calls; raw ones bring openapi-fetch along.
    {
      figure: toFigure(`${name}, raw calls too`, bound(bytes), isAll ? '<= 1' : '>= 0'),
      code,
      options: {},
      bytes,
    },
  ]),
];
const PEERS = [
  {
    figure: toFigure('gateway, events and WebSockets', 'openapi-fetch', '>= 0'),
    code: "export { default } from 'openapi-fetch'",
  },
  {
    figure: toFigure('gateway, events and WebSockets', 'ky', '>= 0'),
    code: "export { default } from 'ky'",
  },
];

/** What the client adds to a page: one file, minified, with gzip. The same every time, so once. */
export const sizesSuite: Suite = {
  name: SUITE,
  description: 'The bundles of the client against their bounds, openapi-fetch and ky',
  figures: [...WEIGHTS, ...PEERS].map(({ figure }) => figure),
  async run() {
    const ours = await bundleSize(ENTRIES[0]?.code ?? '', { leftOut: RAW_CALLS });
    return [
      ...(await Promise.all(
        WEIGHTS.map(async ({ figure, code, options, bytes }) =>
          toBoundRow(figure, await bundleSize(code, options), bytes),
        ),
      )),
      ...(await Promise.all(
        PEERS.map(async ({ figure, code }) =>
          toRow(figure, [{ ours, peer: await bundleSize(code) }]),
        ),
      )),
    ];
  },
};

function bound(bytes: number): string {
  return `bound of ${bytes.toLocaleString('en')} B`;
}

function toFigure(name: string, peerName: string, goal: Figure['goal'] = '<= 1'): Figure {
  return { suite: SUITE, measure: `${name}, min+gzip bytes`, peerName, goal };
}
