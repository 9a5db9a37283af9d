import type { Hooks, MutatedAnswer, MutatedRequest } from '../../../proxy/messages.ts';

/** Changes calls of hosted services after their credentials were verified: signed calls stay as they are. */
export function behind(change: (request: MutatedRequest) => unknown): Hooks {
  return {
    request(request) {
      const isSigned = request.headers.get('Authorization')?.startsWith('TC3') ?? false;
      return request.isGateway && !isSigned ? change(request) : undefined;
    },
  };
}

/** Changes what comes after the name of the service, query included. */
function changeTail(request: MutatedRequest, change: (tail: string) => string): void {
  const [, start = '', tail = ''] = /^(\/v1\/cloudrun\/[^/?]*)(.*)$/.exec(request.target) ?? [];
  if (start !== '') request.target = start + change(tail);
}

/** Changes the path after the name of the service. */
export function changePath(request: MutatedRequest, change: (path: string) => string): void {
  changeTail(request, (tail) => tail.replace(/^[^?]*/, change));
}

/** Changes the query, without its `?`. */
export function changeQuery(request: MutatedRequest, change: (query: string) => string): void {
  changeTail(request, (tail) => tail.replace(/(?<=^[^?]*\?).*/, change));
}

/** Changes answers of hosted services, not those of the gateway itself. */
export function ofService(change: (answer: MutatedAnswer, request: MutatedRequest) => void): Hooks {
  return {
    answer(answer, request) {
      const isOfService = answer.headers.get('X-Svc-Upstream-Status-Code') !== undefined;
      if (request.isGateway && isOfService) change(answer, request);
    },
  };
}

/** Changes errors of the gateway itself. */
export function ofGateway(change: (answer: MutatedAnswer, request: MutatedRequest) => void): Hooks {
  return {
    answer(answer, request) {
      const isOfService = answer.headers.get('X-Svc-Upstream-Status-Code') !== undefined;
      if (request.isGateway && !isOfService && answer.status >= 400) change(answer, request);
    },
  };
}
