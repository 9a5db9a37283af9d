import type { RequestListener } from 'node:http';
import { Refusal } from '../refusal.ts';
import type { Surface } from '../surface.ts';
import type { Answer } from './answer.ts';
import { type Call, toCall } from './call.ts';
import type { createCors } from './cors.ts';
import { BodyTooLarge } from './read-body.ts';
import { send } from './send.ts';

export interface HandlerOptions {
  /** The mock's own address. */
  url: () => string;
  /** The surface that a raw path belongs to. */
  surfaceOf(path: string): Surface;
  cors: ReturnType<typeof createCors>;
}

/**
 * Answers every request: the surface's answer or error, and the headers that all answers share. A
 * defect of the mock is answered with the fixed text of its code and reported as a process warning.
 */
export function createHandler({ url, surfaceOf, cors }: HandlerOptions): RequestListener {
  return async (request, response) => {
    const call = toCall(request, url());
    const surface = surfaceOf(call.path);
    const answer =
      // D11: "OPTIONS is the CORS preflight (204)", also for a path that is none: only then may a
      // browser read the error of the real call.
      call.method === 'OPTIONS'
        ? { status: 204, headers: cors.preflight(surface.name) }
        : await answerOrRefuse(surface, call);
    if (response.destroyed) return;
    send(request, response, {
      ...answer,
      headers: {
        ...answer.headers,
        ...surface.headers?.(answer, call),
        ...cors.answer,
        // D9: "`X-Request-Id` is on every gateway answer, 101 and OPTIONS included, made anew for
        // each call"; "storage and upload answers carry one too".
        'x-request-id': call.requestId,
      },
    });
  };
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
