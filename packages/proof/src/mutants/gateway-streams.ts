import type { MutatedRequest } from '../proxy/messages.ts';
import type { Mutant, Rows } from './mutant.ts';
import { callAgain, changeText, drop, mediaTypeOf, replace, setHeader } from './support/gateway.ts';

type Pieces = AsyncIterable<Buffer>;

/** Changes the event streams of hosted services piece by piece, in the order of their arrival. */
const stream =
  (change: (pieces: Pieces, request: MutatedRequest) => AsyncIterable<Buffer>): Mutant['create'] =>
  () => ({ stream: change });

/** Changes the text of each event when it is complete, decoded as Latin-1; the rest at the end. */
const events = (change: (text: string, index: number) => string, method?: string) =>
  stream(async function* changed(pieces, request) {
    let rest = '';
    let index = 0;
    const isWanted = method === undefined || request.method === method;
    const write = (text: string) => Buffer.from(isWanted ? change(text, index++) : text, 'latin1');
    for await (const piece of pieces) {
      const parts = (rest + piece.toString('latin1')).split(/(?<=\n\n|\r\n\r\n|\r\r(?!\n))/);
      rest = /(\n\n|\r\n\r\n|\r\r)$/.test(parts.at(-1) ?? '') ? '' : (parts.pop() ?? '');
      for (const part of parts) yield write(part);
    }
    if (rest !== '') yield write(rest);
  });

/** Changes each piece as it arrives. */
const pieces = (change: (piece: Buffer) => Buffer) =>
  stream(async function* changed(all) {
    for await (const piece of all) yield change(piece);
  });

/** Adds a text at the end. */
const ending = (end: (all: string) => string) =>
  stream(async function* changed(all) {
    let text = '';
    for await (const piece of all) {
      text += piece.toString('latin1');
      yield piece;
    }
    yield Buffer.from(end(text));
  });

/** Cuts the stream off after this many milliseconds. */
const cutAfter = (milliseconds: number) =>
  stream(async function* cut(all) {
    const end = performance.now() + milliseconds;
    for await (const piece of all) {
      if (performance.now() > end) return;
      yield piece;
    }
  });
const isEvents = ({ isGateway, target }: MutatedRequest) => isGateway && /\/events\?/.test(target);

/** Changes event streams, except those that wait for their release, which must remain streams. */
const eventText =
  (change: (text: string) => string): Mutant['create'] =>
  (context) => ({
    async request(request) {
      if (!isEvents(request) || /hold=/.test(request.query)) return;
      const response = await callAgain(context, request);
      if (mediaTypeOf(response) === 'text/event-stream') changeText(change)(response);
      return response;
    },
  });

export const gatewayStreams: Rows = {
  'GW-SSE': {
    'the tenth event of a stream is lost': (context) => ({
      async request(request) {
        if (!request.path.endsWith('/events') || !request.target.includes('count=50')) return;
        const response = await callAgain(context, request);
        changeText((text) =>
          text
            .split('\n\n')
            .filter((_, index) => index !== 9)
            .join('\n\n'),
        )(response);
        return response;
      },
    }),
    'names of events are lost on POST': events(drop(/^event:.*\r?\n/gm), 'POST'),
    'retry is lost': events(drop(/^retry:.*\r?\n/gm)),
    'only the first of several lines of data arrives': events(
      replace(/(^data:.*\r?\n)(?:data:.*\r?\n)+/gm, '$1'),
    ),
    'lines of data are joined': events(replace(/(?<=^data:.*)\r?\ndata: ?/gm, ' ')),
    'spaces at the start of data are lost': events(replace(/^data: +/gm, 'data: ')),
    'events with empty data are lost': events((text) =>
      /^data: ?\r?$/m.test(text) && !/^data: ?\S/m.test(text) ? '' : text,
    ),
    'an empty ID is lost': events(drop(/^id: ?\r?\n/gm)),
    'an incomplete event at the end is completed': ending((text) =>
      /(\n\n|\r\r|\r\n\r\n)$/.test(text) ? '' : '\n\n',
    ),
    'a character that is split between two chunks is replaced': pieces((piece) =>
      Buffer.from(piece.toString()),
    ),
    'an event is added at the end': ending(() => 'event: end\ndata: {}\n\n'),
    'lines that end with a carriage return are joined': events(replace(/\r(?!\n)/g, ' ')),
    'fields without a colon are lost': events(drop(/^data\r?\n/gm)),
    'event names and IDs trade places if the ID comes last': events(
      replace(/^(data:.*\r?\n)(id:.*\r?\n)(?=\r?\n)/gm, '$1'),
    ),
    'the last event is lost': eventText(drop(/(?<=\n\n)[^\n]+\n(?:[^\n]+\n)*\n$/)),
    'IDs are lost': eventText(drop(/^id:.*\n/gm)),
    'the first event arrives twice': eventText(replace(/^[\s\S]*?\n\n/, '$&$&')),
    'events arrive in reverse order': eventText((text) =>
      text
        .split(/(?<=\n\n)/)
        .reverse()
        .join(''),
    ),
    'events are joined': eventText(replace(/(?<=.)\n\n(?=.)/g, '\n')),
    'it has the content type text/plain': {
      response(response) {
        if (mediaTypeOf(response) === 'text/event-stream')
          setHeader('Content-Type', 'text/plain')(response);
      },
    },
    'only the first event arrives on POST': (context) => ({
      async request(request) {
        if (!isEvents(request) || request.method !== 'POST') return;
        const response = await callAgain(context, request);
        changeText((text) => `${text.split('\n\n', 1)[0]}\n\n`)(response);
        return response;
      },
    }),
  },
  'GW-SSE-UNBUFFERED': {
    'an event stream is buffered until it ends': {
      buffersEvents: true,
    },
    'a stream ends two seconds after it began': cutAfter(2000),
    'from the second event on, events arrive in pairs': stream(async function* paired(all) {
      let index = 0;
      let held: Buffer[] = [];
      for await (const piece of all) {
        held.push(piece);
        index += 1;
        if (index > 1 && held.length < 2) continue;
        yield Buffer.concat(held);
        held = [];
      }
      yield Buffer.concat(held);
    }),
    'the end of an event waits for the next one': stream(async function* late(all) {
      let held = '';
      for await (const piece of all) {
        const text = held + piece.toString('latin1');
        held = text.endsWith('\n') ? '\n' : '';
        yield Buffer.from(text.slice(0, text.length - held.length), 'latin1');
      }
      yield Buffer.from(held);
    }),
    'a stream requested with POST is buffered': (context) => ({
      request: (request) =>
        isEvents(request) && request.method === 'POST' ? callAgain(context, request) : undefined,
    }),
  },
  'GW-BODY': {
    'comments in an event stream are lost': events(drop(/^:.*\r?\n/gm)),
    'a comment is added to each event': events((text) => `: gateway\n${text}`),
    'CRLF in an event stream becomes LF': events(replace('\r\n', '\n')),
    'the byte order mark of an event stream is lost': events(drop(/^\xEF\xBB\xBF/)),
    'what follows the last empty line of an event stream is lost': events((text) =>
      /(\n\n|\r\n\r\n|\r\r)$/.test(text) ? text : '',
    ),
    'a space is added after each colon in an event stream': events(
      replace(/^(data|event|id|retry):(?! )/gm, '$1: '),
    ),
  },
};
