import { type OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { Answer } from '../route-table.ts';

export type HeaderValue = string | readonly string[] | number;
export type HeaderSource = Answer['headers'];

/**
 * The headers of one answer, in lower case. What is added first wins. A flat list, because that is what
 * Node writes fastest.
 */
export class Head {
  readonly #list: HeaderValue[] = [];

  has(name: string): boolean {
    const list = this.#list;
    for (let at = 0; at < list.length; at += 2) if (list[at] === name) return true;
    return false;
  }

  add(name: string, value: HeaderValue): void {
    this.#list.push(name, value);
  }

  addAll(headers: HeaderSource): void {
    for (const name in headers) {
      const value = headers[name];
      if (value === undefined) continue;
      const key = name.toLowerCase();
      if (!this.has(key)) this.#list.push(key, value);
    }
  }

  remove(name: string): void {
    for (let at = 0; at < this.#list.length; at += 2) {
      if (this.#list[at] === name) this.#list.splice(at, 2);
    }
  }

  write(response: ServerResponse, status: number): void {
    const list = this.#list;
    if (isPlain(response)) {
      response.writeHead(status, list as OutgoingHttpHeader[]);
      return;
    }
    try {
      for (let at = 0; at < list.length; at += 2) {
        response.setHeader(list[at] as string, list[at + 1] as HeaderValue);
      }
    } catch (error) {
      // The answer to this error must not inherit the headers that went well.
      for (let at = 0; at < list.length; at += 2) response.removeHeader(list[at] as string);
      throw error;
    }
    response.writeHead(status);
  }
}

/** Express, and middleware that wraps `writeHead`, work with single headers. */
function isPlain(response: ServerResponse): boolean {
  return (
    Object.getPrototypeOf(response) === ServerResponse.prototype &&
    response.writeHead === ServerResponse.prototype.writeHead
  );
}
