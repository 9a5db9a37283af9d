/** A `fetch` that returns the given responses in order, and records its requests. */
export function fakeFetch(...responses: (Response | Error)[]) {
  const requests: Request[] = [];
  const fetch = async (input: Request | string, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    requests.push(request);
    const response = responses.shift();
    if (response === undefined) throw new Error(`No response is left for ${request.url}`);
    if (response instanceof Error) throw response;
    return response;
  };
  return { fetch, requests };
}

/** A JSON response. */
export function json(body: unknown, init: ResponseInit = {}): Response {
  return Response.json(body, init);
}

/** A refusal of the gateway. */
export function refused(code: string, status: number, headers: Record<string, string> = {}) {
  const body = { code, message: '', requestId: 'r' };
  return json(body, { status, headers: { 'X-Request-Id': 'r', ...headers } });
}

/** A storage response in its envelope. */
export function envelope(body: object, status = 200): Response {
  return json({ statusCode: status, body: { requestId: 'r-1', ...body } }, { status });
}

/** A storage response with a list of results. */
export function list(...fileList: object[]): Response {
  return envelope({ data: { fileList } });
}

/** The error that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`Expected a rejection, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
