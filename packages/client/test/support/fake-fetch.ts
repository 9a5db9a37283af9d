/** A `fetch` that gives the answers one after the other and keeps the requests that it got. */
export function fakeFetch(...answers: (Response | Error)[]) {
  const requests: Request[] = [];
  const fetch = async (input: Request | string, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    requests.push(request);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`No answer is left for ${request.url}`);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { fetch, requests };
}

/** A JSON answer. */
export function json(body: unknown, init: ResponseInit = {}): Response {
  return Response.json(body, init);
}

/** A storage answer in its envelope. */
export function envelope(body: object, status = 200): Response {
  return json({ statusCode: status, body: { requestId: 'r-1', ...body } }, { status });
}

/** A storage answer with a list of results. */
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
