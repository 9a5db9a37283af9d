import type { RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '../refusal.ts';
import type { Surface } from '../surface.ts';
import type { Answer } from './answer.ts';
import { answerBrokenRequest } from './answer-raw.ts';
import { type Call, toCall } from './call.ts';
import type { createCors } from './cors.ts';
import { describeFault } from './describe-fault.ts';
import { BodyTooLarge } from './read-body.ts';
import { send } from './send.ts';

export interface HandlerOptions {
  /** The mock's own address. */
  url: () => string;
  /** The surface that a raw path belongs to. */
  surfaceOf(path: string): Surface;
  cors: ReturnType<typeof createCors>;
}

/** One request and its answer. */
interface Exchange {
  call: Call;
  surface: Surface;
  response: ServerResponse;
}

export interface Handler {
  /** Listener for `request`. */
  answer: RequestListener;
  /** Listener for `clientError`. */
  answerBroken(error: NodeJS.ErrnoException, socket: Duplex): void;
}

/**
 * Answers every request: the surface's answer or error, and the headers that all answers share. A
 * defect of the mock is answered with the fixed text of its code and reported as a process warning.
 */
export function createHandler({ url, surfaceOf, cors }: HandlerOptions): Handler {
  /** The latest request of each connection. */
  const latest = new WeakMap<Duplex, Exchange>();

  return {
    answer(request, response) {
      const call = toCall(request, url());
      const exchange = { call, surface: surfaceOf(call.path), response };
      latest.set(request.socket, exchange);
      reply(exchange).catch((defect) => {
        process.emitWarning(defect);
        response.destroy();
      });
    },

    answerBroken(error, socket) {
      const exchange = latest.get(socket);
      const answerRaw = () => answerBrokenRequest(error, socket);
      if (exchange === undefined || !socket.writable) return answerRaw();
      const { call, surface, response } = exchange;
      if (call.request.complete) {
        // What is broken follows a whole request, whose answer goes first.
        if (response.writableFinished) answerRaw();
        else response.once('finish', answerRaw);
      } else if (response.headersSent) {
        // The request was refused before its end; there is nothing more to say.
        response.end();
      } else {
        write(exchange, surface.refuse(toBroken(error, surface), call), { connection: 'close' });
        response.end();
        // Node forgets an answered request: who waits for the rest of it would wait for ever.
        socket.once('close', () => call.request.destroy());
      }
    },
  };

  async function reply(exchange: Exchange): Promise<void> {
    const { call, surface, response } = exchange;
    const answer =
      // D11: "OPTIONS is the CORS preflight (204)", also for a path that is none: only then may a
      // browser read the error of the real call.
      call.method === 'OPTIONS'
        ? { status: 204, headers: cors.preflight(surface.name) }
        : await answerOrRefuse(surface, call);
    if (!response.destroyed && !response.headersSent) write(exchange, answer);
  }

  function write({ call, surface, response }: Exchange, answer: Answer, more = {}): void {
    send(call.request, response, {
      ...answer,
      headers: {
        ...answer.headers,
        ...surface.headers?.(answer, call),
        ...cors.answer,
        // D9: "`X-Request-Id` is on every gateway answer, 101 and OPTIONS included, made anew for
        // each call"; "storage and upload answers carry one too".
        'x-request-id': call.requestId,
        ...more,
      },
    });
  }
}

async function answerOrRefuse(surface: Surface, call: Call): Promise<Answer> {
  try {
    return await surface.answer(call);
  } catch (error) {
    // A client that has gone is no defect of the mock, and reads no answer.
    if (!isExpected(error) && !call.request.destroyed) process.emitWarning(error as Error);
    return surface.refuse(toRefusal(error, surface), call);
  }
}

function isExpected(error: unknown): boolean {
  return error instanceof Refusal || error instanceof BodyTooLarge;
}

function toRefusal(error: unknown, { codes }: Surface): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof BodyTooLarge) {
    return new Refusal(codes.tooLarge, `The body is larger than ${error.maxBytes} bytes.`);
  }
  return new Refusal(codes.failed);
}

function toBroken(error: NodeJS.ErrnoException, { codes }: Surface): Refusal {
  const { status, message, timedOut } = describeFault(error);
  if (timedOut && codes.timedOut !== undefined) return new Refusal(codes.timedOut, message);
  return new Refusal(codes.broken, message, { status });
}
