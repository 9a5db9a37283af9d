/**
 * What `openapi-fetch` makes of a call, instead of the platform's `Request`, which costs more than
 * all the rest. It has what middleware uses; `clone()` gives a whole `Request`.
 */
export class LightRequest {
  declare readonly method: string;
  declare readonly headers: Headers;
  declare readonly body: RequestInit['body'];
  declare readonly signal: AbortSignal | undefined;
  readonly url: string;

  constructor(url: string, init: RequestInit) {
    Object.assign(this, init);
    this.url = url;
  }

  clone(): Request {
    return new Request(this.url, this as RequestInit);
  }

  text(): Promise<string> {
    return this.clone().text();
  }

  json(): Promise<unknown> {
    return this.clone().json();
  }

  /** Middleware may give a `Request` of the platform instead. */
  static [Symbol.hasInstance](value: object): boolean {
    // By its methods: Babel's code for older engines asks before there are fields. A `Response` has a status.
    return 'clone' in value && !('status' in value);
  }
}
