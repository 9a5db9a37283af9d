import type { ClientRuleId } from '../../generated/rule-ids.gen.ts';
import { type Reply, send, events as stream } from '../deployment.ts';
import {
  at,
  equals,
  type Problems,
  type Scenario,
  SERVICE,
  type Seen,
  scenario,
  succeeds,
  waits,
} from '../scenario.ts';

/** How long the stream asks clients to wait before they connect again, in milliseconds. */
const RETRY = 1000;

interface Event {
  event: string;
  data: string;
  id: string;
}

function toEvent(data: string, id = '', event = 'message'): Event {
  return { event, data, id };
}

/** A stream whose bytes are sent one by one. */
const SPLIT = Buffer.from(
  'id: ä1\r\ndata: 中文 🚀\r\ndata: zwei\r\n\r\nevent: naïve\rdata: drei\r\r',
);

/** Streams that stay open, and the events in them. */
const FRAMES: readonly [
  rule: ClientRuleId,
  about: string,
  pieces: readonly (string | Buffer)[],
  expected: readonly Event[],
][] = [
  [
    'CL-SSE-CHUNKS',
    'a stream that arrives byte by byte',
    [...SPLIT].map((byte) => Buffer.from([byte])),
    [toEvent('中文 🚀\nzwei', 'ä1'), toEvent('drei', 'ä1', 'naïve')],
  ],
  [
    'CL-SSE-CHUNKS',
    'many events at the same time',
    ['data: one\n\ndata: two\n\ndata: three\n\n'],
    [toEvent('one'), toEvent('two'), toEvent('three')],
  ],
  [
    'CL-SSE-LINES',
    'lines that end with CR, LF and CRLF',
    ['data: one\r\r', 'data: two\n\n', 'data: three\r\n\r\n', 'data: four\n\n'],
    [toEvent('one'), toEvent('two'), toEvent('three'), toEvent('four')],
  ],
  [
    'CL-SSE-LINES',
    'several data lines, and spaces',
    ['data: a\ndata:  b\ndata:c\ndata\ndata: d: e\n\n', 'data: end\n\n'],
    [toEvent('a\n b\nc\n\nd: e'), toEvent('end')],
  ],
  [
    'CL-SSE-COMMENTS',
    'comments, unknown fields and blocks without data',
    [
      ': hello\n\n',
      ':\n\ndata: one\n: in between\nfoo: bar\nname\n\n',
      'event: empty\n\nid: 7\n\n',
      'data: two\n\n',
    ],
    [toEvent('one'), toEvent('two', '7')],
  ],
  [
    'CL-SSE-FIELDS',
    'names and IDs',
    ['event: add\nid: 1\ndata: one\n\n', 'data: two\n\n', 'id\nevent: remove\ndata: three\n\n'],
    [toEvent('one', '1', 'add'), toEvent('two', '1'), toEvent('three', '', 'remove')],
  ],
];

/** How event streams are read and resumed. */
export const events: readonly Scenario[] = [
  ...FRAMES.map(([rule, about, pieces, expected], index) =>
    streaming(rule, about, index, expected.length, stream(pieces)).expect((seen) =>
      hasEvents(seen, expected),
    ),
  ),
  streaming('CL-SSE-ACCEPT', 'an event stream', 20, 1, stream(['data: one\n\n'])).expect(
    ({ gateway: [request] }) => {
      const accept = request?.header('accept') ?? '';
      const isRight = accept.includes('text/event-stream');
      return at(request, !isRight && `Accept is ${accept || 'missing'}`);
    },
  ),
  streaming(
    ...(['CL-SSE-INCOMPLETE', 'a stream that ends within an event', 21, 2] as const),
    stream(['retry: 10\ndata: one\n\ndata: par'], 'end'),
    stream(['data: two\n\n']),
  ).expect(({ result }) => {
    const list = Array.isArray(result?.events) ? result.events : [];
    const wrong = list.find(({ data }) => data !== 'one' && data !== 'two');
    return wrong && `the client returned the event ${JSON.stringify(wrong)}`;
  }),
  streaming(
    ...(['CL-SSE-RESUME', 'a stream that is cut off within an event', 22, 3] as const),
    stream(['retry: 10\nid: 1\ndata: one\n\nid: 2\ndata: two\n\n', 'id: 3\ndata: thr'], 'cut'),
    stream(['id: 3\ndata: three\n\n']),
  ).expect((seen) => {
    const expected = [toEvent('one', '1'), toEvent('two', '2'), toEvent('three', '3')];
    const [, second] = seen.gateway;
    return [
      hasEvents(seen, expected),
      second && equals('Last-Event-ID', second.header('last-event-id'), '2'),
    ];
  }),
  streaming(
    ...(['CL-SSE-RETRY', `a stream with retry: ${RETRY}`, 23, 2] as const),
    stream([`retry: ${RETRY}\ndata: one\n\n`], 'end'),
    stream(['data: two\n\n']),
  ).expect(({ gateway }) => waits('the client connected', gateway, RETRY)),
  streaming(
    ...(['CL-SSE-END', 'a 204 after the client has connected again', 24, 2] as const),
    stream(['retry: 10\ndata: one\n\n'], 'end'),
    send(204, ''),
    stream(['data: late\n\n']),
  ).expect((seen) => {
    const [, , third] = seen.gateway;
    return [succeeds(seen), at(third, third && 'the client connected again after the 204')];
  }),
];

/** Creates a scenario with a path of its own, because clients may connect again later. */
function streaming(
  rule: ClientRuleId,
  about: string,
  index: number,
  count: number,
  ...gateway: readonly Reply[]
) {
  const task = { task: 'events', service: SERVICE, path: `events/${index}`, count } as const;
  return scenario(rule, about, task, { gateway });
}

function hasEvents(seen: Seen, expected: readonly Event[]): Problems {
  return succeeds(seen) ?? equals('the events', seen.result?.events, expected);
}
